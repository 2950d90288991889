// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

import io.coppice.simulator.keys.Popularity;
import io.coppice.simulator.keys.Portion;
import io.coppice.simulator.keys.PortionCell;
import io.coppice.simulator.keys.PortionModel;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.List;

/**
 * Model of the tables of a live store as shares of its keys. Only the key range and number of
 * entries of the initial tables are known. Their keys are therefore taken as drawn by the load,
 * independently of other tables. Apart from these tables, it is the {@code ClassModel}.
 */
final class LiveModel extends PortionModel {

  /** Halvings in the search for a number of draws: enough for a share of 1e-9. */
  private static final int HALVINGS = 60;

  private final LiveLoad load;
  private final double[] flushShares;
  private final double[] live;
  private int flushed;
  private int lookedUpClass;

  /**
   * Creates a model without tables.
   *
   * @param tableBytes bytes of an output table of merges
   */
  LiveModel(LiveLoad load, long tableBytes) {
    super(popularity(load.exponent(), load.keys()), tableBytes / load.entryBytes(), load.seed());
    this.load = load;
    flushShares = drawn(load.flushEntries());
    live = new double[popularity.classes()];
  }

  /**
   * Returns the popularity of a number of keys, by class.
   *
   * @param exponent exponent of Zipf's law; 0 if all keys are equally likely
   */
  static Popularity popularity(double exponent, double keys) {
    WriteWorkload.Kind kind =
        exponent == 0 ? WriteWorkload.Kind.UNIFORM_UPDATE : WriteWorkload.Kind.ZIPF;
    return Popularity.of(
        new WriteWorkload(kind, exponent), (long) Math.max(1, Math.min(1e15, keys)));
  }

  /** Returns the shares of each class of keys among this many distinct keys that the load draws. */
  private double[] drawn(double entries) {
    if (popularity.classes() == 1) {
      return new double[] {Math.min(1, entries / popularity.keys(0))};
    }
    double low = 0;
    double high = 1;
    while (popularity.entries(popularity.touched(high)) < entries && high < Long.MAX_VALUE) {
      high *= 2;
    }
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      if (popularity.entries(popularity.touched(middle)) < entries) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return popularity.touched(high);
  }

  /**
   * Returns the content that a slice of the live store has in this model.
   *
   * @param least the lowest rank that the content may have
   */
  Portion found(LiveSlice slice, int least) {
    // A token bound of outputs has the next rank up, see TokenCutter. A lower rank of a slice that
    // begins there would lie in the neighboring shard.
    int begin = (int) Math.min(RANKS - 2, Math.ceil(slice.low() * RANKS));
    int low = Math.max(least, begin);
    int high = Math.max(low + 1, (int) (slice.high() * (RANKS - 1)));
    double width = (double) (high - low) / RANKS;
    double[] shares = drawn(slice.entries() / width);
    return Portion.of(List.of(PortionCell.of(low, high, shares, popularity)), low, high - 1);
  }

  /** Returns the number of classes of keys. */
  int classes() {
    return popularity.classes();
  }

  /** Sets the share of each class of keys that the store has before the first flush. */
  void live(double[] shares) {
    System.arraycopy(shares, 0, live, 0, live.length);
  }

  /** Returns the shares of the keys in its range that a content holds, by class. */
  static double[] shares(Portion content) {
    return content.cells().get(0).shares();
  }

  @Override
  public List<Portion> flush() {
    if (flushed == load.flushes()) {
      return List.of();
    }
    flushed++;
    for (int c = 0; c < live.length; c++) {
      live[c] += flushShares[c] - live[c] * flushShares[c];
    }
    PortionCell cell = PortionCell.of(0, RANKS, flushShares, popularity);
    double gap = RANKS / Math.max(1, cell.entries());
    int low = (int) Math.min(RANKS / 4.0, gap * -StrictMath.log(1 - draws.unit()));
    int high = RANKS - 1 - (int) Math.min(RANKS / 4.0, gap * -StrictMath.log(1 - draws.unit()));
    return blend(List.of(Portion.of(List.of(cell), low, high)));
  }

  @Override
  public long userEntries() {
    return Math.round(flushed * load.flushEntries());
  }

  @Override
  public double liveEntries() {
    return popularity.entries(live);
  }

  @Override
  public long bytes(Portion content) {
    return Math.max(1, Math.round(content.entries() * load.entryBytes()));
  }

  @Override
  public int lookup() {
    double dice = draws.unit();
    lookedUpClass = 0;
    while (lookedUpClass < popularity.classes() - 1 && dice >= weight(lookedUpClass)) {
      dice -= weight(lookedUpClass++);
    }
    return (int) (draws.unit() * RANKS);
  }

  private double weight(int c) {
    return popularity.keys(c) * popularity.chance(c);
  }

  @Override
  public boolean finds(Portion content, int rank) {
    PortionCell cell = content.at(rank);
    return cell != null && draws.unit() < cell.shares()[lookedUpClass];
  }
}
