// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.spec.LevelGrowth;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.Popularity;
import java.util.ArrayList;
import java.util.List;

/**
 * Choice of the {@linkplain LevelWindow windows} that together simulate all levels of a store too
 * large to simulate at once, the uppermost first.
 *
 * <p>If levels have target sizes, the work in a level depends on the ratio of its size to the table
 * size. A store with larger tables, base size and memtable therefore behaves like the lower levels
 * of the large store. If whole runs are merged in fixed numbers, a store whose memtable is as large
 * as a run of some level behaves exactly like the levels below it.
 */
final class Windows {

  /** Number of tables that the data of the deepest window fills, if levels have targets. */
  private static final double TABLES = 4000;

  /**
   * Fewest tables of a <em>large</em> level, whose work no longer depends on its number of tables.
   */
  private static final double LARGE_LEVEL = 100;

  /**
   * Bytes written in a window, divided by the bytes of its levels. The levels are then full for the
   * second half of the load.
   */
  private static final double ROUNDS = 2.5;

  /**
   * Most tables of all levels of a window that is not the deepest, unless its large level needs
   * more.
   */
  private static final double WINDOW_TABLES = 2000;

  /** Fewest flushes of the uppermost window, so that it has many merges of level 0. */
  private static final double FLUSHES = 200;

  /** Most tables per flush of the uppermost window. */
  private static final double FLUSH_TABLES = 16;

  private static final int BASE_TABLES = 5;
  private static final double MEMTABLE_TABLES = 2;

  /** Most flushes of a window of whole runs, divided by the growth factor. */
  private static final double WHOLE_FLUSHES = 2048;

  private final Scenario scenario;
  private final double tables;
  private final double wholeFlushes;
  private final LevelGrowth growth;
  private final Popularity popularity;
  private final List<LevelWindow> windows = new ArrayList<>();

  /** Creates the windows of a store whose policy has a growth law. */
  Windows(Scenario scenario, LevelGrowth growth) {
    this(scenario, growth, TABLES, WHOLE_FLUSHES);
  }

  /**
   * Creates windows with other sizes, for tests.
   *
   * @param tables replaces {@link #TABLES}
   * @param wholeFlushes replaces {@link #WHOLE_FLUSHES}
   */
  Windows(Scenario scenario, LevelGrowth growth, double tables, double wholeFlushes) {
    this.scenario = scenario;
    this.growth = growth;
    this.tables = tables;
    this.wholeFlushes = wholeFlushes;
    popularity = Popularity.of(scenario.workload(), scenario.keys());
    if (growth.shape() == LevelGrowth.Levels.TARGETS) {
      targets();
    } else {
      wholeRuns();
    }
  }

  /** Returns the windows, the uppermost first; only the last is {@link LevelWindow#complete}. */
  List<LevelWindow> windows() {
    return windows;
  }

  private void targets() {
    double base = LevelGrowth.baseBytes(scenario.policy());
    double bottomTable = scenario.dataBytes() / tables;
    int bottom = 0;
    while (base * power(bottom) < BASE_TABLES * bottomTable && bottom < deepest()) {
      bottom++;
    }
    LevelWindow top = top(base);
    windows.add(top);
    int shown = top.lastLevel();
    int first = firstLarge(base * power(bottom), bottomTable);
    while (shown + 1 < bottom + first) {
      // The next level to show becomes the first large level of this window.
      double table = base / BASE_TABLES;
      int shift = shown + 1 - firstLarge(BASE_TABLES, 1);
      table *= power(shift);
      LevelWindow window = middle(shift, table);
      windows.add(window);
      shown = shift + window.lastLevel();
    }
    windows.add(
        window(bottom, bottomTable, base * power(bottom), scenario.writeBytes(), first, true));
  }

  private LevelWindow top(double base) {
    double table =
        Math.max(scenario.policy().tableBytes(), scenario.memtableBytes() / FLUSH_TABLES);
    int last = Math.max(firstLarge(base, table), lastOf(base, table));
    double bytes = Math.max(ROUNDS * upTo(last, base), FLUSHES * scenario.memtableBytes());
    return window(0, table, base, written(bytes), 0, false).upTo(last);
  }

  private LevelWindow middle(int shift, double table) {
    double base = BASE_TABLES * table;
    int first = firstLarge(base, table);
    int last = Math.max(first, lastOf(base, table));
    return window(shift, table, base, written(ROUNDS * upTo(last, base)), first, false).upTo(last);
  }

  /**
   * Returns the bytes that the user writes until this many bytes of distinct keys exist; the whole
   * load if it has fewer.
   */
  private long written(double distinctBytes) {
    double most = scenario.operations();
    if (live(most) <= distinctBytes) {
      return scenario.writeBytes();
    }
    double least = 0;
    while (most - least > 1) {
      double middle = (least + most) / 2;
      if (live(middle) < distinctBytes) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return (long) most * scenario.entryBytes();
  }

  private double live(double operations) {
    return popularity.entries(popularity.touched(operations)) * scenario.entryBytes();
  }

  private int firstLarge(double base, double table) {
    int level = 1;
    while (base * power(level - 1) < LARGE_LEVEL * table) {
      level++;
    }
    return level;
  }

  /**
   * Returns the last level of a window that keeps all its levels together below {@link
   * #WINDOW_TABLES} tables.
   *
   * @param base target bytes of level 1
   * @param table bytes of a table
   */
  private int lastOf(double base, double table) {
    int level = 1;
    while (upTo(level + 1, base) <= WINDOW_TABLES * table) {
      level++;
    }
    return level;
  }

  /**
   * Returns the sum of the target bytes of levels 1 to {@code level}, inclusive.
   *
   * @param base target bytes of level 1
   */
  private double upTo(int level, double base) {
    return base * (power(level) - 1) / (growth.factor() - 1);
  }

  /** Returns the deepest start of a window: the level above the deepest of the policy. */
  private int deepest() {
    return scenario.policy().limits().maxLevel() - 1;
  }

  private double power(int levels) {
    return StrictMath.pow(growth.factor(), levels);
  }

  private LevelWindow window(
      int shift, double table, double base, long writeBytes, int first, boolean complete) {
    double real = scenario.policy().tableBytes();
    double memtable = shift == 0 && !complete ? scenario.memtableBytes() : MEMTABLE_TABLES * table;
    PolicySpec policy = LevelGrowth.scaled(scenario.policy(), shift, table, base, complete);
    Grain grain = new Grain((long) real, table / real, false);
    // A table that represents many is read as rarely as one of them.
    double reads = scenario.readsPerWrite() / grain.tables();
    // The policy takes each simulated table for a real one, and so its space, which is scaled.
    double space = scenario.transientBytes() * grain.tables();
    return new LevelWindow(
        scaled(policy, writeBytes, memtable, reads, (long) space),
        grain,
        shift,
        first,
        complete ? Integer.MAX_VALUE : first);
  }

  private void wholeRuns() {
    double flushes = (double) scenario.writeBytes() / scenario.memtableBytes();
    int bottom = 0;
    while (flushes / power(bottom) > wholeFlushes * growth.factor() && bottom < deepest()) {
      bottom++;
    }
    int last = 1;
    while (2 * power(last + 2) <= wholeFlushes) {
      last++;
    }
    for (int shift = 0; shift < bottom; shift += last) {
      // In the second half of these flushes, the last level fills once.
      long bytes = (long) (2 * power(shift + last + 1) * scenario.memtableBytes());
      windows.add(whole(shift, bytes, false).upTo(Math.min(last, bottom - shift)));
    }
    windows.add(whole(bottom, scenario.writeBytes(), true));
  }

  private LevelWindow whole(int shift, long writeBytes, boolean complete) {
    double memtable = scenario.memtableBytes() * power(shift);
    double table = Grain.wholeRun(scenario, memtable);
    PolicySpec policy = LevelGrowth.scaled(scenario.policy(), shift, table, 0, complete);
    Grain grain = new Grain(scenario.policy().tableBytes(), table, true);
    return new LevelWindow(
        scaled(policy, writeBytes, memtable, scenario.readsPerWrite(), Long.MAX_VALUE),
        grain,
        shift,
        shift == 0 ? 0 : 1,
        complete ? Integer.MAX_VALUE : 1);
  }

  private Scenario scaled(
      PolicySpec policy, long writeBytes, double memtable, double reads, long transientBytes) {
    return new Scenario(
        policy,
        scenario.rule(),
        scenario.workload(),
        scenario.dataBytes(),
        Math.min(writeBytes, scenario.writeBytes()),
        Math.round(memtable),
        scenario.entryBytes(),
        scenario.filterBits(),
        reads,
        transientBytes,
        scenario.seed(),
        scenario.fidelity());
  }
}
