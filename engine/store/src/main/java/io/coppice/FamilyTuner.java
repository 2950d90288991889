// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.compaction.FamilyCompactionStatus;
import io.coppice.policy.ShardBounds;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.LoadSample;
import io.coppice.policy.tuner.LookupSkew;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.Tuner;
import io.coppice.read.FamilyReader;
import io.coppice.read.stats.ReadLoad;
import io.coppice.table.TableMeta;
import io.coppice.write.family.FamilyWriteState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The {@link Tuner} of one family with its load samples. Safe to share between threads. The caller
 * that requests switches prevents other changes of the policy at the same time.
 */
final class FamilyTuner {

  /** Maximum number of key hashes examined per sample. */
  private static final int MAX_KEYS = 4096;

  private static final long SECOND = 1_000_000_000L;

  private final FamilyWriteState written;
  private final FamilyReader reader;
  private final Tuner tuner;

  @GuardedBy("this")
  private LookupSkew pairs = LookupSkew.NONE;

  @GuardedBy("this")
  private boolean sampled;

  @GuardedBy("this")
  private long dueNanos;

  FamilyTuner(FamilyWriteState written, FamilyReader reader, RewriteBudget budget) {
    this.written = written;
    this.reader = reader;
    this.tuner = new Tuner(budget);
  }

  /** Returns the nanoseconds until a sample is due; 0 if it is due now or none was taken yet. */
  synchronized long untilDue(long nowNanos) {
    return sampled ? Math.max(0, dueNanos - nowNanos) : 0;
  }

  /**
   * Takes a sample and lets the tuner decide. The tuner's limit on what merges may read is in force
   * on return.
   *
   * @param inForce the family's present policy
   * @param status supplies the present compaction status; called only if keys are sharded
   * @param nowNanos time of the store's workers, with any origin
   * @return a policy switch that the caller must put in force at once; empty if the policy stays
   */
  synchronized Optional<RungSwitch> observe(
      PolicySpec inForce, long nowNanos, Supplier<FamilyCompactionStatus> status) {
    sampled = Tuner.tunes(inForce);
    if (sampled) {
      dueNanos = nowNanos + Tuner.sampleSeconds(inForce) * SECOND;
    }
    int shards = sampled ? Tuner.shards(inForce) : 1;
    return tuner.observe(inForce, sample(nowNanos, shards(shards, status, nowNanos)));
  }

  /**
   * Returns a load sample for each shard. With a single shard, or too few tables to divide the
   * keys, it returns none and stops counting by shard.
   *
   * @param count number of shards that the policy wants
   */
  private List<LoadSample> shards(
      int count, Supplier<FamilyCompactionStatus> statuses, long nowNanos) {
    if (count < 2) {
      return uncounted();
    }
    FamilyCompactionStatus status = statuses.get();
    int[] ends = ShardBounds.ends(status.shape(), count);
    byte[][] keys = new byte[ends.length][];
    for (int i = 0; i < ends.length; i++) {
      if (ends[i] == Integer.MAX_VALUE) {
        return uncounted();
      }
      keys[i] = status.key(ends[i]);
    }
    long[] bytes = ShardBounds.bytes(status.shape(), ends);
    List<LoadSample> shards = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shards.add(
          LoadSample.ofShard(
              nowNanos,
              written.flushedIn().counted(i),
              reader.lookupsIn().counted(i),
              reader.scansIn().counted(i),
              bytes[i]));
    }
    count(keys);
    return shards;
  }

  private List<LoadSample> uncounted() {
    count(new byte[0][]);
    return List.of();
  }

  private void count(byte[][] ends) {
    written.flushedIn().ends(ends);
    reader.lookupsIn().ends(ends);
    reader.scansIn().ends(ends);
  }

  @GuardedBy("this")
  private LoadSample sample(long nowNanos, List<LoadSample> shards) {
    ReadLoad reads = reader.load();
    if (sampled) {
      long[] hashes = new long[MAX_KEYS];
      pairs = pairs.plus(LookupSkew.of(hashes, reader.sampleKeys(hashes)));
    }
    long tableBytes = 0;
    long tableEntries = 0;
    for (TableMeta table : written.versions().current().tables()) {
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
        tableEntries,
        shards);
  }
}
