// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.write.WriteListener;

/**
 * Listener of the write path that counts its events and wakes the compactor. Safe to share between
 * threads.
 */
final class WriteEvents implements WriteListener {

  private final StoreParts parts;

  WriteEvents(StoreParts parts) {
    this.parts = parts;
  }

  @Override
  public void accepted(long bytes) {
    if (parts.options.counting) {
      parts.metrics.acceptedBytes.inc(bytes);
    }
  }

  @Override
  public void flushed(long bytes) {
    parts.metrics.add(CompactionMetricId.FLUSHES, 1);
    parts.metrics.add(CompactionMetricId.FLUSHED_BYTES, bytes);
    for (FamilyParts family : parts.families.all()) {
      family.counts().written();
    }
    parts.compactor.signal();
  }

  @Override
  public void stalled(long nanos) {
    parts.metrics.stalls.inc();
    parts.metrics.stalledNanos.inc(nanos);
  }

  @Override
  public void waitsForMerges(int family) {
    parts.compactor.retry(family);
  }

  @Override
  public void troubled(String what, Throwable cause) {
    StoreParts.log(System.Logger.Level.WARNING, what, cause);
  }

  @Override
  public void failed(String what, Throwable cause) {
    StoreParts.log(System.Logger.Level.ERROR, "the store is read-only: " + what, cause);
  }
}
