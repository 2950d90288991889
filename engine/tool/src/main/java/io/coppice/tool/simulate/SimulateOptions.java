// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.simulator.Fidelity;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.keys.WriteWorkload;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.UsageException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The checked options of {@code simulate}.
 *
 * @param scenarios by the policy's text as it was typed, in that order; they differ in the policy
 * @param form the output format
 * @param output the output file; empty for standard output
 * @param journal the file for the last decisions, if requested; then there is one scenario
 */
public record SimulateOptions(
    Map<String, Scenario> scenarios, Form form, Optional<Path> output, Optional<Path> journal) {

  /** Output format of a comparison. */
  enum Form {
    /** An aligned text table. */
    TABLE,
    /** A single JSON document. */
    JSON,
    /** A page of charts. */
    SVG
  }

  /** All options, in the order of the help. */
  public static final List<CommandOptions.Help> HELP =
      List.of(
          help("--policy", "NAME[,OPTION=VALUE...]", "Policy to simulate. May be repeated."),
          help("--data", "SIZE", "Size of all keys with their values. Default: 1TB."),
          help("--memtable", "SIZE", "Bytes written between two flushes. Default: 64MB."),
          help(
              "--workload",
              "ORDER",
              "insert, sequential, uniform-update or zipf:EXPONENT. Default: uniform-update. The last"
                  + " two may end with ,deletes:SHARE."),
          help(
              "--writes",
              "SIZE",
              "Bytes to write. Default: four times --data for uniform-update, else --data."),
          help("--entry", "SIZE", "Size of one key with its value. Default: 128."),
          help("--filter-bits", "N", "Filter bits per key; 0 for no filters. Default: 10."),
          help(
              "--rule",
              "RULE",
              "adjacent (the store) or free (Cassandra: whole tables of 160MiB, cut at token bounds;"
                  + " steps, cleaning_threshold and max_transient_space as in the plugin). Default:"
                  + " adjacent."),
          help("--reads-per-write", "N", "Lookups per write. Default: 0."),
          help("--max-transient", "SIZE", "Upper limit on transient space. Default: none."),
          help(
              "--fidelity",
              "HOW",
              "exact or classes. Default: exact for up to 30 million writes, else classes."),
          help("--seed", "N", "Seed of all random choices. Default: 42."),
          CommandOptions.JSON,
          help("--svg", "", "Print a page of charts instead of a table."),
          help("--output", "FILE", "File for the result. Default: standard output."),
          help("--journal", "FILE", "Also write the last decisions, for replay. One policy only."));

  private static final long TERA = 1_000_000_000_000L;
  private static final long MAX_BYTES = 50_000 * TERA;
  private static final long DEFAULT_DATA = TERA;
  private static final long DEFAULT_MEMTABLE = 64_000_000;
  private static final int DEFAULT_ENTRY = 128;
  private static final int MAX_ENTRY = 1 << 20;
  private static final int DEFAULT_FILTER_BITS = 10;
  private static final int MAX_FILTER_BITS = 64;
  private static final int MAX_READS_PER_WRITE = 1000;
  private static final long DEFAULT_SEED = 42;
  private static final int OVERWRITES = 4;
  // A chart cannot show more lines that people tell apart.
  private static final int MAX_POLICIES = 16;

  /** A Cassandra node's limits for a policy text, except that tables may be as small as 4 KiB. */
  private static final PolicyLimits FREE_LIMITS =
      new PolicyLimits(160L << 20, 4L << 10, 10L << 30, 8, true, 0, true);

  /**
   * Reads and checks the options.
   *
   * @throws UsageException naming every fault
   */
  static SimulateOptions read(CommandOptions options) {
    MergeRule rule = options.choice("--rule", MergeRule.class).orElse(MergeRule.ADJACENT);
    Map<String, PolicySpec> policies = policies(options, limits(rule));
    Load load = Load.read(options);
    int filterBits =
        (int) options.integer("--filter-bits", 0, MAX_FILTER_BITS, DEFAULT_FILTER_BITS);
    double reads = options.decimal("--reads-per-write", 0, MAX_READS_PER_WRITE, 0);
    long transientBytes = options.bytes("--max-transient", 0, MAX_BYTES, Long.MAX_VALUE);
    Fidelity fidelity =
        options
            .choice("--fidelity", Fidelity.class)
            .orElse(Fidelity.suiting(load.writes / load.entry));
    long seed = options.integer("--seed", 0, Long.MAX_VALUE, DEFAULT_SEED);
    Form form = form(options);
    Optional<Path> output = options.newFile("--output");
    Optional<Path> journal = options.newFile("--journal");
    if (journal.isPresent() && policies.size() > 1) {
      options.fault(
          "--journal takes one policy, and "
              + policies.size()
              + " are given; simulate each on its own");
    }
    options.complain();
    Map<String, Scenario> scenarios = new LinkedHashMap<>();
    policies.forEach(
        (text, policy) ->
            scenarios.put(
                text,
                new Scenario(
                    policy,
                    rule,
                    load.workload,
                    load.data,
                    load.writes,
                    load.memtable,
                    load.entry,
                    filterBits,
                    reads,
                    transientBytes,
                    seed,
                    fidelity)));
    scenarios.forEach((text, scenario) -> complain(options, text, scenario, scenarios.size()));
    options.complain();
    return new SimulateOptions(scenarios, form, output, journal);
  }

  private static Form form(CommandOptions options) {
    boolean json = options.flag(CommandOptions.JSON.name());
    boolean svg = options.flag("--svg");
    if (json && svg) {
      options.fault("--json and --svg exclude each other; give one of them");
    }
    return json ? Form.JSON : svg ? Form.SVG : Form.TABLE;
  }

  private static void complain(CommandOptions options, String text, Scenario scenario, int of) {
    String place = of > 1 ? "--policy " + text + ": " : "";
    scenario.faults().forEach(fault -> options.fault(place + fault));
  }

  /** Returns the limits for a policy text that the simulated host with this rule sets. */
  public static PolicyLimits limits(MergeRule rule) {
    return rule == MergeRule.FREE ? FREE_LIMITS : PolicyLimits.ENGINE;
  }

  private static Map<String, PolicySpec> policies(CommandOptions options, PolicyLimits limits) {
    List<String> texts = options.all("--policy").stream().map(String::trim).distinct().toList();
    if (texts.isEmpty()) {
      options.fault("--policy is missing; write --policy split-forest,fanout=4");
    }
    if (texts.size() > MAX_POLICIES) {
      options.fault(
          "--policy may be given "
              + MAX_POLICIES
              + " times at most, and it is given "
              + texts.size()
              + " times");
    }
    Map<String, PolicySpec> policies = new LinkedHashMap<>();
    for (String text : texts) {
      try {
        policies.put(text, PolicySpec.parse(text, limits));
      } catch (PolicySpecException e) {
        String place = texts.size() > 1 ? "--policy " + text + ": " : "";
        e.errors().forEach(error -> options.fault(place + error));
      }
    }
    return policies;
  }

  /** Load to simulate; the sizes of data, writes, memtable and entry are in bytes. */
  private record Load(WriteWorkload workload, long data, long writes, long memtable, int entry) {

    static Load read(CommandOptions options) {
      int before = options.faults();
      WriteWorkload workload = new WriteWorkload(WriteWorkload.Kind.UNIFORM_UPDATE, 0);
      Optional<String> order = options.text("--workload");
      if (order.isPresent()) {
        try {
          workload = WriteWorkload.parse(order.get().trim());
        } catch (IllegalArgumentException e) {
          options.fault("--" + e.getMessage());
        }
      }
      int entry = (int) options.bytes("--entry", 1, MAX_ENTRY, DEFAULT_ENTRY);
      long data = options.bytes("--data", entry, MAX_BYTES, DEFAULT_DATA);
      boolean updates = workload.kind() == WriteWorkload.Kind.UNIFORM_UPDATE;
      long writes = options.bytes("--writes", entry, MAX_BYTES, updates ? OVERWRITES * data : data);
      long memtable = options.bytes("--memtable", entry, MAX_BYTES, DEFAULT_MEMTABLE);
      Load load = new Load(workload, data, writes, memtable, entry);
      if (options.faults() == before) {
        load.check(options);
      }
      return load;
    }

    /** Checks conditions between several values, and adds a fault for each broken one. */
    private void check(CommandOptions options) {
      if (workload.once() && writes != data) {
        options.fault(
            "--writes ("
                + ByteText.format(writes)
                + ") must be --data ("
                + ByteText.format(data)
                + ") for "
                + workload
                + ", which writes every key once; remove --writes");
      }
      if (memtable > writes) {
        options.fault(
            "--memtable ("
                + ByteText.format(memtable)
                + ") must not exceed --writes ("
                + ByteText.format(writes)
                + "); lower it or raise --data");
      }
    }
  }

  private static CommandOptions.Help help(String name, String label, String description) {
    return new CommandOptions.Help(name, label, description);
  }
}
