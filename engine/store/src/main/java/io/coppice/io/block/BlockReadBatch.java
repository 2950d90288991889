// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.base.ClosedException;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.io.file.RealFile;
import io.coppice.io.uring.AlignedMemory;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Batch of reads of one thread, independent of the reader that carries them out. */
final class BlockReadBatch implements ReadBatch {

  /** Reader that carries out the requests. */
  interface Carrier {

    /** Returns an unused request. */
    BlockReadRequest spare();

    /**
     * Starts requests that are submitted and linked from first to last, in this order.
     *
     * @param count their number
     */
    void carry(BlockReadRequest first, BlockReadRequest last, int count);

    /** Returns the files opened past the page cache; null if reads use it. */
    DirectFiles pastCache();

    /**
     * Returns new memory for reads past the page cache by the calling thread, which the batch
     * closes; null if the memory budget has none.
     */
    AlignedMemory pages();

    /** Returns the nanoseconds after which a read is late. */
    long lateNanos();

    /** Counts a late read. Returns whether the batch must request it a second time. */
    boolean late(BlockReadRequest request);

    /** Starts a second, submitted request for a late read, without the ring. */
    void carryAgain(BlockReadRequest request);
  }

  private final Carrier carrier;
  private final BlockReadRequest[] requests = new BlockReadRequest[MAX_READS];
  private int added;
  private int submitted;

  /** Reads known to have ended, one bit each. */
  private long ended;

  private Thread waiter;

  /** Whether {@link #waiter} waits for all reads of {@link #awaited} instead of one of them. */
  private boolean forAll;

  /** Reads that {@link #waiter} waits for, one bit each, written after it; 0 if no thread waits. */
  private volatile long awaited;

  /** Ring that carries out the reads, held until all are known to have ended; else null. */
  private volatile ReadRing ring;

  /**
   * Ring that the batch held before and prefers: it is likely to be free and in the processor's
   * cache.
   */
  private ReadRing lastRing;

  /** Memory for reads by this thread; null until its first read past the page cache. */
  private AlignedMemory pages;

  BlockReadBatch(Carrier carrier) {
    this.carrier = carrier;
  }

  @Override
  public int add(Disk.InputFile file, long offset, int length) {
    if (added == MAX_READS) {
      throw new IllegalStateException("a batch holds " + MAX_READS + " reads");
    }
    if (requests[added] == null) {
      requests[added] = carrier.spare();
    }
    if (!requests[added].start(this, added, file, offset, length)) {
      throw new ClosedException(file.name());
    }
    return added++;
  }

  @Override
  public void submit() {
    if (submitted == added) {
      return;
    }
    BlockReadRequest first = requests[submitted];
    BlockReadRequest last = first;
    int count = added - submitted;
    first.underWay();
    for (int i = submitted + 1; i < added; i++) {
      last.next = requests[i];
      last = requests[i];
      last.underWay();
    }
    last.next = null;
    submitted = added;
    carrier.carry(first, last, count);
  }

  /** Returns the ring that this batch holds, or null. */
  ReadRing ring() {
    return ring;
  }

  /** Returns the ring that this batch held before, or null. */
  ReadRing lastRing() {
    return lastRing;
  }

  /** Holds a ring until the batch's reads have ended or are abandoned. */
  void hold(ReadRing taken) {
    ring = taken;
  }

  private void letGoIfEnded() {
    if (Long.bitCount(ended) == submitted) {
      letGo();
    }
  }

  private void letGo() {
    ReadRing done = ring;
    if (done != null) {
      ring = null;
      lastRing = done;
      done.give();
    }
  }

  @Override
  public long await(long any) {
    assert any != 0 && (submitted == MAX_READS || any >>> submitted == 0) : "not submitted";
    long now = endedOf(any);
    if (now == 0) {
      park(any, false);
      now = any & ended;
    }
    letGoIfEnded();
    return now;
  }

  @Override
  public void awaitAll(long all) {
    assert all != 0 && (submitted == MAX_READS || all >>> submitted == 0) : "not submitted";
    if (endedOf(all) != all) {
      park(all, true);
    }
    letGoIfEnded();
  }

  /**
   * Waits until one read of a set, or the whole set, has ended.
   *
   * @param reads one bit each
   * @param all whether to wait for the whole set
   */
  private void park(long reads, boolean all) {
    boolean interrupted = false;
    long lateNanos = carrier.lateNanos();
    long since = System.nanoTime();
    waiter = Thread.currentThread();
    forAll = all;
    awaited = reads;
    ReadRing by = ring;
    while (true) {
      long seen = by == null ? 0 : by.passes();
      if (isEnough(reads, all)) {
        break;
      }
      boolean progressed = by != null && anyInRing(reads) && by.await(seen);
      // A ring that gives up passes reads to the pool under a lock. Waiting for that lock may
      // consume the permit of a read that has just ended, so the reads are checked once more.
      if (!progressed && !isEnough(reads, all)) {
        LockSupport.parkNanos(this, lateNanos);
      }
      interrupted |= Thread.interrupted();
      if (System.nanoTime() - since >= lateNanos) {
        askAgain(reads);
        // Published again, so that a thread that ends a read sees the new requests.
        awaited = reads;
        since = System.nanoTime();
      }
    }
    awaited = 0;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the batch's thread may continue, because enough reads of a set have ended. */
  private boolean isEnough(long reads, boolean all) {
    long now = endedOf(reads);
    return now == reads || !all && now != 0;
  }

  /** Returns whether a read of a set is still in the ring: open and not in the pool. */
  private boolean anyInRing(long reads) {
    for (long left = reads & ~ended; left != 0; left &= left - 1) {
      if (requests[Long.numberOfTrailingZeros(left)].inRing()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Abandons the late requests of a set in favor of new ones that read the same bytes in another
   * way.
   */
  private void askAgain(long any) {
    for (long left = any & ~ended; left != 0; left &= left - 1) {
      int read = Long.numberOfTrailingZeros(left);
      BlockReadRequest late = requests[read];
      if (!carrier.late(late)) {
        continue;
      }
      BlockReadRequest again = carrier.spare();
      if (!again.start(this, read, late.file, late.offset, late.length)) {
        continue;
      }
      if (late.giveUp()) {
        requests[read] = again;
        again.next = null;
        again.underWay();
        carrier.carryAgain(again);
      } else {
        again.leaveQuietly();
      }
    }
  }

  private long endedOf(long any) {
    for (long left = any & ~ended; left != 0; left &= left - 1) {
      int read = Long.numberOfTrailingZeros(left);
      if (requests[read].state() == BlockReadRequest.ENDED) {
        ended |= 1L << read;
      }
    }
    return any & ended;
  }

  /**
   * Returns whether the batch's thread waits for a read that has just ended. Any thread may call
   * it; the answer may be outdated.
   */
  boolean awaits(int read) {
    return (awaited >>> read & 1) != 0;
  }

  /**
   * Wakes the waiting thread if the ended reads suffice. Any thread may call it after one or
   * several reads have ended; at least the last call sees that all have.
   *
   * @return whether they sufficed
   */
  boolean wake() {
    long reads = awaited;
    boolean enough = reads != 0 && (!forAll || haveEnded(reads));
    if (enough) {
      LockSupport.unpark(waiter);
      ReadRing by = ring;
      if (by != null) {
        by.wakeUp();
      }
    }
    return enough;
  }

  /**
   * Returns whether all reads of a set have ended. Also true if the batch serves another lookup by
   * now. Any thread may call it.
   */
  private boolean haveEnded(long reads) {
    for (long left = reads; left != 0; left &= left - 1) {
      BlockReadRequest request = requests[Long.numberOfTrailingZeros(left)];
      if (request != null && request.state() != BlockReadRequest.ENDED) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void take(int read, byte[] target, int at) throws IOException {
    System.arraycopy(lend(read), 0, target, at, requests[read].length);
  }

  @Override
  public byte[] lend(int read) throws IOException {
    BlockReadRequest request = requests[read];
    assert read < submitted && request.state() == BlockReadRequest.ENDED : "not ended";
    Throwable failure = request.failure;
    if (failure == null) {
      return request.bytes;
    }
    String where = request.file.name() + " cannot be read at offset " + request.offset;
    if (failure instanceof EOFException) {
      EOFException end = new EOFException(where + ": " + failure.getMessage());
      end.initCause(failure);
      throw end;
    }
    throw new IOException(where + ": " + failure.getMessage(), failure);
  }

  @Override
  public void readAlone(Disk.InputFile file, long offset, byte[] target, int at, int length)
      throws IOException {
    if (!(file instanceof RealFile real)
        || real.likelyInMemory(offset, length)
        || !readDirect(real, offset, target, at, length)) {
      file.read(offset, target, at, length);
    }
  }

  /** Reads a block past the page cache. Returns false if that is impossible. */
  private boolean readDirect(RealFile file, long offset, byte[] target, int at, int length)
      throws IOException {
    DirectFiles direct = carrier.pastCache();
    if (direct == null || direct.refused()) {
      return false;
    }
    if (pages == null) {
      pages = carrier.pages();
    }
    if (pages == null || !file.enter()) {
      return false;
    }
    try {
      return direct.read(file, offset, target, at, length, pages);
    } finally {
      file.leave();
    }
  }

  @Override
  public void clear() {
    for (int i = 0; i < added; i++) {
      BlockReadRequest request = requests[i];
      if (i >= submitted) {
        request.leaveQuietly();
        request.reset();
      } else if (request.giveUp()) {
        requests[i] = null;
      } else {
        request.reset();
      }
    }
    added = 0;
    submitted = 0;
    ended = 0;
    letGo();
  }

  @Override
  public void close() {
    clear();
    if (pages != null) {
      pages.close();
      pages = null;
    }
  }
}
