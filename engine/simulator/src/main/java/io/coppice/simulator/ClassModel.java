// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.simulator.keys.Popularity;
import io.coppice.simulator.keys.Portion;
import io.coppice.simulator.keys.PortionCell;
import io.coppice.simulator.keys.PortionModel;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.List;

/**
 * Model of tables without individual keys: a table knows the share that it holds of each class of
 * similarly popular keys. A flush holds the share of a class's keys that are expected to be drawn
 * at least once in its number of draws. A merge lacks a key only if all its inputs lack it,
 * independently of each other. All classes are spread evenly over the key range.
 *
 * <p>Shares are expected values; randomness enters only at the ends of tables. The first and the
 * last key of a table differ from the ends of its range by the variation of the number of keys
 * between two positions. Without this, tables of different runs would end at the same keys, unlike
 * in any real store, and partial merges would be too cheap.
 *
 * <p>Source: tier T1 of Coppice's simulator design; see {@code docs/explanation/simulator.md}.
 */
final class ClassModel extends PortionModel {

  private final Grain grain;
  private final WriteWorkload.Kind kind;
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

  /** Creates a model whose tables may represent several real ones. */
  ClassModel(Scenario scenario, Grain grain) {
    super(
        Popularity.of(scenario.workload(), scenario.keys(), scenario.deletionWeight()),
        scenario.policy().tableBytes() / scenario.entryBytes(),
        scenario.seed());
    this.grain = grain;
    kind = scenario.workload().kind();
    keys = scenario.keys();
    entryBytes = scenario.entryBytes();
    operations = scenario.operations();
    flushOperations = Math.max(1, scenario.operationsOf(scenario.memtableBytes()));
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
    if (kind == WriteWorkload.Kind.SEQUENTIAL) {
      from = written / keys * RANKS;
      to = (written + count) / keys * RANKS;
      shares = new double[] {1};
    }
    written += count;
    touched = popularity.touched(written);
    liveEntries = popularity.values(touched);
    return blend(List.of(memtable(from, to, shares)));
  }

  private Portion memtable(double from, double to, double[] shares) {
    PortionCell cell = PortionCell.of(from, to, shares, popularity);
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

  /** Draws the rank of a written key with the probabilities of the load. */
  @Override
  public int lookup() {
    double all = 0;
    for (int c = 0; c < popularity.classes(); c++) {
      all += load(c);
    }
    double dice = draws.unit() * all;
    lookedUpClass = 0;
    while (lookedUpClass < popularity.classes() - 1 && dice >= load(lookedUpClass)) {
      dice -= load(lookedUpClass++);
    }
    boolean ascending = kind == WriteWorkload.Kind.SEQUENTIAL;
    chanceLeft = ascending ? 1 : popularity.held(touched, lookedUpClass);
    return (int) (draws.unit() * (ascending ? written / keys : 1) * RANKS);
  }

  private double load(int c) {
    return popularity.keys(c) * popularity.chance(c) * popularity.held(touched, c);
  }

  @Override
  public boolean finds(Portion content, int rank) {
    PortionCell cell = content.at(rank);
    if (cell == null) {
      return false;
    }
    double share = popularity.held(cell.shares(), lookedUpClass);
    boolean found = draws.unit() * chanceLeft < share;
    // Probability that an older table has the key, given that it was written and this table lacks
    // it.
    chanceLeft -= share;
    if (!popularity.distinct()) {
      chanceLeft /= 1 - share;
    }
    return found;
  }
}
