// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

import io.coppice.simulator.keys.Popularity;
import io.coppice.simulator.keys.Portion;
import io.coppice.simulator.keys.PortionCell;
import io.coppice.simulator.keys.PortionModel;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.Arrays;
import java.util.List;

/**
 * Model of the tables of a live store as shares of its keys. Only the key range and the numbers of
 * entries and deletions of the initial tables are known. Their keys are therefore taken as drawn by
 * the load, independently of other tables. Apart from these tables, and from deletions, which
 * choose among the keys that exist, it is the {@code ClassModel}.
 */
final class LiveModel extends PortionModel {

  /** Halvings in the search for a number of draws: enough for a share of 1e-9. */
  private static final int HALVINGS = 60;

  /** Least share of existing keys among which deletions choose. */
  private static final double MIN_EXISTING = 1e-12;

  private final LiveLoad load;

  /** Popularity of the keys if the load had no deletions. */
  private final Popularity written;

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
    super(
        popularity(
            load.exponent(),
            load.deletes(),
            WriteWorkload.deletionWeight(load.entryBytes()),
            load.keys()),
        tableBytes / load.entryBytes(),
        load.seed());
    this.load = load;
    written = popularity(load.exponent(), 0, 1, load.keys());
    flushShares = drawn(load.flushEntries(), load.deletes());
    live = new double[popularity.classes()];
  }

  /**
   * Returns the popularity of a number of keys, by class.
   *
   * @param exponent exponent of Zipf's law; 0 if all keys are equally likely
   * @param deletes share of the entries that delete a key
   * @param deletionWeight size of a deletion divided by that of an entry with a value
   */
  static Popularity popularity(
      double exponent, double deletes, double deletionWeight, double keys) {
    WriteWorkload.Kind kind =
        exponent == 0 ? WriteWorkload.Kind.UNIFORM_UPDATE : WriteWorkload.Kind.ZIPF;
    return Popularity.of(
        new WriteWorkload(kind, exponent, deletes),
        (long) Math.max(1, Math.min(1e15, keys)),
        deletionWeight);
  }

  /**
   * Returns the shares of each class of keys among this many distinct keys that the load draws.
   *
   * @param deletes the share of them that have a deletion
   */
  private double[] drawn(double entries, double deletes) {
    double[] drawn = drawn(entries);
    double[] shares = new double[popularity.shares()];
    for (int c = 0; c < drawn.length; c++) {
      shares[c] = popularity.deletes() ? drawn[c] * (1 - deletes) : drawn[c];
      if (popularity.deletes()) {
        shares[c + drawn.length] = drawn[c] * deletes;
      }
    }
    return shares;
  }

  private double[] drawn(double entries) {
    if (written.classes() == 1) {
      return new double[] {Math.min(1, entries / written.keys(0))};
    }
    double low = 0;
    double high = 1;
    while (written.entries(written.touched(high)) < entries && high < Long.MAX_VALUE) {
      high *= 2;
    }
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      if (written.entries(written.touched(middle)) < entries) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return written.touched(high);
  }

  /**
   * Returns the content that a slice of the live store has in this model.
   *
   * @param least the lowest rank that the content may have
   */
  Portion found(LiveSlice slice, int least) {
    // TokenCutter rounds the first rank of a shard up. A slice that begins at that bound must not
    // begin with a lower rank, which belongs to the neighboring shard.
    int begin = (int) Math.min(RANKS - 2, Math.ceil(slice.low() * RANKS));
    int low = Math.max(least, begin);
    int high = Math.max(low + 1, (int) (slice.high() * (RANKS - 1)));
    double width = (double) (high - low) / RANKS;
    double deletes = Math.min(1, slice.deletions() / Math.max(1.0, slice.entries()));
    double[] shares = drawn(slice.entries() / width, deletes);
    return Portion.of(List.of(PortionCell.of(low, high, shares, popularity)), low, high - 1);
  }

  /** Returns the number of classes of keys. */
  int classes() {
    return popularity.classes();
  }

  /** Returns the share of the keys of a class that have a deletion in a content. */
  double deletions(Portion content, int c) {
    return popularity.held(shares(content), c) - shares(content)[c];
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
      live[c] -= Math.min(live[c], popularity.held(flushShares, c) - flushShares[c]);
    }
    PortionCell cell = PortionCell.of(0, RANKS, flushShares, popularity);
    double gap = RANKS / Math.max(1, cell.entries());
    int low = (int) Math.min(RANKS / 4.0, gap * -StrictMath.log(1 - draws.unit()));
    int high = RANKS - 1 - (int) Math.min(RANKS / 4.0, gap * -StrictMath.log(1 - draws.unit()));
    return blend(List.of(Portion.of(List.of(cell), low, high)));
  }

  @Override
  protected double[] deleted() {
    return Arrays.stream(live).map(share -> Math.max(MIN_EXISTING, share)).toArray();
  }

  @Override
  public long userEntries() {
    return Math.round(flushed * load.flushEntries());
  }

  @Override
  public double liveEntries() {
    return popularity.values(live);
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
    return cell != null && draws.unit() < popularity.held(cell.shares(), lookedUpClass);
  }
}
