// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.bench.engine.AnswerCheck;
import io.coppice.bench.engine.ZipfDraws;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Process that runs one policy through all phases. It writes lines to its parent: {@code at} with
 * the phase and the completed share, {@code outcome} with an {@link Outcome}, {@code wrong} with a
 * wrong answer.
 *
 * <p>Before the first phase the process writes every key once and waits for all merges, unmeasured.
 * It waits again at the end of each phase and adds that time to the judged part, because deferred
 * work must not count as speed. A rung change may leave unmerged tables that no merge pays for. The
 * process does not wait for these; lookups and scans of the next phase read them.
 */
final class PhasesProcess {

  private static final int HUNDRED = 100;
  private static final int FILL_REPORT_MASK = (1 << 14) - 1;
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Rough number of keys that the fill writes per second. */
  private static final double FILLED_PER_SECOND = 200_000;

  private static final double P99 = 0.99;
  private static final double NANOS = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final long MEMTABLES = 16;
  private static final long ROOM_BYTES = 256L << 20;
  private static final String FAMILY = "default";

  private final AdaptiveScale scale;
  private final AdaptiveContender contender;
  private final CoppiceStore store;
  private final ParentLines parent = new ParentLines(System.out);
  private final Values values;
  private final IntSupplier alike;
  private final IntSupplier skewed;
  private final UniformDraws kinds;
  private final UniformDraws rungs;
  private final byte[] key = new byte[BenchmarkKeys.BYTES];

  /** Number of the write that made the value of each key. */
  private final int[] made;

  private final AnswerCheck answers;

  /** Table bytes after each key was written once. */
  private long liveBytes;

  private int writes;
  private long reportAt;
  private long turnAt;

  /**
   * Task of a process.
   *
   * @param seed seed of keys and operations, the same for all contenders
   * @param round number of the round, which changes the random rungs
   */
  record Task(
      Path directory, AdaptiveScale scale, AdaptiveContender contender, long seed, int round)
      implements ChildTask {

    @Override
    public void run(ParentLines parent) throws Exception {
      try (CoppiceStore store = open(contender, directory, scale)) {
        PhasesProcess process = new PhasesProcess(this, store);
        process.fill();
        parent.say("result", process.run());
      }
    }
  }

  /** Prepares the phases of a scale on a store that is open and empty. */
  PhasesProcess(Task task, CoppiceStore store) {
    long seed = task.seed;
    this.scale = task.scale;
    this.contender = task.contender;
    this.store = store;
    this.values = new Values(AdaptiveScale.VALUE_BYTES, seed);
    UniformDraws uniform = new UniformDraws(seed, scale.keys());
    this.alike = () -> (int) uniform.next();
    this.skewed = new ZipfDraws(seed, scale.keys(), AdaptiveScale.ZIPF)::next;
    this.kinds = new UniformDraws(~seed, HUNDRED);
    this.rungs = new UniformDraws(seed + task.round, AdaptiveContender.RUNGS);
    this.made = new int[scale.keys()];
    this.answers = new AnswerCheck(values, index -> made[index], AnswerCheck.EACH);
  }

  /** Opens an empty store in a directory, with the contender's policy for the fill. */
  static CoppiceStore open(AdaptiveContender contender, Path directory, AdaptiveScale scale) {
    long memory = ROOM_BYTES + MEMTABLES * scale.memtableBytes() + scale.liveBytes() / 2;
    StoreOptions options =
        CoppiceStore.options(contender.filling(), memory, scale.memtableBytes()).build();
    return new CoppiceStore(
        Store.open(directory, options), contender.filling(), AdaptiveScale.VALUE_BYTES);
  }

  /** Writes every key once, in random order, and waits until all merges have ended. */
  void fill() {
    Permutation order = new Permutation(scale.keys(), 1);
    for (int i = 0; i < scale.keys(); i++) {
      if ((i & FILL_REPORT_MASK) == 0) {
        report("fill", i / FILLED_PER_SECOND);
      }
      int index = order.of(i);
      BenchmarkKeys.write(key, index);
      put(index);
    }
    store.settle();
    liveBytes = store.store().stats().tableBytes();
  }

  /**
   * Runs all phases in order and returns their figures.
   *
   * @throws io.coppice.bench.suite.WrongAnswerException if the store returned other data than was
   *     written
   */
  Outcome run() throws Exception {
    if (!contender.filling().equals(contender.policy())) {
      store.store().policy(contender.policy());
    }
    long processor = ProcessFigures.processorTime();
    SwitchWatch watch = new SwitchWatch(store.store(), liveBytes);
    Map<Phase, PhaseFigures> phases = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      phases.put(phase, new Passage(phase, watch).run());
    }
    Outcome.Switches switches = watch.end();
    return new Outcome(
        phases,
        (ProcessFigures.processorTime() - processor) / NANOS,
        store.store().stats().writeAmplification(),
        switches);
  }

  /**
   * Reports the completed share of the run to the parent process.
   *
   * @param seconds expected seconds of the parts that are done
   */
  private void report(String label, double seconds) {
    double fill = scale.keys() / FILLED_PER_SECOND;
    double expected = fill + Phase.values().length * scale.phaseNanos() / NANOS;
    parent.at(label, Math.min(1, seconds / expected));
  }

  /** One phase while it runs. Each object is used once. */
  private final class Passage {
    private final Phase phase;
    private final SwitchWatch watch;
    private final LatencyHistogram reads = new LatencyHistogram();
    private long begun;
    private long judgedFrom;
    private long judged;
    private long all;
    private long longestWrite;

    Passage(Phase phase, SwitchWatch watch) {
      this.phase = phase;
      this.watch = watch;
    }

    PhaseFigures run() throws Exception {
      if (contender.pilot() == AdaptiveContender.Pilot.ORACLE) {
        turn(phase.rung());
      }
      begun = System.nanoTime();
      judgedFrom = begun + scale.settlingNanos();
      long now = begun;
      while (now - begun < scale.phaseNanos() || !isJudged()) {
        watch.check(now);
        steer(now);
        now = operation();
      }
      store.store().awaitIdle();
      long settled = System.nanoTime();
      watch.check(settled);
      return new PhaseFigures(
          judged * NANOS / (settled - judgedFrom),
          all * NANOS / (settled - begun),
          reads.nanosAt(P99) / NANOS_PER_MICRO,
          longestWrite / NANOS_PER_MILLI,
          (settled - now) / NANOS,
          rung());
    }

    /**
     * Returns whether the figures of the phase have an operation and, unless it only writes, a
     * read. A stall may last longer than the judged part of the phase.
     */
    private boolean isJudged() {
      return judged > 0 && (reads.count() > 0 || !phase.reads());
    }

    private void steer(long now) {
      if (now - reportAt >= 0) {
        reportAt = now + REPORT_NANOS;
        double fill = scale.keys() / FILLED_PER_SECOND;
        double before = phase.ordinal() * scale.phaseNanos() / NANOS;
        report(phase.label(), fill + before + (now - begun) / NANOS);
      }
      if (contender.pilot() == AdaptiveContender.Pilot.CHANCE && now - turnAt >= 0) {
        turnAt = now + TimeUnit.SECONDS.toNanos(scale.dwellSeconds());
        turn((int) rungs.next());
      }
    }

    /**
     * Runs one operation of the phase and returns the time of its end by {@link System#nanoTime}.
     */
    private long operation() throws Exception {
      int index = (phase.skewed() ? skewed : alike).getAsInt();
      long kind = kinds.next();
      BenchmarkKeys.write(key, index);
      boolean puts = phase.puts(kind);
      long from = System.nanoTime();
      if (puts) {
        put(index);
      } else if (phase.gets(kind)) {
        get(index);
      } else {
        scan(index);
      }
      long to = System.nanoTime();
      watch.operation(from, to);
      all++;
      if (puts) {
        longestWrite = Math.max(longestWrite, to - from);
      }
      if (from - judgedFrom >= 0) {
        judged++;
        if (!puts) {
          reads.record(to - from);
        }
      }
      return to;
    }
  }

  private void turn(int rung) {
    store.store().policy(contender.with(rung));
  }

  private int rung() {
    return contender.policy().startsWith(AdaptiveContender.ADAPTIVE)
        ? (int) PolicySpec.parse(store.store().family(FAMILY).policy()).value("rung")
        : PhaseFigures.NO_RUNG;
  }

  private void put(int index) {
    store.put(key, values.pool(), values.position(writes), values.length());
    made[index] = writes++;
  }

  private void get(int index) throws Exception {
    answers.lookedUp(store.own(), index, false, store.own().get(key));
  }

  private void scan(int from) throws Exception {
    int steps = AdaptiveScale.SCAN_ENTRIES - 1;
    answers.walked(store.own(), key, from, steps, false, at -> at + 1 < made.length ? at + 1 : -1);
  }
}
