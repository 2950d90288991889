// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.Arrays;
import java.util.List;

/**
 * Base of models whose tables are {@link Portion}s of keys spread evenly over the key range. Used
 * by one thread.
 */
public abstract class PortionModel implements ContentModel<Portion> {

  /**
   * Number of ranks in the key range: enough for a million tables, and sums of two ranks fit into
   * an int.
   */
  public static final int RANKS = 1 << 30;

  /** Keys of the workload, in classes of similar popularity. */
  protected final Popularity popularity;

  /** Source of random numbers. */
  protected final SimulationRandom draws;

  private final double tableEntries;
  private final double[] everyKey;

  /**
   * Creates a model without tables.
   *
   * @param tableEntries size of an output table of merges, in entries with values; less than 1
   *     counts as 1
   * @param seed seed of the random numbers
   */
  protected PortionModel(Popularity popularity, double tableEntries, long seed) {
    this.popularity = popularity;
    this.tableEntries = Math.max(1, tableEntries);
    this.draws = new SimulationRandom(seed);
    everyKey = new double[popularity.classes()];
    Arrays.fill(everyKey, 1);
  }

  /**
   * Merges portions into tables by ascending key; all deletions stay.
   *
   * @param portions in the order that {@link #merge} requires
   */
  protected final List<Portion> blend(List<Portion> portions) {
    return blended(portions, OlderRanks.ALL).tables();
  }

  private Blend blended(List<Portion> portions, OlderRanks older) {
    return new Blend(popularity, deleted(), tableEntries, draws, portions, older);
  }

  /**
   * Returns, for each class, the share of its keys among which deletions choose; by default all, so
   * that a deletion may hide no value.
   */
  protected double[] deleted() {
    return everyKey;
  }

  @Override
  public final long ranks() {
    return RANKS;
  }

  @Override
  public final List<Portion> merge(List<Portion> newestFirst, OlderRanks older) {
    return blended(newestFirst, older).tables();
  }

  @Override
  public final Portion union(List<Portion> newestFirst, OlderRanks older) {
    List<Portion> whole = blended(newestFirst, older).whole();
    return whole.isEmpty() ? null : whole.get(0);
  }

  @Override
  public final Portion window(Portion content, int low, int high) {
    return content.window(low, high);
  }

  @Override
  public final int low(Portion content) {
    return content.low();
  }

  @Override
  public final int high(Portion content) {
    return content.high();
  }

  @Override
  public final double entries(Portion content) {
    return content.entries() + (1 - popularity.deletionWeight()) * deletions(content);
  }

  @Override
  public final double deletions(Portion content) {
    double deletions = 0;
    for (int i = 0; popularity.deletes() && i < content.cells().size(); i++) {
      PortionCell cell = content.cells().get(i);
      deletions += popularity.deletions(cell.shares()) * (cell.to() - cell.from()) / RANKS;
    }
    return deletions;
  }

  @Override
  public final int[] cuts(List<Portion> contents, int parts) {
    return blended(contents, OlderRanks.ALL).quantiles(parts);
  }
}
