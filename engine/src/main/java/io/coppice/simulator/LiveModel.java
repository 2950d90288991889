// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.List;

/**
 * The tables of a living store as shares of its keys: what is known of a table is where it lies and
 * how many entries it has, so it is taken to hold keys that were drawn evenly, independent of what
 * others hold. It is the {@link ClassModel} with one class and a start.
 */
final class LiveModel extends PortionModel {

  private final LiveLoad load;
  private final double flushShare;
  private int flushed;
  private double live;

  /**
   * A model of nothing yet.
   *
   * @param tableBytes at which merges cut
   */
  LiveModel(LiveLoad load, long tableBytes) {
    super(
        Popularity.of(new Workload(Workload.Kind.UNIFORM_UPDATE, 0), keys(load)),
        tableBytes / load.entryBytes(),
        load.seed());
    this.load = load;
    flushShare = Math.min(1, load.flushEntries() / keys(load));
  }

  private static long keys(LiveLoad load) {
    return (long) Math.max(1, Math.min(1e15, load.keys()));
  }

  /** What a slice holds, at or behind a rank. */
  Portion found(LiveSlice slice, int least) {
    int low = Math.max(least, (int) (slice.low() * (RANKS - 2)));
    int high = Math.max(low + 1, (int) (slice.high() * (RANKS - 1)));
    double width = (double) (high - low) / RANKS;
    double share = Math.min(1, slice.entries() / (popularity.keys(0) * width));
    double[] shares = {share};
    return Portion.of(List.of(Cell.of(low, high, shares, popularity)), low, high - 1);
  }

  /** Notes which share of all keys is there from the start. */
  void live(double share) {
    live = share;
  }

  /** The share of its keys that a content holds where it lies. */
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
    Cell cell = Cell.of(0, RANKS, new double[] {flushShare}, popularity);
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
    Cell cell = content.at(rank);
    return cell != null && draws.unit() < cell.shares()[0];
  }
}
