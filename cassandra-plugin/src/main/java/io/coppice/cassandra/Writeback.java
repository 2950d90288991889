// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.apache.cassandra.concurrent.NamedThreadFactory;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.util.File;

/**
 * Syncs what a step has written of an SSTable while the step goes on, so that the sync at the
 * SSTable's end, which the merge waits for, has little left to do. Small SSTables are synced so
 * often that a merge would spend half of its time waiting for the disk otherwise.
 *
 * <p>No promise rests on it: the writer syncs each file before it commits, as ever. But a failure
 * counts, as a kernel may tell of it only once. For one thread.
 */
final class Writeback {

  /** At least so much is synced at a time. */
  static final long SLICE_BYTES = 4 << 20;

  /** Makes what has been written of a file durable. */
  interface Sync {
    void sync(File file) throws IOException;
  }

  // As many threads as steps that run at once, which compaction threads bound.
  private static final Executor THREADS =
      Executors.newCachedThreadPool(new NamedThreadFactory("CoppiceWriteback"));

  private final Executor executor;
  private final Sync sync;

  private File file;
  private long syncedBytes;
  private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  Writeback() {
    this(THREADS, Writeback::force);
  }

  Writeback(Executor executor, Sync sync) {
    this.executor = executor;
    this.sync = sync;
  }

  /**
   * So much of a file has been written; syncs it if that is enough, and does not wait for it. While
   * one sync is under way none is added.
   *
   * @throws FSWriteError if an earlier one has failed
   */
  void wrote(File current, long bytes) {
    if (!current.equals(file)) {
      file = current;
      syncedBytes = 0;
    }
    if (bytes - syncedBytes < SLICE_BYTES || !underWay.isDone()) {
      return;
    }
    await();
    syncedBytes = bytes;
    underWay = CompletableFuture.runAsync(() -> run(current), executor);
  }

  /**
   * Waits for what is under way.
   *
   * @throws FSWriteError if a sync has failed
   */
  void await() {
    try {
      underWay.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof FSWriteError failed) {
        throw failed;
      }
      throw e;
    }
  }

  private void run(File current) {
    try {
      sync.sync(current);
    } catch (IOException e) {
      throw new FSWriteError(e, current);
    }
  }

  private static void force(File file) throws IOException {
    try (FileChannel channel = file.newReadChannel()) {
      channel.force(false);
    }
  }
}
