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
 * entries of the initial tables are known. Their keys are therefore taken as drawn uniformly,
 * independently of other tables. Apart from these tables, it is the {@code ClassModel} with one
 * class.
 */
final class LiveModel extends PortionModel {

  private final LiveLoad load;
  private final double flushShare;
  private int flushed;
  private double live;

  /**
   * Creates a model without tables.
   *
   * @param tableBytes bytes of an output table of merges
   */
  LiveModel(LiveLoad load, long tableBytes) {
    super(
        Popularity.of(new WriteWorkload(WriteWorkload.Kind.UNIFORM_UPDATE, 0), keys(load)),
        tableBytes / load.entryBytes(),
        load.seed());
    this.load = load;
    flushShare = Math.min(1, load.flushEntries() / keys(load));
  }

  private static long keys(LiveLoad load) {
    return (long) Math.max(1, Math.min(1e15, load.keys()));
  }

  /**
   * Returns the content that a slice of the live store has in this model.
   *
   * @param least the lowest rank that the content may have
   */
  Portion found(LiveSlice slice, int least) {
    int low = Math.max(least, (int) (slice.low() * (RANKS - 2)));
    int high = Math.max(low + 1, (int) (slice.high() * (RANKS - 1)));
    double width = (double) (high - low) / RANKS;
    double share = Math.min(1, slice.entries() / (popularity.keys(0) * width));
    double[] shares = {share};
    return Portion.of(List.of(PortionCell.of(low, high, shares, popularity)), low, high - 1);
  }

  /** Sets the share of all keys that the store has before the first flush. */
  void live(double share) {
    live = share;
  }

  /** Returns the share of the keys in its range that a content holds. */
  static double share(Portion content) {
    return content.cells().get(0).shares()[0];
  }

  @Override
  public List<Portion> flush() {
    if (flushed == load.flushes()) {
      return List.of();
    }
    flushed++;
    live += flushShare - live * flushShare;
    PortionCell cell = PortionCell.of(0, RANKS, new double[] {flushShare}, popularity);
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
    return popularity.keys(0) * live;
  }

  @Override
  public long bytes(Portion content) {
    return Math.max(1, Math.round(content.entries() * load.entryBytes()));
  }

  @Override
  public int lookup() {
    return (int) (draws.unit() * RANKS);
  }

  @Override
  public boolean finds(Portion content, int rank) {
    PortionCell cell = content.at(rank);
    return cell != null && draws.unit() < cell.shares()[0];
  }
}
