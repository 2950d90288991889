// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.papers;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.Fidelity;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.tool.papers.PapersTable.Column;
import io.coppice.tool.papers.PapersTable.Row;
import io.coppice.tool.simulate.SimulateOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * The tables of {@code docs/policies/papers.md}: the simulated scenarios, and the results of the
 * papers or of the prototype of {@code theory}. All simulations are key-exact. Sizes are in
 * entries, as in the prototype.
 */
final class PapersTables {

  private static final int ENTRY_BYTES = 128;
  private static final int FILTER_BITS = 10;
  private static final long SEED = 42;
  private static final WriteWorkload INSERT = WriteWorkload.parse("insert");
  private static final WriteWorkload UNIFORM = WriteWorkload.parse("uniform-update");
  private static final WriteWorkload ZIPF = WriteWorkload.parse("zipf:0.99");

  private static final String LEVELED = "leveled,fanout=10";

  /** Lookups per write, in the tables with lookups. */
  private static final double READS = 0.25;

  /** Options that grant every request of a read, as in dCompaction's paper. */
  private static final String GRANT_ALL = ",read_cost=1GiB,read_share=100";

  private static final int[] VCT = {4, 8, 12, 16, 20};

  /** Insertions with dCompaction's ratio of table to memtable: 976 flushes. */
  private static final Load UNIQUE = new Load(INSERT, 4_000_000, 4_000_000, 4096, 2048);

  /** Insertions with dCompaction's ratio of table to memtable: 9,765 flushes. */
  private static final Load MANY_UNIQUE = new Load(INSERT, 5_000_000, 5_000_000, 512, 256);

  /** Insertions of the split forest's paper: 29,500 flushes. */
  private static final Load FOREST = new Load(INSERT, 5_900_000, 5_900_000, 200, 100);

  /**
   * The load {@link #FOREST} in larger tables. The costs of forests stay the same, because trees
   * merge as wholes.
   */
  private static final Load FEWER_TABLES = new Load(INSERT, 5_900_000, 5_900_000, 200, 2000);

  /** Writes to popular keys, with as many operations as dCompaction's Figure 11. */
  private static final Load POPULAR = new Load(ZIPF, 24_000_000, 24_000_000, 16_384, 8192);

  /** Half of the load {@link #POPULAR}: 732 flushes. */
  private static final Load HALF_POPULAR = new Load(ZIPF, 12_000_000, 12_000_000, 16_384, 8192);

  /** Updates: live data of 977 memtables, written eight times. */
  private static final Load UPDATES = new Load(UNIFORM, 1_000_000, 8_000_000, 1024, 512);

  /** Insertions of 2,000 flushes, few enough to simulate under both values of {@link MergeRule}. */
  private static final Load TWO_THOUSAND = new Load(INSERT, 2_048_000, 2_048_000, 1024, 512);

  /** Insertions of 4^5 flushes, so that a fanout of 4 ends with a merge of everything. */
  private static final Load FULL_MERGE = new Load(INSERT, 131_072, 131_072, 128, 64);

  /** Insertions of 244 flushes. */
  private static final Load FEW = new Load(INSERT, 500_000, 500_000, 2048, 1024);

  private PapersTables() {}

  /** A load; sizes in entries. */
  record Load(WriteWorkload workload, long keys, long writes, int memtable, int table) {

    Scenario under(String policy) {
      return under(policy, MergeRule.ADJACENT, 0);
    }

    Scenario under(String policy, MergeRule rule, double readsPerWrite) {
      return under(policy, rule, SimulateOptions.limits(rule), readsPerWrite);
    }

    Scenario under(String policy, MergeRule rule, PolicyLimits limits, double readsPerWrite) {
      return new Scenario(
          PolicySpec.parse(policy + ",table_size=" + (long) table * ENTRY_BYTES, limits),
          rule,
          workload,
          keys * ENTRY_BYTES,
          writes * ENTRY_BYTES,
          (long) memtable * ENTRY_BYTES,
          ENTRY_BYTES,
          FILTER_BITS,
          readsPerWrite,
          Long.MAX_VALUE,
          SEED,
          Fidelity.EXACT);
    }
  }

  /** Returns all tables in the order of simulation; the slowest is last. */
  static List<PapersTable> all() {
    return List.of(
        delayed("delayed-976", UNIQUE, VCT, "8", "36", "52", "59", "65"),
        delayed("delayed-zipf", POPULAR, new int[] {12}, "43 %, 46"),
        delayed("delayed-zipf-half", HALF_POPULAR, VCT, "–", "–", "–", "–", "–"),
        delayedFree(),
        reads(),
        grouped("grouped-976", UNIQUE, "31.8", "52.4", "68.7", "70.7", "76.1", "78.0", "–", "84.0"),
        grouped("grouped-9765", MANY_UNIQUE, "–", "–", "68.5", "–", "–", "–", "79.1", "84.1"),
        forests(),
        updates(),
        zipf(),
        sequential(),
        cleaning(),
        few(),
        delayed("delayed-9765", MANY_UNIQUE, new int[] {8, 12, 16}, "–", "53", "–"));
  }

  private static PapersTable delayed(String name, Load load, int[] vcts, String... prototype) {
    Scenario base = load.under(LEVELED);
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("leveled", base, base, List.of("", "")));
    for (int i = 0; i < vcts.length; i++) {
      rows.add(
          new Row(
              "delayed, vct " + vcts[i],
              load.under(delayedAt(vcts[i])),
              base,
              List.of(
                  prototype[i].equals("–") ? "–" : prototype[i] + " %",
                  vcts[i] == 12 ? "48.27 %, 51.23 %" : "")));
    }
    return new PapersTable(
        name,
        false,
        List.of(
            Column.WA,
            Column.READ_SAVED,
            Column.WRITE_SAVED,
            Column.RUNS,
            Column.SPACE,
            Column.SPACE_PEAK),
        List.of("prototype", "paper: reads, writes"),
        rows);
  }

  private static String delayedAt(int vct) {
    return "delayed,fanout=10,vct=" + vct;
  }

  /** Returns the rows of one merge rule: leveled first, then delayed by ascending VCT. */
  static List<Row> bothRules(MergeRule rule) {
    Scenario base = TWO_THOUSAND.under(LEVELED, rule, 0);
    String suffix = rule == MergeRule.FREE ? ", whole tables" : ", slices";
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("leveled" + suffix, base, base, List.of()));
    for (int vct : VCT) {
      rows.add(
          new Row(
              "delayed, vct " + vct + suffix,
              TWO_THOUSAND.under(delayedAt(vct), rule, 0),
              base,
              List.of()));
    }
    return rows;
  }

  private static PapersTable delayedFree() {
    List<Row> rows = new ArrayList<>(bothRules(MergeRule.ADJACENT));
    rows.addAll(bothRules(MergeRule.FREE));
    return new PapersTable(
        PapersChart.TABLE,
        false,
        List.of(Column.WA, Column.IO_SAVED, Column.RUNS, Column.SPACE, Column.SPACE_PEAK),
        List.of(),
        rows);
  }

  /** Returns the table about VSMT, with lookups that follow the popularity of the writes. */
  private static PapersTable reads() {
    Scenario base = HALF_POPULAR.under(LEVELED);
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("leveled", base, base, List.of()));
    rows.add(new Row("vct 12, no reads", HALF_POPULAR.under(delayedAt(12)), base, List.of()));
    for (int vsmt : new int[] {3, 5, 7, 9, 11}) {
      rows.add(
          new Row(
              "vct 12, vsmt " + vsmt,
              HALF_POPULAR.under(
                  delayedAt(12) + ",vsmt=" + vsmt + GRANT_ALL, MergeRule.ADJACENT, READS),
              base,
              List.of()));
    }
    return new PapersTable(
        "vsmt",
        false,
        List.of(Column.WA, Column.IO_SAVED, Column.RUNS, Column.SPACE_PEAK),
        List.of(),
        rows);
  }

  private static PapersTable grouped(String name, Load load, String... prototype) {
    int[] groups = {2, 3, 4, 5, 6, 7, 8, 10};
    Scenario base = load.under(LEVELED);
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("leveled", base, base, List.of("", "")));
    for (int i = 0; i < groups.length; i++) {
      rows.add(
          new Row(
              "grouped, G = " + groups[i],
              load.under("grouped,groups=" + groups[i]),
              base,
              List.of(
                  prototype[i].equals("–") ? "–" : prototype[i] + " %",
                  groups[i] >= 3 && groups[i] <= 7 ? "55–78 %" : "")));
    }
    return new PapersTable(
        name,
        false,
        List.of(Column.WA, Column.IO_SAVED, Column.RUNS),
        List.of("prototype", "paper"),
        rows);
  }

  private static PapersTable forests() {
    List<Row> rows = new ArrayList<>();
    add(rows, FOREST, LEVELED, "22.5; 4.3, 5", "7 to 9 trees");
    add(rows, FEWER_TABLES, "split-forest,fanout=2", "14.29; 7.3, 14", "");
    add(rows, FEWER_TABLES, "split-forest,fanout=4", "7.49; 10.7, 21", "17 trees");
    add(rows, FEWER_TABLES, "split-forest,fanout=8", "4.96; 17.0, 34", "");
    add(rows, FEWER_TABLES, "split-forest,fanout=10", "4.66; 18.9, 37", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=8,x=0", "9.18; 7.2, 8", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=10,x=0", "7.41; 8.8, 10", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=12,x=0", "6.48; 10.3, 12", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=14,x=0", "5.81; 11.8, 14", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=8,x=0.5", "–", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=10,x=0.5", "–", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=12,x=0.5", "–", "");
    add(rows, FEWER_TABLES, "lazy-binomial,k=14,x=0.5", "–", "");
    return new PapersTable(
        "forest",
        false,
        List.of(Column.WA, Column.RUNS),
        List.of("prototype: WA; mean, most", "paper"),
        rows);
  }

  private static PapersTable updates() {
    List<Row> rows = new ArrayList<>();
    add(rows, UPDATES, LEVELED, "14.89; 1.30; 4");
    add(rows, UPDATES, "tiered,trigger=8", "–");
    add(rows, UPDATES, "tiered,trigger=12", "–");
    add(rows, UPDATES, "tiered,trigger=16", "–");
    add(rows, UPDATES, delayedAt(12), "7.29; 2.32; 17");
    add(rows, UPDATES, "grouped,groups=4", "–");
    add(rows, UPDATES, "split-forest,fanout=4", "5.51; 3.53; 15");
    add(rows, UPDATES, "split-forest,fanout=8", "3.85; 3.98; –");
    add(rows, UPDATES, "lazy-binomial,k=4,x=0.25", "9.38; 1.26; 5");
    add(rows, UPDATES, "lazy-binomial,k=6,x=0.25", "7.92; 1.26; 7");
    add(rows, UPDATES, "lazy-binomial,k=6,x=0.5", "6.59; 1.51; 7");
    add(rows, UPDATES, "lazy-binomial,k=8,x=0.25", "7.24; 1.26; 9");
    add(rows, UPDATES, "lazy-binomial,k=8,x=0.5", "5.77; 1.51; 9");
    add(rows, UPDATES, "lazy-binomial,k=8,x=1", "5.26; 2.00; 9");
    add(rows, UPDATES, "lazy-binomial,k=12,x=0.25", "6.62; 1.26; 13");
    add(rows, UPDATES, "lazy-binomial,k=12,x=0.5", "5.06; 1.51; 13");
    return new PapersTable(
        "updates",
        false,
        List.of(Column.WA, Column.WA_RATIO, Column.RUNS, Column.SPACE, Column.SPACE_PEAK),
        List.of("prototype: WA; peak SA; most runs"),
        rows);
  }

  private static PapersTable zipf() {
    List<Row> rows = new ArrayList<>();
    add(rows, HALF_POPULAR, LEVELED, "4.82");
    add(rows, HALF_POPULAR, "tiered,trigger=8", "–");
    add(rows, HALF_POPULAR, "tiered,trigger=12", "–");
    add(rows, HALF_POPULAR, "tiered,trigger=16", "–");
    add(rows, HALF_POPULAR, "split-forest,fanout=4", "2.06");
    add(rows, HALF_POPULAR, "lazy-binomial,k=6,x=0.25", "–");
    add(rows, HALF_POPULAR, "lazy-binomial,k=6,x=0.5", "–");
    return new PapersTable(
        "zipf",
        false,
        List.of(Column.WA, Column.WA_RATIO, Column.RUNS, Column.SPACE, Column.SPACE_PEAK),
        List.of("prototype: WA"),
        rows);
  }

  private static PapersTable sequential() {
    Load load = new Load(WriteWorkload.parse("sequential"), 262_144, 262_144, 1024, 512);
    List<Row> rows = new ArrayList<>();
    add(rows, load, "split-forest,fanout=4", "1.00", "none");
    add(rows, load, LEVELED, "1.00 to 2.00", "none");
    add(rows, load, delayedAt(12), "1.00", "");
    add(rows, load, "tiered", "5.6", "8 x");
    add(rows, load, "grouped,groups=4", "–", "");
    add(rows, load, "lazy-binomial,k=8,x=0.5", "–", "");
    return new PapersTable(
        "sequential",
        true,
        List.of(Column.WA, Column.MOVED),
        List.of("prototype: WA", "paper"),
        rows);
  }

  private static PapersTable cleaning() {
    List<Row> rows = new ArrayList<>();
    String forest = "split-forest,fanout=4";
    for (String threshold : List.of("1", "10", "100")) {
      String policy = forest + ",cleaning_threshold=" + threshold;
      Scenario scenario = FULL_MERGE.under(policy);
      int tables = Integer.parseInt(threshold) + 4;
      rows.add(
          new Row(
              "c = " + threshold, scenario, scenario, List.of(tables + " tables", bound(tables))));
    }
    Scenario off = FULL_MERGE.under(forest, MergeRule.ADJACENT, notStepwise(), 0);
    rows.add(new Row("off", off, off, List.of("all", "100 %")));
    return new PapersTable(
        "cleaning",
        true,
        List.of(Column.TRANSIENT, Column.SPACE_PEAK),
        List.of("bound: (c + k) tables", "of live bytes"),
        rows);
  }

  private static String bound(int tables) {
    double share = (double) tables * FULL_MERGE.table / FULL_MERGE.keys;
    return String.format(Locale.ROOT, "%.2f %%", 100 * share);
  }

  /**
   * Returns the limits of an engine without early cleaning: merges delete inputs only at their end.
   */
  private static PolicyLimits notStepwise() {
    PolicyLimits engine = PolicyLimits.ENGINE;
    return new PolicyLimits(
        engine.defaultTableBytes(),
        engine.minTableBytes(),
        engine.maxTableBytes(),
        engine.maxLevel(),
        false);
  }

  private static PapersTable few() {
    Scenario base = FEW.under(LEVELED);
    UnaryOperator<String> line = policy -> "`" + policy + "`";
    List<Row> rows = new ArrayList<>();
    for (String policy :
        List.of(
            LEVELED,
            "tiered,trigger=8",
            delayedAt(12),
            "grouped,groups=4",
            "split-forest,fanout=4",
            "lazy-binomial,k=8,x=0.5")) {
      rows.add(new Row(line.apply(policy), FEW.under(policy), base, List.of()));
    }
    return new PapersTable(
        "few",
        true,
        List.of(Column.WA, Column.IO_SAVED, Column.RUNS, Column.SPACE_PEAK),
        List.of(),
        rows);
  }

  private static void add(List<Row> rows, Load load, String policy, String... claims) {
    Scenario scenario = load.under(policy);
    Scenario base = rows.isEmpty() ? scenario : rows.get(0).base();
    rows.add(new Row("`" + policy + "`", scenario, base, List.of(claims)));
  }
}
