// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reads blocks through rings: all reads of a batch go to the kernel in one call, and the thread
 * that owns the ring brings the results home. What a ring cannot do goes to a pool of threads:
 * reads longer than a slot, files of other disks, files that cannot be opened so. Once a ring
 * fails, or is late again and again, the pool does everything, for good.
 */
final class RingReader implements BlockReader, RequestBatch.Carrier {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** One thread copies what the threads of about so many cores ask for. */
  private static final int CORES_PER_LOOP = 4;

  /** After this long a read is asked for once more, of the pool. */
  static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** After this long a ring is left alone that does not give back what it has. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** So often reads may be late before the ring is not trusted any more. */
  private static final int MAX_LATE = 3;

  private final PoolReader pool;
  private final RingFiles files;
  private final RingLoop[] loops;
  private final long lateNanos;
  private final Consumer<String> onDemotion;

  /** Guarded by this: how often reads were late, and when that was last counted. */
  private int late;

  private long lateAt;

  /** Why the ring is not used any more, or null. */
  private volatile String demoted;

  /** With a pool of its own. */
  RingReader(MemoryBudget memory, boolean direct, Ring.Factory rings, long lateNanos) {
    this(memory, direct, rings, new PoolReader(memory, direct), lateNanos, RingReader::warn);
  }

  /** Of a probe, which has its own way to tell of a failure. */
  static RingReader quiet(MemoryBudget memory, Ring.Factory rings, long lateNanos) {
    PoolReader pool = new PoolReader(memory, false);
    return new RingReader(memory, false, rings, pool, lateNanos, reason -> {});
  }

  /** With a pool that is in use already, and is taken over. */
  RingReader(MemoryBudget memory, boolean direct, Ring.Factory rings, PoolReader pool) {
    this(memory, direct, rings, pool, LATE_NANOS, RingReader::warn);
  }

  private RingReader(
      MemoryBudget memory,
      boolean direct,
      Ring.Factory rings,
      PoolReader pool,
      long lateNanos,
      Consumer<String> onDemotion) {
    this.pool = pool;
    this.onDemotion = onDemotion;
    this.files = new RingFiles(direct);
    this.lateNanos = lateNanos;
    int cores = Runtime.getRuntime().availableProcessors();
    this.loops = new RingLoop[Math.max(1, cores / CORES_PER_LOOP)];
    for (int i = 0; i < loops.length; i++) {
      RingSlots slots = RingSlots.share(memory, loops.length);
      loops[i] = new RingLoop(i, rings, files, slots, pool, this::demote);
    }
  }

  @Override
  public ReadBatch newBatch() {
    return new RequestBatch(this);
  }

  @Override
  public int inFlight() {
    return pool.inFlight();
  }

  @Override
  public void alone(int change) {
    pool.alone(change);
  }

  @Override
  public boolean direct() {
    return pool.direct();
  }

  @Override
  public DirectFiles pastCache() {
    return pool.pastCache();
  }

  @Override
  public AlignedMemory pages() {
    return pool.pages();
  }

  @Override
  public String describe() {
    return demoted != null
        ? pool.describe() + " demoted=" + demoted
        : "ring loops="
            + loops.length
            + " slots="
            + loops.length * loops[0].slots()
            + " read="
            + (files.direct() ? "direct" : "buffered");
  }

  /** Reads that a ring has brought home. */
  long ringReads() {
    long sum = 0;
    for (RingLoop loop : loops) {
      sum += loop.reads();
    }
    return sum;
  }

  /** Why the ring is not used any more, or null. */
  String demoted() {
    return demoted;
  }

  @Override
  public Request spare() {
    return pool.spare();
  }

  @Override
  public void carry(Request first, Request last, int count) {
    if (demoted != null) {
      pool.carry(first, last, count);
      return;
    }
    pool.began(count);
    // The loop takes the newest first and turns them round; the pool's are in order.
    Request newest = null;
    Request oldest = null;
    Request firstOfPool = null;
    Request lastOfPool = null;
    int ofPool = 0;
    for (Request request = first; request != null; ) {
      Request following = request.next;
      if (RingSlots.fit(request)) {
        request.next = newest;
        newest = request;
        oldest = oldest == null ? request : oldest;
      } else {
        request.next = null;
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
    if (newest != null) {
      RingLoop loop =
          loops.length == 1 ? loops[0] : loops[ThreadLocalRandom.current().nextInt(loops.length)];
      loop.take(newest, oldest);
    }
  }

  @Override
  public long lateNanos() {
    return lateNanos;
  }

  @Override
  public boolean late(Request request) {
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

  @Override
  public void carryAgain(Request request) {
    pool.carry(request, request, 1);
  }

  private static void warn(String reason) {
    LOG.log(
        System.Logger.Level.WARNING,
        "io_uring failed, so blocks are read by a pool of threads from now on: {0}",
        reason);
  }

  private void demote(String reason) {
    synchronized (this) {
      if (demoted != null) {
        return;
      }
      demoted = reason;
    }
    onDemotion.accept(reason);
    for (RingLoop loop : loops) {
      loop.giveUp();
    }
  }

  /** Waits for the reads that are under way; later ones fail. */
  @Override
  public void close() {
    for (RingLoop loop : loops) {
      loop.stop();
    }
    for (RingLoop loop : loops) {
      loop.awaitEnd(Math.min(END_NANOS, 2 * lateNanos));
    }
    pool.close();
  }
}
