// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Makes a load that fails as small as it gets: what is left fails too, at its last operation, and
 * no smaller step of the following makes it smaller.
 *
 * <ol>
 *   <li>What comes after the failure is cut off.
 *   <li>What happens by itself is written down: background steps and flushes become operations,
 *       after every write, and then happen at no other time.
 *   <li>Operations: halves, quarters and so on down to single ones are left out, as long as
 *       something goes (delta debugging).
 *   <li>Each field of the configuration that can be at its default is put there.
 *   <li>Batches lose their changes, walks their moves and bounds.
 *   <li>Keys are plain and numbered without gaps, values get a byte, durability is the usual one.
 *   <li>From the third on again, until nothing goes.
 * </ol>
 *
 * <p>A failure need not be the one that was found first.
 */
public final class Shrinker {

  private static final String NEVER = "1000000";
  private static final String ENDLESS = "1048576";

  private final Trial.Maker maker;
  private final int tries;
  private Config config;
  private Load load;
  private Difference difference;
  private int left;

  private Shrinker(Trial.Maker maker, Config config, Load load, int tries, int most) {
    this.maker = maker;
    this.config = config;
    this.load = load;
    this.tries = tries;
    this.left = most;
  }

  /** What is left of a failing load. */
  public record Result(Config config, Load load, Difference difference) {}

  /**
   * Shrinks.
   *
   * @param tries how often a load is run before it counts as passing; 1 unless threads decide
   * @param most loads run at most
   * @return empty if the load does not fail
   */
  public static Optional<Result> shrink(
      Trial.Maker maker, Config config, Load load, int tries, int most) {
    Shrinker shrinker = new Shrinker(maker, config, load, tries, most);
    if (!shrinker.keep(config, load)) {
      return Optional.empty();
    }
    shrinker.run();
    return Optional.of(new Result(shrinker.config, shrinker.load, shrinker.difference));
  }

  private void run() {
    if (!writeDown(true)) {
      writeDown(false);
    }
    int before;
    do {
      before = size();
      dropOps();
      defaults();
      simplify();
      plainKeys();
      smallValues();
    } while (size() < before && left > 0);
  }

  /** Quiet in itself, with operations for what went on beside the load. */
  private boolean writeDown(boolean flushes) {
    Map<String, String> fields = new LinkedHashMap<>(config.fields());
    fields.put("slots", "0");
    fields.put("every", NEVER);
    fields.put("extra", "none");
    if (flushes) {
      fields.put("memtable", ENDLESS);
    }
    List<Op> ops = new ArrayList<>();
    for (Op op : load.ops()) {
      ops.add(op);
      if (op.writes()) {
        if (flushes) {
          ops.add(Op.of(Op.Kind.FLUSH));
        }
        ops.add(Op.of(Op.Kind.STEP, 1));
      }
    }
    return keep(Config.of(fields), load.with(ops));
  }

  private int size() {
    int letters = 0;
    for (Op op : load.ops()) {
      letters += op.toString().length();
    }
    return letters + config.toString().length() + load.keys().ordinal();
  }

  /** Takes the smaller case over if it fails, without what comes after the failure. */
  private boolean keep(Config smaller, Load shorter) {
    if (left-- <= 0) {
      return false;
    }
    for (int i = 0; i < tries; i++) {
      Optional<Difference> failure = Trial.run(maker, smaller, History.of(shorter));
      if (failure.isPresent()) {
        difference = failure.get();
        config = smaller;
        int end = Math.min(shorter.ops().size(), difference.index() + 1);
        load = shorter.with(shorter.ops().subList(0, end));
        return true;
      }
    }
    return false;
  }

  private void dropOps() {
    for (int part = Math.max(1, load.ops().size() / 2); part > 0; part /= 2) {
      // From the end on, as what comes last matters most; the last itself fails.
      int from = load.ops().size() - part;
      while (from > -part) {
        List<Op> fewer = new ArrayList<>(load.ops());
        fewer.subList(Math.max(0, from), Math.min(from + part, fewer.size())).clear();
        if (fewer.size() < load.ops().size()) {
          keep(config, load.with(fewer));
        }
        from = Math.min(from, load.ops().size()) - part;
      }
    }
  }

  private void defaults() {
    Map<String, String> usual = Config.DEFAULT.fields();
    for (String field : usual.keySet()) {
      Map<String, String> fields = new LinkedHashMap<>(config.fields());
      boolean quiet = fields.get(field).equals(NEVER) || fields.get(field).equals(ENDLESS);
      if (!quiet && !usual.get(field).equals(fields.put(field, usual.get(field)))) {
        keep(Config.of(fields), load);
      }
    }
  }

  private void simplify() {
    for (int i = 0; i < load.ops().size(); i++) {
      for (int change = load.ops().get(i).changes().size() - 1; change >= 0; change--) {
        Op op = i < load.ops().size() ? load.ops().get(i) : null;
        if (op != null && op.changes().size() > 1 && change < op.changes().size()) {
          List<Change> fewer = new ArrayList<>(op.changes());
          fewer.remove(change);
          replace(i, op.withChanges(fewer));
        }
      }
      if (i < load.ops().size()) {
        for (Op simpler : load.ops().get(i).simpler()) {
          if (replace(i, simpler)) {
            break;
          }
        }
      }
    }
  }

  private boolean replace(int index, Op op) {
    if (index >= load.ops().size() || load.ops().get(index).equals(op)) {
      return false;
    }
    List<Op> ops = new ArrayList<>(load.ops());
    ops.set(index, op);
    return keep(config, load.with(ops));
  }

  private void plainKeys() {
    TreeSet<Integer> used = new TreeSet<>();
    load.ops().forEach(op -> op.keys().forEach(used::add));
    Map<Integer, Integer> dense = new HashMap<>();
    used.forEach(key -> dense.put(key, dense.size()));
    List<Op> ops = load.ops().stream().map(op -> op.mapKeys(dense::get)).toList();
    if (!keep(config, new Load(load.name(), Keys.PLAIN, ops)) && load.keys() != Keys.PLAIN) {
      keep(config, load.with(Keys.PLAIN));
    }
  }

  private void smallValues() {
    keep(config, load.with(load.ops().stream().map(Op::withSmallValues).toList()));
    for (int i = 0; i < load.ops().size(); i++) {
      replace(i, load.ops().get(i).withSmallValues());
    }
  }
}
