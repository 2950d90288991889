// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.apache.cassandra.concurrent.NamedThreadFactory;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.utils.SyncUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Syncs what a step has written of an SSTable while the step goes on, so that the sync at the
 * SSTable's end, which the merge waits for, has little left to do. Small SSTables are synced so
 * often that a merge would spend much of its time waiting for the disk otherwise.
 *
 * <p>No promise rests on it: the writer syncs each file before it commits, as ever. But a failed
 * sync counts, as a kernel may tell of it only once. For one thread.
 */
final class Writeback {

  private static final Logger LOGGER = LoggerFactory.getLogger(Writeback.class);

  /** Makes what has been written of a file durable; an {@link FSError} says that it cannot. */
  interface Sync {
    void sync(File file);
  }

  // More would be as many interruptions of everybody else's writes, fewer hardly any help.
  private static final int SLICES_OF_TABLE = 8;
  private static final long LEAST_SLICE = 4 << 20;
  private static final long MOST_SLICE = 32 << 20;

  // As many threads as steps that run at once, which compaction threads bound.
  private static final Executor THREADS =
      Executors.newCachedThreadPool(new NamedThreadFactory("CoppiceWriteback"));

  private final long sliceBytes;
  private final Executor executor;
  private final Sync sync;

  private File file;
  private long syncedBytes;
  private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  /** For SSTables of at most so many bytes. */
  Writeback(long tableBytes) {
    this(
        Math.min(MOST_SLICE, Math.max(LEAST_SLICE, tableBytes / SLICES_OF_TABLE)),
        THREADS,
        Writeback::force);
  }

  /**
   * Takes what to sync by.
   *
   * @param sliceBytes at least so much is synced at a time
   */
  Writeback(long sliceBytes, Executor executor, Sync sync) {
    this.sliceBytes = sliceBytes;
    this.executor = executor;
    this.sync = sync;
  }

  /**
   * So much of a file has been written; syncs it if that is enough, and does not wait for it. While
   * one sync is under way none is added.
   *
   * @throws FSError if an earlier one has failed
   */
  void wrote(File current, long bytes) {
    if (!current.equals(file)) {
      file = current;
      syncedBytes = 0;
    }
    if (bytes - syncedBytes < sliceBytes || !underWay.isDone()) {
      return;
    }
    await();
    syncedBytes = bytes;
    underWay = CompletableFuture.runAsync(() -> sync.sync(current), executor);
  }

  /**
   * Waits for what is under way.
   *
   * @throws FSError if a sync has failed
   */
  void await() {
    try {
      underWay.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof FSError failed) {
        throw failed;
      }
      throw e;
    }
  }

  /** Likewise for a step that has failed anyway, so that nothing holds a file that is deleted. */
  void settle() {
    underWay.handle((done, failure) -> null).join();
  }

  private static void force(File file) {
    FileChannel channel;
    try {
      channel = file.newReadChannel();
    } catch (IOException | FSError e) {
      // The writer has a channel of its own, so nothing is known of what was written.
      LOGGER.debug("{} is not synced before its end", file, e);
      return;
    }
    try (channel) {
      SyncUtil.force(channel, false);
    } catch (IOException e) {
      throw new FSWriteError(e, file);
    }
  }
}
