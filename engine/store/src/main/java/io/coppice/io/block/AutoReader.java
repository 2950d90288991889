// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.MemoryBudget;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Block reader that starts with a pool of threads, and switches to rings once it is known that they
 * work here. The probe takes far longer than opening a store. It therefore runs in the background,
 * and only once a first batch is read. Safe to share between threads.
 */
final class AutoReader extends PoolBackedReader {

  private final MemoryBudget memory;
  private final boolean direct;
  private final Supplier<RingProbe> probe;
  private final Consumer<String> announce;
  private final AtomicBoolean asked = new AtomicBoolean();

  /** Reader with rings; null until these are known to work. */
  private volatile RingReader ring;

  /** Reason that rings do not work, once it is known. */
  private volatile String skipped;

  /** Whether the reader is closed. */
  @GuardedBy("this")
  private boolean closed;

  /**
   * Creates a reader without starting the probe.
   *
   * @param probe runs the test, at the first batch and in a separate thread, and returns its result
   * @param announce receives the description of the choice, in a separate thread
   */
  AutoReader(
      MemoryBudget memory, boolean direct, Supplier<RingProbe> probe, Consumer<String> announce) {
    super(new PoolReader(memory, direct));
    this.memory = memory;
    this.direct = direct;
    this.probe = probe;
    this.announce = announce;
  }

  @Override
  public String describe() {
    RingReader chosen = ring;
    if (chosen != null) {
      return chosen.describe();
    }
    return pool.describe() + (skipped == null ? " ring=untried" : " skipped=ring:" + skipped);
  }

  @Override
  public void carry(BlockReadRequest first, BlockReadRequest last, int count) {
    RingReader chosen = ring;
    if (chosen != null) {
      chosen.carry(first, last, count);
      return;
    }
    pool.carry(first, last, count);
    if (!asked.get() && asked.compareAndSet(false, true)) {
      Thread asking = new Thread(this::choose, "coppice-ring-probe");
      asking.setDaemon(true);
      try {
        asking.start();
      } catch (OutOfMemoryError e) {
        // No thread is available now; a later batch tries again.
        asked.set(false);
      }
    }
  }

  private void choose() {
    RingProbe found = probe.get();
    synchronized (this) {
      if (closed) {
        return;
      }
      if (found.reason == null) {
        ring = new RingReader(memory, direct, found.rings, pool);
      } else {
        skipped = found.reason;
      }
    }
    announce.accept(describe());
  }

  @Override
  public long lateNanos() {
    return RingReader.LATE_NANOS;
  }

  @Override
  public boolean late(BlockReadRequest request) {
    RingReader chosen = ring;
    return chosen != null && chosen.late(request);
  }

  /** Closes the reader after the reads in progress, as its pool or rings do; later reads fail. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    if (ring != null) {
      ring.close();
    } else {
      pool.close();
    }
  }
}
