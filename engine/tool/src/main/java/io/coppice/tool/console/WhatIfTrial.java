// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.policy.MergeRule;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.simulator.whatif.KeyScale;
import io.coppice.simulator.whatif.LiveLoad;
import io.coppice.simulator.whatif.LiveSlice;
import io.coppice.simulator.whatif.WhatIfReport;
import io.coppice.simulator.whatif.WhatIfSimulation;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.DownsampledHistory;
import io.coppice.tool.console.watch.Endpoint;
import io.coppice.tool.console.watch.History;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.ProcessReader;
import io.coppice.tool.console.watch.ProcessStatus;
import io.coppice.tool.console.watch.Rates;
import io.coppice.tool.console.watch.TableMapJson;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;

/**
 * A simulation of one table from its current arrangement, under its present options and under
 * proposed ones. The result also has the console's measurements.
 *
 * <p>The result lists the assumptions, and the error of an earlier simulation of this table. The
 * number of keys is not visible, so the simulation tries several. It takes the number that makes
 * simulated merges shrink their inputs as much as merges of the table did.
 */
public final class WhatIfTrial {

  /** Limits that a Cassandra node adds to a policy text. */
  private static final PolicyLimits CASSANDRA =
      new PolicyLimits(160L << 20, 1L << 20, 10L << 30, 8, true, 0, true);

  /** Candidate ratios of the number of keys to the entries of the largest run. */
  private static final double[] KEY_FACTORS = {1, 1.15, 1.4, 2, 3.5, 1e6};

  /** Candidate exponents of Zipf's law; with 0 all keys are equally likely. */
  private static final double[] EXPONENTS = {0, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2};

  /** Largest ratio of flushed entries to writes that reveals how popular repeated keys are. */
  private static final double MAX_DISTINCT = 0.9;

  /** Least share of deletions among the newest entries that a note mentions. */
  private static final double MIN_NOTED_DELETES = 0.0005;

  private static final int MIN_FLUSHES = 40;
  private static final int MAX_FLUSHES = 600;
  private static final int TRIED_FLUSHES = 40;
  private static final int MAX_READS_PER_FLUSH = 2000;
  private static final int MIN_FLUSHES_OF_ERROR = 8;
  private static final long MAX_NANOS = 4_000_000_000L;
  private static final long ADVICE_NANOS = 30_000_000_000L;

  /** Part of {@link #ADVICE_NANOS} that the estimate of the number of keys may take. */
  private static final long ADVICE_KEYS_NANOS = ADVICE_NANOS / 4;

  private static final int ADVISED_FLUSHES = 160;

  /** Largest quotient of two figures, proposed by active, that counts as an improvement. */
  private static final double NOTABLE = 0.98;

  private static final long SEED = 42;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The error of the simulator, measured by starting it from an earlier arrangement of the table.
   *
   * @param seconds how long ago that arrangement was
   * @param simulated the simulated write amplification since then
   * @param measured the measured write amplification since then
   */
  public record Error(double seconds, double simulated, double measured) {
    /** Returns the relative error, from -1; 0 if the simulation was exact. */
    double share() {
      return simulated / measured - 1;
    }
  }

  /**
   * The result of a simulation.
   *
   * @param present the forecast under the active options
   * @param proposed the forecast under the proposed options
   * @param policy the proposed policy as text
   * @param settleSeconds time of the merges that the proposed options cause at once; NaN if the
   *     rate of merges is unknown
   * @param horizonSeconds time of the simulated flushes at the recent rate; NaN if the rate is
   *     unknown
   * @param measuredWriteAmplification the measured value of the last hour
   * @param measuredRuns the current mean number of runs that overlap a key
   * @param freeBytes the free disk space; -1 if unknown
   * @param error the error of the simulator; empty if it could not be measured yet
   * @param notes the assumptions, one sentence each
   */
  public record Result(
      WhatIfReport present,
      WhatIfReport proposed,
      String policy,
      double settleSeconds,
      double horizonSeconds,
      double measuredWriteAmplification,
      double measuredRuns,
      long freeBytes,
      Optional<Error> error,
      List<String> notes) {

    /** Returns whether a merge under the proposed options would fill the disk. */
    public boolean overfills() {
      return freeBytes >= 0 && proposed.transientBytes() > freeBytes;
    }
  }

  private final StrategySnapshot snapshot;
  private final Rates rates;
  private final List<LiveSlice> slices;
  private final MergeRule rule;
  private final PolicySpec present;
  private final double entryBytes;
  private final double deletes;
  private final double flushEntryBytes;
  private final double flushBytes;
  private final int flushes;
  private final LongSupplier clock;
  private final List<String> notes = new ArrayList<>();

  private WhatIfTrial(StrategySnapshot snapshot, JsonNode map, Rates rates, LongSupplier clock) {
    this.clock = clock;
    this.snapshot = snapshot;
    this.rates = rates;
    rule = rule(map);
    present = parse(snapshot.policy(), rule);
    slices = slices(map);
    long bytes = sum(map.path("bytes"));
    long entries = Math.max(1, sum(map.path("entries")));
    entryBytes = LiveLoad.entryBytes(bytes, entries, sum(map.path("deletions")));
    deletes = LiveLoad.deletes(slices);
    flushEntryBytes = LiveLoad.flushEntryBytes(entryBytes, deletes);
    flushBytes = flushBytes();
    double wanted = bytes / Math.max(1, flushBytes);
    flushes = (int) Math.max(MIN_FLUSHES, Math.min(MAX_FLUSHES, wanted));
  }

  private static MergeRule rule(JsonNode map) {
    return map.path("axis").asText().equals(TableMap.TOKEN) ? MergeRule.FREE : MergeRule.ADJACENT;
  }

  /** Returns the merge rule of the host of a table. */
  static MergeRule rule(Beans.Kind kind) {
    return kind == Beans.Kind.STORE ? MergeRule.ADJACENT : MergeRule.FREE;
  }

  /** Returns the limits of a host whose tables have this rule. */
  static PolicyLimits limits(MergeRule rule) {
    return rule == MergeRule.FREE ? CASSANDRA : PolicyLimits.ENGINE;
  }

  /** Returns the policy of a text, with the limits of a host whose tables have this rule. */
  static PolicySpec parse(String text, MergeRule rule) {
    return PolicySpec.parse(text, limits(rule));
  }

  private static long sum(JsonNode numbers) {
    long sum = 0;
    for (JsonNode one : numbers) {
      sum += one.asLong();
    }
    return sum;
  }

  /**
   * Returns the mean bytes of a flush: of recent ones, else of all. If the host does not count
   * flushes, it is the mean size of a run of level 0, else 16 MB.
   */
  private double flushBytes() {
    if (rates.flushes() > 0) {
      return (double) rates.flushedBytes() / rates.flushes();
    }
    long counted = snapshot.counter("Flushes");
    if (counted > 0 && snapshot.amplification().flushedBytes() > 0) {
      notes.add("Nothing was flushed lately; flushes are taken to be as large as the mean so far.");
      return (double) snapshot.amplification().flushedBytes() / counted;
    }
    List<StrategySnapshot.Run> newest =
        snapshot.runs().stream().filter(run -> run.level() == 0).toList();
    if (!newest.isEmpty()) {
      notes.add("No flush was seen; flushes are taken to be as large as a run of level 0.");
      return newest.stream().mapToLong(StrategySnapshot.Run::bytes).average().orElse(1);
    }
    notes.add("No flush was seen; flushes of 16 MB are assumed.");
    return 16e6;
  }

  /**
   * Returns the slices of a map with their positions in the order of keys. Ranks are unevenly
   * dense, so a {@link KeyScale} converts them.
   */
  private static List<LiveSlice> slices(JsonNode map) {
    MergeRule rule = rule(map);
    int count = map.path("level").size();
    List<LiveSlice> plain = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      plain.add(
          new LiveSlice(
              map.path("level").path(i).asInt(),
              map.path("run").path(i).asInt() + 1_000_000 * map.path("part").path(i).asInt(),
              map.path("low").path(i).asDouble(),
              map.path("high").path(i).asDouble(),
              map.path("entries").path(i).asLong(),
              map.path("deletions").path(i).asLong(),
              // In Cassandra, overlapping tables are separate runs, also within a virtual segment.
              rule == MergeRule.FREE ? 0 : map.path("group").path(i).asLong(),
              rule == MergeRule.FREE ? 0 : map.path("parents").path(i).asInt()));
    }
    if (rule == MergeRule.FREE || plain.isEmpty()) {
      return plain;
    }
    KeyScale scale = KeyScale.of(plain);
    return plain.stream()
        .map(
            slice ->
                new LiveSlice(
                    slice.level(),
                    slice.run(),
                    scale.at(slice.low()),
                    scale.at(slice.high()),
                    slice.entries(),
                    slice.deletions(),
                    slice.group(),
                    slice.parents()))
        .toList();
  }

  /**
   * Simulates a table under the active and the proposed options.
   *
   * @param options options of the active policy, as {@code name=value,name=value}; or a whole
   *     policy
   * @param map the table map as JSON
   * @param clock a clock in nanoseconds, for the time limits
   * @throws IllegalArgumentException naming every fault of the options
   */
  static Result of(
      LiveTable table,
      byte[] map,
      Rates rates,
      String options,
      Optional<Past> past,
      LongSupplier clock)
      throws IOException {
    StrategySnapshot snapshot = table.snapshot().orElseThrow();
    WhatIfTrial trial = new WhatIfTrial(snapshot, JSON.readTree(map), rates, clock);
    return trial.run(trial.proposed(options), past);
  }

  private PolicySpec proposed(String options) {
    try {
      return present.with(options);
    } catch (PolicySpecException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * A policy near the active one, with its forecast.
   *
   * @param change what differs from the active policy, as {@link PolicySpec#with} takes it
   */
  record Candidate(String change, WhatIfReport report) {}

  /**
   * Forecasts of the active policy and of others, over the same flushes.
   *
   * @param better the candidates with at least one figure that is better than the active policy's;
   *     the best product of all figures first
   * @param tried the number of simulated candidates
   * @param left the number of candidates that the time limit left out
   * @param free the free disk space in bytes; -1 if unknown
   */
  record Advice(WhatIfReport present, List<Candidate> better, int tried, int left, long free) {}

  /**
   * Simulates policies near the active one for half a minute at most, with all preparations.
   *
   * @param clock a clock in nanoseconds, for the time limits
   */
  static Advice advise(LiveTable table, byte[] map, Rates rates, LongSupplier clock)
      throws IOException {
    long start = clock.getAsLong();
    StrategySnapshot snapshot = table.snapshot().orElseThrow();
    return new WhatIfTrial(snapshot, JSON.readTree(map), rates, clock).advise(start);
  }

  private Advice advise(long start) throws IOException {
    final long end = start + ADVICE_NANOS;
    KeyEstimate keys = keys(Optional.empty(), start + ADVICE_KEYS_NANOS);
    LiveLoad load = load(keys, Math.min(flushes, ADVISED_FLUSHES), rates, flushBytes);
    WhatIfReport now = simulate(present, slices, load, end);
    Map<String, PolicySpec> wanted = PolicyNeighbors.of(present);
    List<Candidate> better = new ArrayList<>();
    int tried = 0;
    for (Map.Entry<String, PolicySpec> one : wanted.entrySet()) {
      if (clock.getAsLong() - end >= 0) {
        break;
      }
      WhatIfReport then = simulate(one.getValue(), slices, load, end);
      if (then.flushes() == now.flushes()) {
        tried++;
        if (improves(now, then)) {
          better.add(new Candidate(one.getKey(), then));
        }
      }
    }
    better.sort(Comparator.comparingDouble(one -> product(one.report)));
    return new Advice(
        now, List.copyOf(better), tried, wanted.size() - tried, snapshot.backlog().freeBytes());
  }

  private static boolean improves(WhatIfReport now, WhatIfReport then) {
    return then.writeAmplification() < NOTABLE * now.writeAmplification()
        || then.runsMean() < NOTABLE * now.runsMean()
        || then.spaceMean() < NOTABLE * now.spaceMean();
  }

  private static double product(WhatIfReport report) {
    return report.writeAmplification() * report.runsMean() * report.spaceMean();
  }

  /**
   * A table at an earlier time.
   *
   * @param map the table map of that time, as JSON
   * @param since the rates measured since then, under the active policy
   */
  record Past(byte[] map, Rates since) {}

  private Result run(PolicySpec proposed, Optional<Past> past) throws IOException {
    KeyEstimate keys = keys(past, clock.getAsLong() + KEY_FACTORS.length * MAX_NANOS);
    LiveLoad load = load(keys, flushes, rates, flushBytes);
    WhatIfReport now = simulate(present, slices, load);
    WhatIfReport then = simulate(proposed, slices, load);
    if (!now.complete() || !then.complete()) {
      notes.add("Time ran out; the forecast covers fewer flushes than wanted.");
    }
    if (snapshot.backlog().bytes() > flushBytes) {
      notes.add(
          String.format(
              Locale.ROOT,
              "Merges lagged behind by %,.1f MB when this was simulated. The forecast shows their"
                  + " cost once they keep up.",
              snapshot.backlog().bytes() / 1e6));
    }
    if (deletes >= MIN_NOTED_DELETES) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%.1f %% of the newest entries are deletions. The simulation assumes that each"
                  + " deletes an existing key.",
              100 * deletes));
    }
    double pace = rates.perSecond(rates.mergedBytes());
    if (!(pace > 0)) {
      notes.add("No merge was seen lately, so how long settling takes is not known.");
    }
    double flushPace = rates.perSecond(rates.flushedBytes());
    if (rates.reads() < 0) {
      notes.add("The bean counts no reads; merges that reads would ask for are left out.");
    }
    double busyPace = Math.max(pace, snapshotPace());
    return new Result(
        now,
        then,
        proposed.toString(),
        busyPace > 0 ? then.settleBytes() / busyPace : Double.NaN,
        flushPace > 0 ? then.flushedBytes() / flushPace : Double.NaN,
        rates.writeAmplification(),
        runsPerKey(slices),
        snapshot.backlog().freeBytes(),
        past.isPresent() ? error(past.get(), keys) : Optional.empty(),
        List.copyOf(notes));
  }

  /** Returns the mean number of runs of a table map that overlap a key. */
  static double runsPerKey(JsonNode map) {
    return runsPerKey(slices(map));
  }

  /** Returns the mean number of slices that overlap a key: the sum of their widths. */
  private static double runsPerKey(List<LiveSlice> slices) {
    return slices.stream().mapToDouble(slice -> slice.high() - slice.low()).sum();
  }

  /**
   * Returns the rate of merges in bytes per second, computed from the bytes and seconds of the
   * bean's backlog; 0 if unknown.
   */
  private double snapshotPace() {
    StrategySnapshot.Backlog backlog = snapshot.backlog();
    return backlog.seconds() > 0 ? (double) backlog.bytes() / backlog.seconds() : 0;
  }

  private LiveLoad load(KeyEstimate keys, int many, Rates of, double bytes) {
    double reads = of.reads() > 0 && of.flushes() > 0 ? (double) of.reads() / of.flushes() : 0;
    return new LiveLoad(
        keys.count,
        keys.exponent,
        deletes,
        entryBytes,
        Math.max(1, bytes / flushEntryBytes),
        many,
        (int) Math.min(MAX_READS_PER_FLUSH, reads),
        SEED);
  }

  private WhatIfReport simulate(PolicySpec policy, List<LiveSlice> from, LiveLoad load) {
    return simulate(policy, from, load, clock.getAsLong() + MAX_NANOS);
  }

  /**
   * Simulates one policy for {@link #MAX_NANOS} at most.
   *
   * @param end latest end by the clock
   */
  private WhatIfReport simulate(PolicySpec policy, List<LiveSlice> from, LiveLoad load, long end) {
    // In Cassandra the limit is an option of the policy, which the simulation knows.
    long space = rule == MergeRule.FREE ? Long.MAX_VALUE : snapshot.backlog().allowedBytes();
    long start = clock.getAsLong();
    long nanos = Math.min(MAX_NANOS, end - start);
    return WhatIfSimulation.run(
        rule, policy, from, load, space, () -> clock.getAsLong() - start > nanos);
  }

  /**
   * An estimate of the keys that are written.
   *
   * @param exponent exponent of Zipf's law for their popularity; 0 if all are equally likely
   */
  private record KeyEstimate(double count, double exponent) {

    /** Returns an interpolation from this estimate (share 0) to another (share 1). */
    KeyEstimate towards(KeyEstimate other, double share) {
      return new KeyEstimate(
          count * Math.pow(other.count / count, share),
          exponent + share * (other.exponent - exponent));
    }
  }

  /**
   * Returns the estimate with which simulated merges shrink their inputs as much as merges of the
   * table did, since an earlier time if it is known.
   *
   * @param end time of the clock after which no further candidate is tried
   */
  private KeyEstimate keys(Optional<Past> past, long end) throws IOException {
    double largest = 1;
    for (StrategySnapshot.Run run : snapshot.runs()) {
      largest = Math.max(largest, run.entries());
    }
    double read = snapshot.counter("MergeReadBytes");
    if (read <= 0) {
      notes.add(
          "The bean does not tell how much merges read, so how often keys are overwritten is not"
              + " known: every write is taken to change a key of the largest run.");
      return new KeyEstimate(largest, 0);
    }
    double shrinkage = snapshot.amplification().mergedBytes() / read;
    ToDoubleFunction<KeyEstimate> simulated =
        keys ->
            simulate(present, slices, load(keys, TRIED_FLUSHES, rates, flushBytes), end)
                .shrinkage();
    if (past.isPresent() && past.get().since.flushes() >= MIN_FLUSHES_OF_ERROR) {
      Rates since = past.get().since;
      List<LiveSlice> then = slices(JSON.readTree(past.get().map));
      if (!Double.isNaN(since.shrinkage())) {
        shrinkage = since.shrinkage();
        simulated = keys -> simulate(present, then, loadSince(since, keys), end).shrinkage();
      }
    }
    KeyEstimate best = nearest(candidates(largest), shrinkage, simulated, end);
    String keys = String.format(Locale.ROOT, "about %,d keys", rounded(best.count));
    if (best.exponent > 0) {
      keys +=
          String.format(
              Locale.ROOT,
              " whose popularity follows Zipf's law with exponent %.1f",
              best.exponent);
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "Merges of this table write %.0f %% of the bytes that they read. The simulation"
                + " therefore assumes %s.",
            100 * shrinkage,
            best.exponent == 0 && best.count > 1000 * largest
                ? "that every write has a new key"
                : keys));
    return best;
  }

  /**
   * Returns the candidate estimates for {@link #nearest}. If a memtable takes many writes of the
   * same keys, each exponent of Zipf's law implies a number of keys. Otherwise the keys count as
   * equally likely.
   *
   * @param largest entries of the largest run
   */
  private List<KeyEstimate> candidates(double largest) {
    double entries = flushBytes / flushEntryBytes;
    double writes = rates.flushes() > 0 ? (double) rates.writes() / rates.flushes() : 0;
    List<KeyEstimate> candidates = new ArrayList<>();
    if (entries < MAX_DISTINCT * writes) {
      for (double exponent : EXPONENTS) {
        double keys = LiveLoad.keys(exponent, writes, entries);
        if (keys >= largest) {
          candidates.add(new KeyEstimate(keys, exponent));
        }
      }
    }
    if (candidates.isEmpty()) {
      for (double factor : KEY_FACTORS) {
        candidates.add(new KeyEstimate(largest * factor, 0));
      }
    }
    return candidates;
  }

  /**
   * Returns the candidate whose simulated merges shrink their inputs nearest to the measured ratio,
   * or an interpolation of two. Candidates that would start after the end are left out.
   *
   * @param shrinkage measured bytes that merges wrote per byte that they read
   * @param simulated returns that ratio for a candidate
   * @param end latest start of a simulation by the clock
   */
  private KeyEstimate nearest(
      List<KeyEstimate> candidates,
      double shrinkage,
      ToDoubleFunction<KeyEstimate> simulated,
      long end) {
    KeyEstimate best = candidates.get(0);
    KeyEstimate before = best;
    double foundBefore = Double.NaN;
    double off = Double.MAX_VALUE;
    for (KeyEstimate candidate : candidates) {
      if (clock.getAsLong() - end >= 0) {
        break;
      }
      double found = simulated.applyAsDouble(candidate);
      double share = (shrinkage - foundBefore) / (found - foundBefore);
      if (share >= 0 && share <= 1 && candidate.count < 1000 * before.count) {
        return before.towards(candidate, share);
      }
      if (Math.abs(found - shrinkage) < off) {
        off = Math.abs(found - shrinkage);
        best = candidate;
      }
      before = candidate;
      foundBefore = found;
    }
    return best;
  }

  /** Rounds a guess to two digits. */
  private static long rounded(double guess) {
    return new BigDecimal(guess).round(new MathContext(2)).longValue();
  }

  private Optional<Error> error(Past past, KeyEstimate keys) throws IOException {
    Rates since = past.since;
    if (since.flushes() < MIN_FLUSHES_OF_ERROR || since.flushedBytes() == 0) {
      return Optional.empty();
    }
    WhatIfReport said = simulate(past, keys);
    double all = said.flushedBytes() + said.mergedBytes() + said.settleBytes();
    return Optional.of(
        new Error(
            since.seconds(), all / Math.max(1, said.flushedBytes()), since.writeAmplification()));
  }

  /** Simulates the active policy from an earlier time to the end of the rates since then. */
  private WhatIfReport simulate(Past past, KeyEstimate keys) throws IOException {
    return simulate(present, slices(JSON.readTree(past.map)), loadSince(past.since, keys));
  }

  private LiveLoad loadSince(Rates since, KeyEstimate keys) {
    double bytes = (double) since.flushedBytes() / since.flushes();
    return load(keys, (int) Math.min(MAX_FLUSHES, since.flushes()), since, bytes);
  }

  /**
   * Returns the forecast of the active policy of a table, whatever time it takes.
   *
   * @param map the table map as JSON
   * @param past an earlier time, since when the table was observed
   * @param flushes number of flushes of the forecast
   */
  static WhatIfReport forecast(StrategySnapshot snapshot, byte[] map, Past past, int flushes)
      throws IOException {
    WhatIfTrial trial = new WhatIfTrial(snapshot, JSON.readTree(map), past.since, () -> 0);
    KeyEstimate keys = trial.keys(Optional.of(past), Long.MAX_VALUE);
    return trial.simulate(
        trial.present, trial.slices, trial.load(keys, flushes, past.since, trial.flushBytes));
  }

  /**
   * Samples a table over JMX and simulates it.
   *
   * @param id {@code keyspace.table}, or {@code store/family}
   * @param options as in {@link #of}
   * @param observeMillis how long the table is observed first, so that rates are known and the
   *     error of the simulator can be measured; 0 to skip this
   * @param clock a clock in nanoseconds, for the time limits of the simulation
   * @throws IOException with a message for users, if the table is missing or cannot be simulated
   * @throws IllegalArgumentException naming every fault of the options
   */
  public static Result at(
      Endpoint endpoint, String id, String options, long observeMillis, LongSupplier clock)
      throws IOException, InterruptedException {
    try (endpoint) {
      ProcessReader reader = new ProcessReader(new Beans(endpoint.connect()));
      History history = new History();
      long from = System.currentTimeMillis();
      LiveTable table = sample(endpoint, reader, history, id, from);
      byte[] map = TableMapJson.json(table.map().orElseThrow());
      Optional<Past> past = Optional.empty();
      if (observeMillis > 0) {
        // Faults of the options are reported before the long wait.
        Rates none = Rates.since(history.figures(id), from);
        new WhatIfTrial(table.snapshot().orElseThrow(), JSON.readTree(map), none, clock)
            .proposed(options);
        Thread.sleep(observeMillis);
        table = sample(endpoint, reader, history, id, System.currentTimeMillis());
        map = TableMapJson.json(table.map().orElseThrow());
        past = past(history, table, from, List.of());
      }
      return of(table, map, Rates.since(history.figures(id), from), options, past, clock);
    }
  }

  private static LiveTable sample(
      Endpoint endpoint, ProcessReader reader, History history, String id, long nowMillis)
      throws IOException {
    ProcessStatus seen = reader.sample(id::equals, nowMillis);
    history.note(seen);
    LiveTable table =
        seen.table(id).orElseThrow(() -> new IOException(endpoint.name() + " has no table " + id));
    if (table.map().isEmpty()) {
      throw new IOException(
          id + " has no policy of Coppice (" + table.strategy() + "), so its tables are unknown");
    }
    return table;
  }

  /**
   * Returns the table at a time, or at the first sample after it with the active policy, so that
   * one policy covers the whole time since.
   *
   * @param own changes of that table by this console; two of them between two samples leave no
   *     other trace
   * @return empty if no sample has that policy
   */
  static Optional<Past> past(History history, LiveTable table, long fromMillis, List<Change> own) {
    List<DownsampledHistory.Seen<String>> policies = history.policies(table.id());
    if (policies.isEmpty() || !policies.get(policies.size() - 1).what().equals(table.inForce())) {
      return Optional.empty();
    }
    long since = Math.max(fromMillis, policies.get(policies.size() - 1).atMillis());
    long changed =
        own.stream()
            .filter(one -> !one.what().equals("stop"))
            .mapToLong(Change::atMillis)
            .max()
            .orElse(0);
    return history.times(table.id()).stream()
        .filter(at -> at > changed && at >= since)
        .min(Comparator.naturalOrder())
        .flatMap(
            at ->
                history
                    .picture(table.id(), at)
                    .map(
                        packed ->
                            new Past(
                                TableMapJson.unpack(packed),
                                Rates.since(history.figures(table.id()), at))));
  }
}
