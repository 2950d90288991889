// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.OlderRanks;
import io.coppice.simulator.keys.Permutation;
import io.coppice.simulator.keys.SimulationRandom;
import io.coppice.simulator.keys.SortedKeySet;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.simulator.keys.Zipf;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Model of the exact fidelity: a table is a sorted array of keys, and merges are computed key by
 * key.
 */
final class KeyModel implements ContentModel<SortedKeySet> {

  /** Samples per part in the search for cuts; the cuts of delays need far fewer. */
  private static final int SAMPLES_PER_PART = 64;

  private static final int MAX_ENTRIES = Integer.MAX_VALUE;

  private final int keys;
  private final int entryBytes;
  private final SortedKeySet.TableSize tableSize;
  private final double deletes;
  private final int[] memtable;
  private final long operations;
  private final IntSupplier load;
  private final IntSupplier lookups;
  private final SimulationRandom deletions;
  private final BitSet live = new BitSet();
  private long written;
  private long liveCount;

  KeyModel(Scenario scenario) {
    keys = Math.toIntExact(scenario.keys());
    entryBytes = scenario.entryBytes();
    int tableEntries = (int) Math.min(MAX_ENTRIES, scenario.policy().tableBytes() / entryBytes);
    tableSize = new SortedKeySet.TableSize(tableEntries, scenario.deletionWeight());
    deletes = scenario.workload().deletes();
    operations = scenario.operations();
    long most = Math.max(1, scenario.operationsOf(scenario.memtableBytes()));
    memtable = new int[(int) Math.min(operations, most)];
    SimulationRandom seeds = new SimulationRandom(scenario.seed());
    Permutation scattered = new Permutation(keys, seeds.next());
    load = load(scenario.workload(), scattered, new SimulationRandom(seeds.next()));
    lookups = lookups(scenario.workload(), scattered, new SimulationRandom(seeds.next()));
    deletions = new SimulationRandom(seeds.next());
  }

  private IntSupplier load(WriteWorkload workload, Permutation scattered, SimulationRandom draws) {
    return switch (workload.kind()) {
      case INSERT -> () -> scattered.of((int) written);
      case SEQUENTIAL -> () -> (int) written;
      case UNIFORM_UPDATE -> () -> draws.below(keys);
      case ZIPF -> zipf(workload, scattered, draws);
    };
  }

  /**
   * Returns a source of keys to look up: distributed like the written ones, or equally likely among
   * the present keys if each is written once.
   */
  private IntSupplier lookups(
      WriteWorkload workload, Permutation scattered, SimulationRandom draws) {
    return switch (workload.kind()) {
      case INSERT -> () -> scattered.of(draws.below((int) written));
      case SEQUENTIAL -> () -> draws.below((int) written);
      case UNIFORM_UPDATE -> () -> draws.below(keys);
      case ZIPF -> zipf(workload, scattered, draws);
    };
  }

  private IntSupplier zipf(WriteWorkload workload, Permutation scattered, SimulationRandom draws) {
    Zipf law = new Zipf(keys, workload.exponent());
    return () -> scattered.of(law.draw(draws));
  }

  @Override
  public List<SortedKeySet> flush() {
    int count = (int) Math.min(memtable.length, operations - written);
    for (int i = 0; i < count; i++, written++) {
      int key = load.getAsInt();
      memtable[i] = key;
      boolean exists = deletes == 0 || deletions.unit() >= deletes;
      if (live.get(key) != exists) {
        live.set(key, exists);
        liveCount += exists ? 1 : -1;
      }
    }
    return SortedKeySet.tables(memtable, count, key -> !exists(key), tableSize);
  }

  /** Returns whether the user has written the key and not deleted it since. */
  boolean exists(int key) {
    return live.get(key);
  }

  @Override
  public long ranks() {
    return keys;
  }

  @Override
  public long userEntries() {
    return written;
  }

  @Override
  public double liveEntries() {
    return liveCount;
  }

  @Override
  public List<SortedKeySet> merge(List<SortedKeySet> newestFirst, OlderRanks older) {
    return SortedKeySet.merge(newestFirst, older, tableSize);
  }

  @Override
  public SortedKeySet union(List<SortedKeySet> newestFirst, OlderRanks older) {
    List<SortedKeySet> whole =
        SortedKeySet.merge(
            newestFirst,
            older,
            new SortedKeySet.TableSize(MAX_ENTRIES, tableSize.deletionWeight()));
    return whole.isEmpty() ? null : whole.get(0);
  }

  @Override
  public SortedKeySet window(SortedKeySet content, int low, int high) {
    return content.window(low, high);
  }

  @Override
  public int low(SortedKeySet content) {
    return content.low();
  }

  @Override
  public int high(SortedKeySet content) {
    return content.high();
  }

  @Override
  public double entries(SortedKeySet content) {
    return content.count();
  }

  @Override
  public double deletions(SortedKeySet content) {
    return deletes == 0 ? 0 : content.deletions();
  }

  @Override
  public long bytes(SortedKeySet content) {
    double lighter = deletions(content) * (1 - tableSize.deletionWeight());
    return Math.round((content.count() - lighter) * entryBytes);
  }

  @Override
  public int[] cuts(List<SortedKeySet> contents, int parts) {
    long total = contents.stream().mapToLong(SortedKeySet::count).sum();
    int stride = (int) Math.max(1, total / ((long) SAMPLES_PER_PART * parts));
    int[] samples = new int[(int) (total / stride)];
    int highest = Integer.MIN_VALUE;
    int n = 0;
    long passed = 0;
    for (SortedKeySet keys : contents) {
      highest = Math.max(highest, keys.high());
      // The distance between samples continues from one content to the next, so that small ones
      // count too.
      for (long at = (n + 1L) * stride - 1 - passed; at < keys.count(); at += stride) {
        samples[n++] = keys.get((int) at);
      }
      passed += keys.count();
    }
    Arrays.sort(samples, 0, n);
    int[] cuts = new int[parts - 1];
    int count = 0;
    for (int i = 1; i < parts; i++) {
      int cut = samples[(int) ((long) i * n / parts)];
      if (cut < highest && (count == 0 || cut > cuts[count - 1])) {
        cuts[count++] = cut;
      }
    }
    return Arrays.copyOf(cuts, count);
  }

  @Override
  public int lookup() {
    return lookups.getAsInt();
  }

  @Override
  public boolean finds(SortedKeySet content, int rank) {
    return content.contains(rank);
  }
}
