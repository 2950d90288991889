// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import com.google.common.util.concurrent.ExecutionError;
import com.google.common.util.concurrent.Uninterruptibles;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.MemoryBudget;
import io.coppice.io.uring.Ring;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Block reader on io_uring rings. The reads of a batch that have buffers go to the kernel in one
 * system call, and the thread that waits for them also collects the results. A read therefore costs
 * no switch to another thread.
 *
 * <pre>
 *   batch --all rings are in use-----------------------------+
 *     | holds a ring                                         v
 *     +----fits a buffer----> ReadRing ---fails, is late---> PoolReader
 *     +----too long, other disk------------------------------^
 * </pre>
 *
 * <p>A batch holds one ring while its reads are in progress. The pool of threads serves the rest:
 * reads longer than a buffer, files of other disks, files that a ring fails to open, and batches
 * that find all rings in use. A read that is late is requested from the pool as well. If a ring
 * fails, or reads are late {@value #MAX_LATE} times, the pool takes over permanently (see {@link
 * #demote}).
 *
 * <p>A ring is served only while its thread waits. A <em>keeper</em> thread therefore serves all
 * rings periodically while reads are in progress. It ends abandoned reads, so that their files can
 * be closed, and wakes threads that have waited for long. It sleeps while no reads are in progress.
 *
 * <p>Safe to share between threads. Each {@link ReadRing} is used by the thread of its batch or,
 * between its calls, by the keeper.
 */
public final class RingReader extends PoolBackedReader {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /**
   * Number of rings per processor core, so that most threads that read at once have one of their
   * own, up to {@link #MAX_RINGS}.
   */
  private static final int RINGS_PER_CORE = 4;

  private static final int MAX_RINGS = 16;

  /** Pause in nanoseconds between two passes of the keeper. */
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Time in nanoseconds after which a read is late and is also requested from the pool. */
  static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Time in nanoseconds after which closing abandons a ring that still has reads in progress. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Number of late reads after which the pool replaces all rings. */
  private static final int MAX_LATE = 3;

  private final RingFiles files;
  private final ReadRing[] rings;
  private final Thread keeper = new Thread(this::keep, "coppice-ring-keeper");
  private final AtomicBoolean kept = new AtomicBoolean();
  private volatile boolean keeperSleeps;
  private volatile boolean closed;
  private final long lateNanos;
  private final boolean warns;

  /** Count of late reads. */
  @GuardedBy("this")
  private int late;

  /** Time when the last late read was counted, in nanoseconds. */
  @GuardedBy("this")
  private long lateAt;

  /** Reason that rings are no longer used, or null. */
  private volatile String demoted;

  /**
   * Creates a reader with a pool of its own.
   *
   * @param lateNanos nanoseconds after which a read is late
   */
  RingReader(MemoryBudget memory, boolean direct, Ring.Factory rings, long lateNanos) {
    this(memory, direct, rings, new PoolReader(memory, direct), lateNanos, true);
  }

  /**
   * Creates a reader that logs no failures, for {@link RingProbe}, which reports them.
   *
   * @param lateNanos nanoseconds after which a read is late
   */
  static RingReader quiet(MemoryBudget memory, Ring.Factory rings, long lateNanos) {
    PoolReader pool = new PoolReader(memory, false);
    return new RingReader(memory, false, rings, pool, lateNanos, false);
  }

  /** Creates a reader that takes over a pool already in use. */
  RingReader(MemoryBudget memory, boolean direct, Ring.Factory rings, PoolReader pool) {
    this(memory, direct, rings, pool, LATE_NANOS, true);
  }

  private RingReader(
      MemoryBudget memory,
      boolean direct,
      Ring.Factory factory,
      PoolReader pool,
      long lateNanos,
      boolean warns) {
    super(pool);
    this.warns = warns;
    this.files = new RingFiles(direct);
    this.lateNanos = lateNanos;
    int wanted = RINGS_PER_CORE * Runtime.getRuntime().availableProcessors();
    this.rings = new ReadRing[RingBuffers.rings(memory, Math.min(wanted, MAX_RINGS))];
    for (int i = 0; i < rings.length; i++) {
      RingBuffers buffers = RingBuffers.share(memory, rings.length);
      rings[i] = new ReadRing(files, buffers, pool, this);
    }
    keeper.setDaemon(true);
    open(factory);
  }

  private void open(Ring.Factory factory) {
    try {
      List<Ring> opened = factory.open(List.of(rings));
      for (int i = 0; i < rings.length; i++) {
        rings[i].open(opened.get(i));
      }
    } catch (RuntimeException | LinkageError | OutOfMemoryError | ExecutionError e) {
      demote("none can be opened: " + e);
    }
  }

  @Override
  public String describe() {
    return demoted != null
        ? pool.describe() + " demoted=" + demoted
        : "ring most="
            + rings.length
            + " buffers="
            + rings.length * rings[0].buffers()
            + " read="
            + (files.direct() ? "direct" : "buffered");
  }

  /**
   * Returns the number of reads that rings have finished since the opening, failed ones included.
   */
  public long ringReads() {
    long sum = 0;
    for (ReadRing ring : rings) {
      sum += ring.reads();
    }
    return sum;
  }

  /** Returns the reason that rings are no longer used, or null. */
  public String demoted() {
    return demoted;
  }

  @Override
  public void carry(BlockReadRequest first, BlockReadRequest last, int count) {
    if (demoted != null) {
      pool.carry(first, last, count);
      return;
    }
    BlockReadBatch batch = first.owner();
    ReadRing ring = batch.ring() != null ? batch.ring() : free(batch.lastRing());
    if (ring == null) {
      pool.carry(first, last, count);
      return;
    }
    batch.hold(ring);
    pool.began(count);
    BlockReadRequest firstOfRing = null;
    BlockReadRequest lastOfRing = null;
    BlockReadRequest firstOfPool = null;
    BlockReadRequest lastOfPool = null;
    int ofPool = 0;
    for (BlockReadRequest request = first; request != null; ) {
      BlockReadRequest following = request.next;
      request.next = null;
      if (RingBuffers.fit(request)) {
        if (lastOfRing == null) {
          firstOfRing = request;
        } else {
          lastOfRing.next = request;
        }
        lastOfRing = request;
      } else {
        if (lastOfPool == null) {
          firstOfPool = request;
        } else {
          lastOfPool.next = request;
        }
        lastOfPool = request;
        ofPool++;
      }
      request = following;
    }
    if (ofPool > 0) {
      pool.take(firstOfPool, lastOfPool, ofPool);
    }
    if (firstOfRing != null) {
      ring.start(firstOfRing);
      wakeKeeper();
    }
  }

  /** Reserves a ring for a batch, preferably its last one; returns null if none is free. */
  private ReadRing free(ReadRing last) {
    if (last != null && last.take()) {
      return last;
    }
    for (ReadRing each : rings) {
      if (each.take()) {
        return each;
      }
    }
    return null;
  }

  private void wakeKeeper() {
    if (keeperSleeps) {
      LockSupport.unpark(keeper);
    } else if (!kept.get() && kept.compareAndSet(false, true)) {
      try {
        keeper.start();
      } catch (OutOfMemoryError e) {
        demote("its thread cannot be started: " + e);
      }
    }
  }

  private void keep() {
    long round = Math.min(ROUND_NANOS, lateNanos / 2);
    while (!closed) {
      keeperSleeps = false;
      boolean sleeps = !isUnderWay();
      if (sleeps) {
        // A thread that starts reads from here on wakes the keeper, or the next check sees its
        // reads.
        keeperSleeps = true;
        sleeps = !isUnderWay();
      }
      if (sleeps) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, round);
      }
    }
  }

  private boolean isUnderWay() {
    boolean any = false;
    for (ReadRing ring : rings) {
      any |= ring.keep(lateNanos);
    }
    return any;
  }

  @Override
  public long lateNanos() {
    return lateNanos;
  }

  @Override
  public boolean late(BlockReadRequest request) {
    if (!request.inRing()) {
      return false;
    }
    boolean tooOften;
    synchronized (this) {
      long now = System.nanoTime();
      if (late == 0 || now - lateAt > lateNanos / 2) {
        late++;
        lateAt = now;
      }
      tooOften = late >= MAX_LATE;
    }
    if (tooOften) {
      demote("reads came late " + MAX_LATE + " times");
    }
    return true;
  }

  /**
   * Makes the pool carry out all reads from now on.
   *
   * @param reason why rings are no longer used
   */
  void demote(String reason) {
    synchronized (this) {
      if (demoted != null) {
        return;
      }
      demoted = reason;
    }
    if (warns) {
      LOG.log(
          System.Logger.Level.WARNING,
          "io_uring failed, so blocks are read by a pool of threads from now on: {0}",
          reason);
    }
    for (ReadRing ring : rings) {
      ring.giveUp();
    }
  }

  /**
   * Closes the reader after the reads in progress; later reads fail. Waits at most some 30 s; then
   * reads are abandoned.
   */
  @Override
  public void close() {
    long nanos = Math.min(END_NANOS, 2 * lateNanos);
    long deadline = System.nanoTime() + nanos;
    for (ReadRing ring : rings) {
      ring.close(deadline);
    }
    closed = true;
    LockSupport.unpark(keeper);
    // A keeper that hangs in a ring is abandoned with it.
    Uninterruptibles.joinUninterruptibly(keeper, nanos, TimeUnit.NANOSECONDS);
    pool.close();
  }
}
