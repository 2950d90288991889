// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Merge of portions into tables, by expected shares.
 *
 * <ol>
 *   <li>The ends of the portions divide the key range into pieces; inside a piece all shares are
 *       constant.
 *   <li>A piece has a key of a class unless all portions lack it. If keys are never written twice,
 *       the shares add up. The newest portion decides whether it is deleted, and deletions without
 *       older data below are dropped. A deletion applies only to a given share of the keys of its
 *       class.
 *   <li>From the first piece on, a table is cut whenever the table size is reached. Its content is
 *       spread evenly over it from then on.
 *   <li>A cut is shifted at random, by the variation of the number of keys below it. A portion has
 *       an exact number of entries, so the variation is zero at its ends and largest in its middle
 *       (a Brownian bridge).
 * </ol>
 *
 * <p>Used once.
 */
final class Blend {

  private static final Comparator<PortionCell> BY_FROM =
      Comparator.comparingDouble(PortionCell::from);

  /** Fewest entries of a table. A smaller rest stays in the table before it. */
  private static final double MIN_ENTRIES = 0.5;

  /** Number of cells of a full table. */
  private static final int CELLS = 8;

  /**
   * Least width of a cell after its cut was shifted, as a fraction of the width of a full cell at
   * the density there. It is smaller where less space is left.
   */
  private static final double MIN_WIDTH = 0.1;

  private final Popularity popularity;

  /** Share of the keys of each class among which deletions choose. */
  private final double[] deleted;

  private final OlderRanks older;
  private final double cellEntries;
  private final SimulationRandom draws;

  private final int lowest;
  private final int highest;

  /** Cells in ascending order of their start. */
  private final PortionCell[] cells;

  /**
   * Position of each cell's input in the list of inputs, 0 for the newest; empty without deletions.
   */
  private final Map<PortionCell, Integer> ages = new IdentityHashMap<>();

  private final double[] ends;
  private int pieces;

  // One value per piece: its end, its entries per rank, and the variance of the number of keys
  // below a position x as a polynomial v0 + v1 x + v2 x^2.
  private final double[] pieceEnd;
  private final double[] density;
  private final double[] load;
  private final double[] v0;
  private final double[] v1;
  private final double[] v2;
  private final double[][] shares;

  private double total;

  Blend(
      Popularity popularity,
      double[] deleted,
      double tableEntries,
      SimulationRandom draws,
      List<Portion> inputs,
      OlderRanks older) {
    this.popularity = popularity;
    this.deleted = deleted;
    this.older = older;
    cellEntries = tableEntries / CELLS;
    this.draws = draws;
    int low = Integer.MAX_VALUE;
    int high = 0;
    List<PortionCell> all = new ArrayList<>();
    for (Portion portion : inputs) {
      low = Math.min(low, portion.low());
      high = Math.max(high, portion.high());
      all.addAll(portion.cells());
      if (popularity.deletes()) {
        portion.cells().forEach(cell -> ages.put(cell, ages.size()));
      }
    }
    lowest = low;
    highest = high;
    cells = all.toArray(PortionCell[]::new);
    Arrays.sort(cells, BY_FROM);
    double[] bounds = bounds();
    ends = Arrays.copyOf(bounds, bounds.length + 2 * cells.length);
    int most = ends.length;
    pieceEnd = new double[most];
    density = new double[most];
    load = new double[most];
    v0 = new double[most];
    v1 = new double[most];
    v2 = new double[most];
    shares = new double[most][];
    sweep();
  }

  /** Returns the bounds of older data inside the cells, ascending; empty without deletions. */
  private double[] bounds() {
    double first = cells[0].from();
    double last = Arrays.stream(cells).mapToDouble(PortionCell::to).max().orElseThrow();
    return popularity.deletes()
        ? Arrays.stream(older.bounds())
            .asDoubleStream()
            .filter(bound -> first < bound && bound < last)
            .toArray()
        : new double[0];
  }

  private void sweep() {
    int n = ends.length - 2 * cells.length;
    for (PortionCell cell : cells) {
      ends[n++] = cell.from();
      ends[n++] = cell.to();
    }
    Arrays.sort(ends);
    PortionCell[] active = new PortionCell[cells.length];
    int actives = 0;
    int next = 0;
    for (int i = 0; i + 1 < ends.length; i++) {
      double begin = ends[i];
      if (begin == ends[i + 1]) {
        continue;
      }
      int kept = 0;
      for (int j = 0; j < actives; j++) {
        if (active[j].to() > begin) {
          active[kept++] = active[j];
        }
      }
      actives = kept;
      while (next < cells.length && cells[next].from() <= begin) {
        active[actives++] = cells[next++];
      }
      piece(begin, ends[i + 1], active, actives);
    }
  }

  private void piece(double begin, double end, PortionCell[] active, int actives) {
    boolean alone = actives == 1 && !popularity.deletes();
    double[] both = alone ? active[0].shares() : union(active, actives);
    if (popularity.deletes() && !older.covers((int) ((begin + end) / 2))) {
      Arrays.fill(both, popularity.classes(), both.length, 0);
    }
    int piece = pieces++;
    pieceEnd[piece] = end;
    shares[piece] = both;
    if (actives == 0) {
      return;
    }
    density[piece] = alone ? active[0].density() : popularity.entries(both) / PortionModel.RANKS;
    total += density[piece] * (end - begin);
    for (int j = 0; j < actives; j++) {
      PortionCell cell = active[j];
      double a = cell.from();
      double b = cell.to();
      load[piece] += cell.density();
      double scale = cell.variance() / ((b - a) * (b - a));
      v0[piece] -= scale * a * b;
      v1[piece] += scale * (a + b);
      v2[piece] -= scale;
    }
  }

  /**
   * Merges the shares of the first {@code actives} cells. A key counts with the value or deletion
   * of the newest cell that has it.
   *
   * @return an array of shares, see {@link Popularity#shares()}
   */
  private double[] newest(PortionCell[] active, int actives) {
    PortionCell[] byAge = Arrays.copyOf(active, actives);
    Arrays.sort(byAge, Comparator.comparing(ages::get));
    int classes = popularity.classes();
    double[] both = new double[popularity.shares()];
    for (int c = 0; c < classes; c++) {
      double lacking = 1;
      double hidesNothing = 1;
      for (PortionCell cell : byAge) {
        double values = cell.shares()[c];
        double deletions = cell.shares()[c + classes];
        both[c] += lacking * values;
        both[c + classes] += hidesNothing * deletions;
        lacking *= Math.max(0, 1 - values - deletions / deleted[c]);
        hidesNothing *= Math.max(0, 1 - values - deletions);
      }
    }
    return both;
  }

  private double[] union(PortionCell[] active, int actives) {
    if (popularity.deletes()) {
      return newest(active, actives);
    }
    double[] both = new double[popularity.classes()];
    boolean distinct = popularity.distinct();
    for (int c = 0; c < both.length; c++) {
      double all = 0;
      for (int j = 0; j < actives; j++) {
        double share = active[j].shares()[c];
        // A cell crowded by shifted cuts may have shares far above 1. The product of the missing
        // shares then has no meaning.
        double least = Math.min(1, Math.max(all, share));
        all = distinct ? all + share : Math.max(least, all + share - all * share);
      }
      both[c] = all;
    }
    return both;
  }

  /** Returns the tables by ascending key, each cut at the table size. */
  List<Portion> tables() {
    return tables(CELLS);
  }

  /** Returns all tables as one; empty if there are none. */
  List<Portion> whole() {
    return tables(Integer.MAX_VALUE);
  }

  private List<Portion> tables(int cellsOfTable) {
    List<Portion> tables = new ArrayList<>();
    if (total < MIN_ENTRIES && popularity.deletes()) {
      return tables;
    }
    List<PortionCell> row = new ArrayList<>();
    double place = ends[0];
    double begin = place;
    int low = lowest;
    double left = total;
    double room = cellEntries;
    double[] held = new double[popularity.shares()];
    for (int piece = 0; piece < pieces; piece++) {
      double end = pieceEnd[piece];
      double here = density[piece];
      while (here * (end - place) >= room && left - room >= MIN_ENTRIES) {
        double cut = place + room / here;
        hold(held, piece, cut - place);
        double shifted = shifted(cut, piece, begin);
        row.add(cell(begin, shifted, held));
        if (row.size() >= cellsOfTable && low < highest) {
          int high = Math.min(highest - 1, Math.max(low, (int) shifted));
          tables.add(Portion.of(row, low, high));
          row.clear();
          low = Math.min(highest, Math.max(high + 1, (int) (shifted + gap(here))));
        }
        begin = shifted;
        place = cut;
        left -= room;
        room = cellEntries;
        Arrays.fill(held, 0);
      }
      hold(held, piece, end - place);
      room -= here * (end - place);
      left -= here * (end - place);
      place = end;
    }
    row.add(cell(begin, place, held));
    tables.add(Portion.of(row, low, highest));
    return tables;
  }

  /**
   * Returns ascending ranks that cut the portions into parts of equal size, each rank the last of
   * its part. A key in several portions counts several times. All ranks are below the highest rank;
   * there are fewer than {@code parts - 1} if parts are too small.
   */
  int[] quantiles(int parts) {
    double all = 0;
    for (PortionCell cell : cells) {
      all += cell.entries();
    }
    int[] cuts = new int[parts - 1];
    int count = 0;
    int last = lowest - 1;
    double passed = 0;
    double place = ends[0];
    for (int piece = 0, part = 1; piece < pieces && part < parts; piece++) {
      double here = load[piece] * (pieceEnd[piece] - place);
      for (; part < parts && passed + here >= all * part / parts; part++) {
        int cut = (int) (place + (all * part / parts - passed) / load[piece]);
        if (cut > last && cut < highest) {
          cuts[count++] = cut;
          last = cut;
        }
      }
      passed += here;
      place = pieceEnd[piece];
    }
    return Arrays.copyOf(cuts, count);
  }

  private void hold(double[] held, int piece, double width) {
    for (int c = 0; c < held.length; c++) {
      held[c] += shares[piece][c] * width;
    }
  }

  private double shifted(double cut, int piece, double begin) {
    double variance = v0[piece] + cut * (v1[piece] + cut * v2[piece]);
    if (variance <= 0) {
      return cut;
    }
    double shift = Math.sqrt(variance) / density[piece] * bell();
    // A cut moves at most half of the way to the end, and never into the cell before it.
    double most = (cut + ends[ends.length - 1]) / 2;
    double least = begin + Math.min((most - begin) / 2, MIN_WIDTH * cellEntries / density[piece]);
    return Math.max(least, Math.min(most, cut + shift));
  }

  private double gap(double density) {
    return -StrictMath.log(1 - draws.unit()) / density;
  }

  /**
   * Draws a number with mean 0 and variance 1 whose distribution is about normal: the sum of twelve
   * uniform numbers, minus 6.
   */
  private double bell() {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
      sum += draws.unit();
    }
    return sum;
  }

  private PortionCell cell(double from, double to, double[] held) {
    double[] share = new double[held.length];
    for (int c = 0; c < share.length; c++) {
      share[c] = held[c] / (to - from);
    }
    return PortionCell.of(from, to, share, popularity);
  }
}
