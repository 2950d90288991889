// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.policy.KeyPairs;
import io.coppice.policy.LoadSample;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Rewrites;
import io.coppice.policy.Switch;
import io.coppice.policy.Tuner;
import io.coppice.read.ReadLoad;
import io.coppice.read.Reader;
import io.coppice.table.TableMeta;
import io.coppice.write.WrittenFamily;
import java.util.Optional;

/**
 * The {@link Tuner} of one family, and what it is told of how the family is used. Safe to share
 * between threads; who asks for switches holds off every other change of the policy meanwhile.
 */
final class FamilyTuner {

  /** Hashes of keys looked at of a sample, at most. */
  private static final int MOST_KEYS = 4096;

  private static final long SECOND = 1_000_000_000L;

  private final WrittenFamily written;
  private final Reader reader;
  private final Tuner tuner;

  // All below: guarded by this.
  private KeyPairs pairs = KeyPairs.NONE;
  private boolean sampled;
  private long dueNanos;

  FamilyTuner(WrittenFamily written, Reader reader, Rewrites rewrites) {
    this.written = written;
    this.reader = reader;
    this.tuner = new Tuner(rewrites);
  }

  /** Nanoseconds until a sample is due; 0 if it is. */
  synchronized long untilDue(long nowNanos) {
    return sampled ? Math.max(0, dueNanos - nowNanos) : 0;
  }

  /**
   * Takes a sample, and lets the tuner decide; what merges may read is in force afterwards.
   *
   * @param inForce the policy that decides
   * @return a switch that is to be put in force at once
   */
  synchronized Optional<Switch> observe(PolicySpec inForce, long nowNanos) {
    sampled = Tuner.tunes(inForce);
    if (sampled) {
      dueNanos = nowNanos + Tuner.sampleSeconds(inForce) * SECOND;
    }
    return tuner.observe(inForce, sample(nowNanos));
  }

  private LoadSample sample(long nowNanos) {
    ReadLoad reads = reader.load();
    if (sampled) {
      long[] hashes = new long[MOST_KEYS];
      pairs = pairs.plus(KeyPairs.of(hashes, reader.sampleKeys(hashes)));
    }
    long tableBytes = 0;
    long tableEntries = 0;
    for (TableMeta table : written.lineage().current().tables()) {
      tableBytes += table.bytes();
      tableEntries += table.entries();
    }
    return new LoadSample(
        nowNanos,
        written.writtenEntries(),
        written.writtenBytes(),
        reads.lookups(),
        reads.misses(),
        reads.scans(),
        reads.scannedEntries(),
        reads.lookupNanos(),
        written.flushes(),
        written.flushedBytes(),
        written.sealedEntries(),
        written.flushedEntries(),
        pairs.pairs(),
        pairs.equal(),
        tableBytes,
        tableEntries);
  }
}
