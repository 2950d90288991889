// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

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
 * Incremental sync of an SSTable while a step writes it, which leaves little work for the sync at
 * the end of the SSTable. SSTables are small and synced often, so without it a merge would spend
 * much of its time waiting for the disk.
 *
 * <p>Durability does not depend on this class: the writer syncs each file before it commits, as
 * always. A failed background sync still fails the step, because a kernel may report an error only
 * once. Used by one thread.
 */
final class IncrementalSync {

  private static final Logger LOGGER = LoggerFactory.getLogger(IncrementalSync.class);

  /**
   * An operation that makes the written part of a file durable; throws {@link FSError} if that
   * fails.
   */
  interface Sync {
    void sync(File file);
  }

  // Slices of a table. More would interrupt other writes more often; fewer would hardly help.
  private static final int SLICES_OF_TABLE = 8;
  private static final long MIN_SLICE = 4 << 20;
  private static final long MAX_SLICE = 32 << 20;

  // The pool grows to the number of steps that run at once, which the compaction threads bound.
  private static final Executor THREADS =
      Executors.newCachedThreadPool(new NamedThreadFactory("CoppiceWriteback"));

  private final long sliceBytes;
  private final Executor executor;
  private final Sync sync;

  private File file;
  private long syncedBytes;
  private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  /**
   * Creates a sync for SSTables of at most {@code tableBytes} bytes. It syncs after every eighth of
   * that, but at least 4 and at most 32 MiB.
   */
  IncrementalSync(long tableBytes) {
    this(
        Math.min(MAX_SLICE, Math.max(MIN_SLICE, tableBytes / SLICES_OF_TABLE)),
        THREADS,
        IncrementalSync::force);
  }

  /**
   * Creates a sync that runs {@code sync} on an executor, which the caller owns.
   *
   * @param sliceBytes unsynced bytes that start a sync
   */
  IncrementalSync(long sliceBytes, Executor executor, Sync sync) {
    this.sliceBytes = sliceBytes;
    this.executor = executor;
    this.sync = sync;
  }

  /**
   * Records the bytes written to a file. Starts a background sync once a slice is complete and no
   * other sync is running. Does not wait.
   *
   * @param bytes the current size of the file
   * @throws FSError if the previous sync has failed; thrown only when a slice is complete
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
   * Waits for the last sync, if it still runs.
   *
   * @throws FSError if that sync has failed
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

  /**
   * Waits for the running sync and ignores its result. A failed step must call this before it
   * deletes the file, which the sync has open.
   */
  void settle() {
    underWay.handle((done, failure) -> null).join();
  }

  private static void force(File file) {
    FileChannel channel;
    try {
      channel = file.newReadChannel();
    } catch (IOException | FSError e) {
      // The writer has a channel of its own, so this failure says nothing about the written data.
      LOGGER.debug("{} cannot be synced while it is written; it is synced at its end", file, e);
      return;
    }
    try (channel) {
      SyncUtil.force(channel, false);
    } catch (IOException e) {
      throw new FSWriteError(e, file);
    }
  }
}
