// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.List;

/**
 * Tables without keys: of each class of keys of like popularity a table knows the share that it
 * holds. A flush holds of a class what so many draws touch; a merge holds a key unless none of its
 * inputs does, which are independent of each other. All classes are spread alike over the key
 * range.
 *
 * <p>Shares are expectations; chance enters in one place only. The first and the last key of a
 * table do not lie exactly where its share of the key range ends, but off by what the number of
 * keys between two places varies. Without it tables of different runs would end at the very same
 * keys, which no real store does, and partial merges would be too cheap.
 *
 * <p>Source: tier T1 of the simulator's design, ours; see {@code docs/explanation/simulator.md}.
 */
final class ClassModel extends PortionModel {

  private final Grain grain;
  private final Workload.Kind kind;
  private final int entryBytes;
  private final double keys;
  private final long operations;
  private final long flushOperations;

  private final double[] fullFlush;
  private long written;
  private double[] touched;
  private double liveEntries;
  private int lookedUpClass;
  private double chanceLeft;

  ClassModel(Scenario scenario) {
    this(scenario, Grain.REAL);
  }

  /** A model whose tables may be larger than real ones. */
  ClassModel(Scenario scenario, Grain grain) {
    super(
        Popularity.of(scenario.workload(), scenario.keys()),
        scenario.policy().tableBytes() / scenario.entryBytes(),
        scenario.seed());
    this.grain = grain;
    kind = scenario.workload().kind();
    keys = scenario.keys();
    entryBytes = scenario.entryBytes();
    operations = scenario.operations();
    flushOperations = Math.max(1, scenario.memtableBytes() / entryBytes);
    fullFlush = popularity.touched(flushOperations);
  }

  @Override
  public List<Portion> flush() {
    long count = Math.min(flushOperations, operations - written);
    if (count == 0) {
      return List.of();
    }
    double from = 0;
    double to = RANKS;
    double[] shares = count == flushOperations ? fullFlush : popularity.touched(count);
    if (kind == Workload.Kind.SEQUENTIAL) {
      from = written / keys * RANKS;
      to = (written + count) / keys * RANKS;
      shares = new double[] {1};
    }
    written += count;
    touched = popularity.touched(written);
    liveEntries = popularity.entries(touched);
    return blend(List.of(memtable(from, to, shares)));
  }

  private Portion memtable(double from, double to, double[] shares) {
    Cell cell = Cell.of(from, to, shares, popularity);
    double gap = (to - from) / cell.entries();
    int low = (int) (from + Math.min(gap * -StrictMath.log(1 - draws.unit()), (to - from) / 4));
    int high = (int) (to - 1 - Math.min(gap * -StrictMath.log(1 - draws.unit()), (to - from) / 4));
    return Portion.of(List.of(cell), low, Math.max(low, high));
  }

  @Override
  public long userEntries() {
    return written;
  }

  @Override
  public double liveEntries() {
    return liveEntries;
  }

  @Override
  public long peakBytes(long simulatedBytes, int runs, int cleaningThreshold) {
    return grain.peakBytes(simulatedBytes, runs, cleaningThreshold);
  }

  @Override
  public long bytes(Portion content) {
    return Math.round(content.entries() * entryBytes);
  }

  /** A written key, drawn as the load draws. */
  @Override
  public int lookup() {
    double all = 0;
    for (int c = 0; c < touched.length; c++) {
      all += load(c);
    }
    double dice = draws.unit() * all;
    lookedUpClass = 0;
    while (lookedUpClass < touched.length - 1 && dice >= load(lookedUpClass)) {
      dice -= load(lookedUpClass++);
    }
    boolean ascending = kind == Workload.Kind.SEQUENTIAL;
    chanceLeft = ascending ? 1 : touched[lookedUpClass];
    return (int) (draws.unit() * (ascending ? written / keys : 1) * RANKS);
  }

  private double load(int c) {
    return popularity.keys(c) * popularity.chance(c) * touched[c];
  }

  @Override
  public boolean finds(Portion content, int rank) {
    Cell cell = content.at(rank);
    if (cell == null) {
      return false;
    }
    double share = cell.shares()[lookedUpClass];
    boolean found = draws.unit() * chanceLeft < share;
    // What is left for older tables, given that the key was written but is not here.
    chanceLeft -= share;
    if (!popularity.distinct()) {
      chanceLeft /= 1 - share;
    }
    return found;
  }
}
