// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.policy.MergeRule;
import io.coppice.policy.PolicyLimits;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.policy.StrategySnapshot;
import io.coppice.policy.TableMap;
import io.coppice.simulator.Forecast;
import io.coppice.simulator.LiveLoad;
import io.coppice.simulator.LiveSlice;
import io.coppice.simulator.WhatIf;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A simulation of one table as it lies now: under its present options and under others, side by
 * side, with what the console has measured, and with how far the simulator was off here before.
 *
 * <p>What it assumes is told with the result. How many keys there are it cannot see, so it tries
 * several numbers and takes the one under which merges shrink their inputs as they did on the
 * table.
 */
public final class Trial {

  /** What a Cassandra node adds to a policy's text. */
  private static final PolicyLimits CASSANDRA =
      new PolicyLimits(160L << 20, 1L << 20, 10L << 30, 8, true, 0, true);

  /** How many more keys there may be than the largest run has entries. */
  private static final double[] KEY_FACTORS = {1, 1.15, 1.4, 2, 3.5, 1e6};

  private static final int MIN_FLUSHES = 40;
  private static final int MAX_FLUSHES = 600;
  private static final int TRIED_FLUSHES = 40;
  private static final int MAX_READS_A_FLUSH = 2000;
  private static final int LEAST_FLUSHES_OF_ERROR = 8;
  private static final long MOST_NANOS = 4_000_000_000L;
  private static final long SEED = 42;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * How far the simulator was off: it began where the table lay some time ago.
   *
   * @param seconds how long ago that was
   * @param simulated write amplification since then
   * @param measured likewise
   */
  public record Error(double seconds, double simulated, double measured) {
    /** From -1; 0 if it was right. */
    double share() {
      return simulated / measured - 1;
    }
  }

  /**
   * What came of it.
   *
   * @param present under the options in force
   * @param proposed under the others
   * @param policy the text of these
   * @param settleSeconds how long the merges take that are wanted at once under the others; not a
   *     number if no pace of merges is known
   * @param horizonSeconds how long the flushes simulated take at the rate of late; likewise
   * @param measuredWriteAmplification of the last hour
   * @param measuredRuns over a key, now
   * @param freeBytes what the disk has left; -1 if that is not known
   * @param error empty if it could not be measured yet
   * @param notes what was assumed, each a sentence
   */
  public record Result(
      Forecast present,
      Forecast proposed,
      String policy,
      double settleSeconds,
      double horizonSeconds,
      double measuredWriteAmplification,
      double measuredRuns,
      long freeBytes,
      Optional<Error> error,
      List<String> notes) {

    /** Whether a merge under the others would fill the disk. */
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
  private final double flushBytes;
  private final int flushes;
  private final List<String> notes = new ArrayList<>();

  private Trial(StrategySnapshot snapshot, JsonNode map, Rates rates) {
    this.snapshot = snapshot;
    this.rates = rates;
    rule = rule(map);
    present = parse(snapshot.policy(), rule);
    slices = slices(map);
    long bytes = sum(map.path("bytes"));
    long entries = Math.max(1, sum(map.path("entries")));
    entryBytes = Math.max(1, (double) bytes / entries);
    flushBytes = flushBytes();
    double wanted = bytes / Math.max(1, flushBytes);
    flushes = (int) Math.max(MIN_FLUSHES, Math.min(MAX_FLUSHES, wanted));
  }

  private static MergeRule rule(JsonNode map) {
    return map.path("axis").asText().equals(TableMap.TOKEN) ? MergeRule.FREE : MergeRule.ADJACENT;
  }

  /** The policy of a text as the host of tables with this rule tells it. */
  static PolicySpec parse(String text, MergeRule rule) {
    return PolicySpec.parse(text, rule == MergeRule.FREE ? CASSANDRA : PolicyLimits.ENGINE);
  }

  private static long sum(JsonNode numbers) {
    long sum = 0;
    for (JsonNode one : numbers) {
      sum += one.asLong();
    }
    return sum;
  }

  /** Bytes of a flush, of late or else on average; a 64th of all where nobody counts them. */
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
   * Where slices lie in the order of keys. Ranks are not evenly dense, so places are those in the
   * run that has the most entries.
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
              // What overlaps in Cassandra is as many runs, whatever it is called.
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
                    slice.group(),
                    slice.parents()))
        .toList();
  }

  /**
   * Simulates.
   *
   * @param options of the policy in force, as {@code name=value,name=value}; or a whole policy
   * @param map the picture of the table, as JSON
   * @throws IllegalArgumentException naming every fault of the options
   */
  static Result of(LiveTable table, byte[] map, Rates rates, String options, Optional<Past> past)
      throws IOException {
    StrategySnapshot snapshot = table.snapshot().orElseThrow();
    Trial trial = new Trial(snapshot, JSON.readTree(map), rates);
    return trial.run(trial.proposed(options), past);
  }

  private PolicySpec proposed(String options) {
    try {
      return PolicySpec.policyNames().contains(options.split(",")[0])
          ? parse(options, rule)
          : present.with(options);
    } catch (PolicySpecException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * A table some time ago.
   *
   * @param map its picture then, as JSON
   * @param since what was measured since then, under the policy in force
   */
  record Past(byte[] map, Rates since) {}

  private Result run(PolicySpec proposed, Optional<Past> past) throws IOException {
    double keys = keys();
    LiveLoad load = load(keys, flushes, rates, flushBytes);
    Forecast now = simulate(present, slices, load);
    Forecast then = simulate(proposed, slices, load);
    if (!now.complete() || !then.complete()) {
      notes.add("Time ran out; the forecast covers fewer flushes than wanted.");
    }
    if (snapshot.debt().bytes() > flushBytes) {
      notes.add(
          "Merges lag behind on this table; the simulator lets them keep up, so it says what they"
              + " cost once they do.");
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
        runsOverAKey(slices),
        snapshot.debt().freeBytes(),
        past.isPresent() ? error(past.get(), keys) : Optional.empty(),
        List.copyOf(notes));
  }

  /** How many runs lie over a key of a picture, in the mean over keys. */
  static double runsOverAKey(JsonNode map) {
    return runsOverAKey(slices(map));
  }

  /** The mean over keys: what all slices cover of them. */
  private static double runsOverAKey(List<LiveSlice> slices) {
    return slices.stream().mapToDouble(slice -> slice.high() - slice.low()).sum();
  }

  /** The pace of merges that the bean itself tells by its debt; 0 if it does not. */
  private double snapshotPace() {
    StrategySnapshot.Debt debt = snapshot.debt();
    return debt.seconds() > 0 ? (double) debt.bytes() / debt.seconds() : 0;
  }

  private LiveLoad load(double keys, int many, Rates of, double bytes) {
    double reads = of.reads() > 0 && of.flushes() > 0 ? (double) of.reads() / of.flushes() : 0;
    return new LiveLoad(
        keys,
        entryBytes,
        Math.max(1, bytes / entryBytes),
        many,
        (int) Math.min(MAX_READS_A_FLUSH, reads),
        SEED);
  }

  private Forecast simulate(PolicySpec policy, List<LiveSlice> from, LiveLoad load) {
    long end = System.nanoTime() + MOST_NANOS;
    long live = Math.round(from.stream().mapToLong(LiveSlice::entries).sum() * entryBytes);
    long space = Math.min(snapshot.debt().allowedBytes(), policy.transientBytes(live));
    return WhatIf.run(rule, policy, from, load, space, () -> System.nanoTime() > end);
  }

  /** How many keys there are. */
  private double keys() {
    double largest = 1;
    for (StrategySnapshot.Run run : snapshot.runs()) {
      largest = Math.max(largest, run.entries());
    }
    double read = snapshot.counter("MergeReadBytes");
    if (read <= 0) {
      notes.add(
          "The bean does not tell how much merges read, so how often keys are overwritten is not"
              + " known: every write is taken to change a key of the largest run.");
      return largest;
    }
    double shrinkage = snapshot.amplification().mergedBytes() / read;
    double best = KEY_FACTORS[0];
    double off = Double.MAX_VALUE;
    for (double factor : KEY_FACTORS) {
      LiveLoad tried = load(largest * factor, TRIED_FLUSHES, rates, flushBytes);
      double found = simulate(present, slices, tried).shrinkage();
      if (Math.abs(found - shrinkage) < off) {
        off = Math.abs(found - shrinkage);
        best = factor;
      }
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "Merges here write %.0f %% of what they read, as if %s.",
            100 * shrinkage,
            best > 1000
                ? "no key came twice"
                : String.format(
                    Locale.ROOT, "there were about %,d keys", rounded(largest * best))));
    return largest * best;
  }

  /** To two digits, as it is no more than a guess. */
  private static long rounded(double guess) {
    return new BigDecimal(guess).round(new MathContext(2)).longValue();
  }

  private Optional<Error> error(Past past, double keys) throws IOException {
    Rates since = past.since;
    if (since.flushes() < LEAST_FLUSHES_OF_ERROR || since.flushedBytes() == 0) {
      return Optional.empty();
    }
    double bytes = (double) since.flushedBytes() / since.flushes();
    int many = (int) Math.min(MAX_FLUSHES, since.flushes());
    LiveLoad load = load(keys, many, since, bytes);
    Forecast said = simulate(present, slices(JSON.readTree(past.map)), load);
    double all = said.flushedBytes() + said.mergedBytes() + said.settleBytes();
    return Optional.of(
        new Error(
            since.seconds(), all / Math.max(1, said.flushedBytes()), since.writeAmplification()));
  }

  /**
   * Looks at a table over JMX, and simulates.
   *
   * @param id {@code keyspace.table}, or {@code store/family}
   * @param options as in {@link #of}
   * @param observeMillis how long it is watched first, so that rates are known and the simulator's
   *     error can be measured; 0 for not at all
   * @throws IOException in words for people, if there is no such table or it cannot be simulated
   * @throws IllegalArgumentException naming every fault of the options
   */
  public static Result at(Endpoint endpoint, String id, String options, long observeMillis)
      throws IOException, InterruptedException {
    try (endpoint) {
      NodeReader reader = new NodeReader(new Beans(endpoint.connect()));
      History history = new History();
      long from = System.currentTimeMillis();
      LiveTable table = look(endpoint, reader, history, id, from);
      byte[] map = Pictures.json(table.map().orElseThrow());
      Optional<Past> past = Optional.empty();
      if (observeMillis > 0) {
        // What is wrong with the options is said before so long a wait.
        Rates none = Rates.since(history.figures(id), from);
        new Trial(table.snapshot().orElseThrow(), JSON.readTree(map), none).proposed(options);
        Thread.sleep(observeMillis);
        table = look(endpoint, reader, history, id, System.currentTimeMillis());
        map = Pictures.json(table.map().orElseThrow());
        past = past(history, table, from, List.of());
      }
      return of(table, map, Rates.since(history.figures(id), from), options, past);
    }
  }

  private static LiveTable look(
      Endpoint endpoint, NodeReader reader, History history, String id, long nowMillis)
      throws IOException {
    NodeView seen = reader.look(id::equals, nowMillis);
    history.note(seen);
    LiveTable table =
        seen.table(id).orElseThrow(() -> new IOException(endpoint.name() + " has no table " + id));
    if (table.map().isEmpty()) {
      throw new IOException(
          id + " has no policy of Coppice (" + table.strategy() + "), so nobody tells its tables");
    }
    return table;
  }

  /**
   * The table at that time, or as soon after it as its policy is the one that is in force now,
   * whoever has changed it: what is simulated since then is simulated under one policy.
   *
   * @param own changes of that table by this console; two between two looks leave no other trace
   * @return empty if it was not seen under that policy
   */
  static Optional<Past> past(History history, LiveTable table, long fromMillis, List<Change> own) {
    List<Thinned.Seen<String>> policies = history.policies(table.id());
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
                                Pictures.unpack(packed),
                                Rates.since(history.figures(table.id()), at))));
  }
}
