// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.report.Fixtures;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.suite.SavedResult;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.Reason;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.policy.tuner.Load;
import io.coppice.policy.tuner.RewriteAllowance;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.Tuner;
import io.coppice.workload.BenchmarkKeys;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdaptiveSuiteTest {

  private static final AdaptiveScale SCALE = AdaptiveScale.ALL.get("tiny");

  @TempDir private Path directory;

  @Test
  void everyFaultOfTheOptionsIsNamed() {
    assertThatThrownBy(
            () ->
                AdaptiveOptions.parse(
                    Map.of("scale", "tinny", "rounds", "0", "rows", "*", "only", "oracle,levelled"),
                    List.of("--sed=3")))
        .isInstanceOfSatisfying(
            InvalidOptionsException.class,
            e ->
                assertThat(e.errors())
                    .hasSize(5)
                    .anyMatch(fault -> fault.contains("nearest is tiny"))
                    .anyMatch(fault -> fault.startsWith("--rounds (0) must be in 1..99"))
                    .anyMatch(fault -> fault.startsWith("--rows is no option of this suite"))
                    .anyMatch(fault -> fault.endsWith("nearest is leveled"))
                    .anyMatch(fault -> fault.contains("nearest is --seed")));
  }

  @Test
  void theOneThatIsJudgedAlwaysTakesPartAndTheStartingRungIsAmongTheOthers() {
    AdaptiveOptions all = AdaptiveOptions.parse(Map.of("scale", "tiny"), List.of());
    assertThat(names(all))
        .startsWith("adaptive")
        .contains("leveled", "split-forest", "lazy-binomial", "oracle", "random")
        .doesNotContain("rung-0");
    // What rows of lazy-binomial are about is the rung that adaptive begins with.
    PolicySpec starting = PolicySpec.parse("lazy-binomial");
    assertThat(starting).isEqualTo(PolicySpec.parse("lazy-binomial,k=8,x=0.5"));
    assertThat(PolicySpec.parse("adaptive").value("rung")).isEqualTo(4);
    AdaptiveOptions few = AdaptiveOptions.parse(Map.of("only", "rung-3,leveled"), List.of());
    assertThat(names(few)).containsExactly("adaptive", "rung-3", "leveled");
    assertThat(few.scale()).isEqualTo(AdaptiveScale.ALL.get("small"));
  }

  private static List<String> names(AdaptiveOptions options) {
    return options.contenders().stream().map(AdaptiveContender::name).toList();
  }

  @Test
  void everyContenderIsAPolicy() {
    for (AdaptiveContender contender : AdaptiveContender.known(SCALE)) {
      PolicySpec spec = PolicySpec.parse(contender.policy());
      if (contender.turns()) {
        for (int rung = 0; rung < AdaptiveContender.RUNGS; rung++) {
          assertThat(PolicySpec.parse(contender.with(rung)).value("rung")).isEqualTo(rung);
        }
      }
      assertThat(Tuner.tunes(spec))
          .isEqualTo(List.of("adaptive", "random").contains(contender.name()));
    }
    assertThatThrownBy(() -> PolicySpec.parse("adaptive,rung=" + AdaptiveContender.RUNGS))
        .isInstanceOf(PolicySpecException.class);
  }

  private Outcome passage(String name, AdaptiveScale scale) throws Exception {
    AdaptiveContender contender = AdaptiveContender.named(scale, name);
    try (CoppiceStore store = PhasesProcess.open(contender, directory.resolve(name), scale)) {
      PhasesProcess process =
          new PhasesProcess(new PhasesProcess.Task(directory, scale, contender, 42, 1), store);
      process.fill();
      return process.run();
    }
  }

  @Test
  void aPolicyGoesThroughAllPhasesAndAnswersRightly() throws Exception {
    Outcome outcome = passage("oracle", SCALE);
    assertThat(outcome.phases()).hasSize(4);
    for (Phase phase : Phase.values()) {
      PhaseFigures figures = outcome.phases().get(phase);
      assertThat(figures.rate()).isPositive();
      assertThat(figures.p99Micros()).isPositive();
      assertThat(figures.rung()).isEqualTo(phase.rung());
    }
    assertThat(outcome.switches()).isEqualTo(new Outcome.Switches(0, 0, 0));
    assertThat(outcome.processorSeconds()).isPositive();
    assertThat(outcome.writeAmplification()).isPositive();
  }

  @Test
  void aPhaseWhoseTimeIsOverAtOnceStillJudgesAnOperationAndARead() throws Exception {
    AdaptiveScale noTime =
        new AdaptiveScale(
            "no-time", SCALE.keys(), SCALE.memtableBytes(), 0, 0, SCALE.dwellSeconds());
    for (PhaseFigures figures : passage("leveled", noTime).phases().values()) {
      assertThat(figures.rate()).isPositive();
      assertThat(figures.p99Micros()).isPositive();
    }
  }

  @Test
  void figuresAreReadAsTheyAreTold() {
    PhaseFigures figures = new PhaseFigures(1.5, 2.5, 3, 4e9, 0.125, PhaseFigures.NO_RUNG);
    assertThat(RecordJson.parse(RecordJson.line(figures), PhaseFigures.class)).isEqualTo(figures);
  }

  @Test
  void aRunThatWasBrokenOffIsTakenUpWhereItWas() throws Exception {
    AdaptiveOptions options =
        AdaptiveOptions.parse(
            Map.of("scale", "tiny", "only", "leveled", "resume", "true"), List.of());
    StringWriter out = new StringWriter();
    AdaptiveSuite suite = new AdaptiveSuite(options, Fixtures.console(directory, out));
    Files.createDirectories(directory.resolve("adaptive-passages"));
    for (AdaptiveContender contender : options.contenders()) {
      Map<Phase, PhaseFigures> phases = new EnumMap<>(Phase.class);
      for (Phase phase : Phase.values()) {
        phases.put(phase, new PhaseFigures(123_456, 123_456, 7.5, 3, 0.5, -1));
      }
      Outcome outcome = new Outcome(phases, 4, 3.5, new Outcome.Switches(2, 0.25, 20));
      suite.passage(contender, 1, Machine.now()).save(outcome);
    }
    assertThat(suite.run("again")).isZero();
    assertThat(out.toString()).contains("phase_write_over_leveled", "123,456");
  }

  @Test
  void whatWasMeasuredElsewhereDoesNotCount() throws Exception {
    Path file = directory.resolve("leveled-1.txt");
    assertThat(new SavedResult(file, "here").saved(String.class)).isEmpty();
    new SavedResult(file, "here").save("whole");
    assertThat(new SavedResult(file, "here").saved(String.class)).contains("whole");
    assertThat(new SavedResult(file, "elsewhere").saved(String.class)).isEmpty();
  }

  @Test
  void aWrongAnswerIsNoticed() {
    AdaptiveContender contender = AdaptiveContender.named(SCALE, "tiered");
    try (CoppiceStore store = PhasesProcess.open(contender, directory.resolve("store"), SCALE)) {
      PhasesProcess process =
          new PhasesProcess(new PhasesProcess.Task(directory, SCALE, contender, 42, 1), store);
      process.fill();
      byte[] key = new byte[BenchmarkKeys.BYTES];
      byte[] value = new byte[AdaptiveScale.VALUE_BYTES];
      for (int i = 0; i < SCALE.keys(); i++) {
        BenchmarkKeys.write(key, i);
        store.put(key, value, 0, value.length);
      }
      assertThatThrownBy(process::run).isInstanceOf(WrongAnswerException.class);
    }
  }

  @Test
  void phasesAreOfAHundredOperationsAndOneIsSkewed() {
    for (Phase phase : Phase.values()) {
      int puts = 0;
      int gets = 0;
      for (int draw = 0; draw < 100; draw++) {
        assertThat(phase.puts(draw) && phase.gets(draw)).isFalse();
        puts += phase.puts(draw) ? 1 : 0;
        gets += phase.gets(draw) ? 1 : 0;
      }
      assertThat(phase.mix()).startsWith(phase.label() + " " + puts + " % puts");
      assertThat(phase.mix().contains(" " + gets + " % lookups")).isEqualTo(gets > 0);
      assertThat(phase.skewed()).isEqualTo(phase == Phase.ZIPF);
    }
    assertThat(Phase.SCAN.mix()).isEqualTo("scan 10 % puts, 90 % walks");
  }

  private static Decision merge(long sequence, long bytes) {
    return merge(sequence, bytes, Long.MAX_VALUE);
  }

  private static Decision merge(long sequence, long bytes, long left) {
    Reason reason = Reason.of("test", "a merge").costing(new PlanCost(bytes, bytes, 0));
    return new Decision(
        sequence,
        Decision.DEFAULT_FAMILY,
        PolicySpec.parse("adaptive"),
        Decision.Question.NEXT,
        new Shape(MergeRule.ADJACENT, List.of(new LevelFacts(List.of())), List.of()),
        new Budget(1, Long.MAX_VALUE, left),
        Optional.of(new Plan.Merge(List.of(1L), Target.newest(1), 0, reason)));
  }

  private static DecisionJournal.FamilySwitch turned(long after, long bytes) {
    PolicySpec policy = PolicySpec.parse("adaptive");
    Load load = new Load(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0);
    RewriteAllowance allowance = new RewriteAllowance(bytes, 2, 0, 0);
    Reason reason = Reason.of(RungSwitch.CODE, "a switch");
    return new DecisionJournal.FamilySwitch(
        Decision.DEFAULT_FAMILY,
        after,
        new RungSwitch(0, policy, policy, load, List.of(), reason, allowance));
  }

  @Test
  void bytesOfASwitchAreReadByMergesAndNotPaidByFlushes() {
    List<DecisionJournal.FamilySwitch> switches = List.of(turned(10, 100), turned(20, 500));
    SwitchWatch.Account account = new SwitchWatch.Account();
    account.add(merge(10, 70), switches, 0);
    assertThat(account.maxBytes()).as("before").isZero();
    account.add(merge(11, 30), switches, 0);
    account.add(merge(12, 30), switches, 10);
    assertThat(account.maxBytes()).as("two bytes paid for each flushed").isEqualTo(40);
    account.add(merge(21, 30), switches, 10);
    assertThat(account.maxBytes()).as("the next one begins at none").isEqualTo(40);
    account.add(merge(22, 600), switches, 10);
    account.add(merge(23, 60), switches, 10);
    assertThat(account.maxBytes()).as("more than it was allowed").isEqualTo(670);
  }

  @Test
  void aMergeThatFitsTheAllowanceIsChargedByWhatWasLeftAndNotByALateLook() {
    List<DecisionJournal.FamilySwitch> switches = List.of(turned(10, 100));
    SwitchWatch.Account account = new SwitchWatch.Account();
    account.add(merge(11, 80, 100), switches, 0);
    assertThat(account.maxBytes()).isEqualTo(80);
    // 30 bytes were flushed meanwhile and pay for 60, which no look has seen.
    account.add(merge(12, 70, 80), switches, 0);
    assertThat(account.maxBytes()).isEqualTo(90);
    // Level 0 was emptied whatever it cost: nothing was left, so the looks count.
    account.add(merge(13, 40, 0), switches, 30);
    assertThat(account.maxBytes()).isEqualTo(190 - 60);
  }

  private static Outcome outcome(double rate, double seconds, int rung) {
    Map<Phase, PhaseFigures> phases = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      double each = rate * (1 << phase.ordinal());
      phases.put(phase, new PhaseFigures(each, each / 2, 8000 / rate, 3, 0.5, rung));
    }
    return new Outcome(phases, seconds, 4, new Outcome.Switches(3, 0.25, 20));
  }

  @Test
  void rowsStandBesideEachPolicyAndBesideTheFastest() {
    Map<String, List<Outcome>> measured = new LinkedHashMap<>();
    measured.put("adaptive", List.of(outcome(200, 4, 0), outcome(240, 4, 6)));
    measured.put("leveled", List.of(outcome(100, 8, -1), outcome(120, 8, -1)));
    measured.put("split-forest", List.of(outcome(300, 2, -1), outcome(300, 2, -1)));
    measured.put("oracle", List.of(outcome(400, 2, 5), outcome(400, 2, 5)));
    measured.put("random", List.of(outcome(150, 9, 1), outcome(150, 9, 2)));
    List<SuiteRow> rows = AdaptiveRows.of(measured);
    assertThat(rows).extracting(SuiteRow::id).doesNotHaveDuplicates();
    SuiteRow leveled = row(rows, "phase_write_over_leveled");
    assertThat(leveled.ours().median()).isEqualTo(220);
    assertThat(leveled.ratio().median()).isEqualTo(2);
    assertThat(leveled.hasGoal()).isFalse();

    SuiteRow best = row(rows, "phase_read_over_best");
    assertThat(best.peer().median()).isEqualTo(600);
    assertThat(best.goal()).isEqualTo(0.9);
    assertThat(best.met()).isFalse();
    assertThat(best.note())
        .isEqualTo("best is split-forest; 0.5 and 0.5 s to settle; ends on rung 0 or 6");
    // More lookups, and shorter ones.
    SuiteRow p99 = row(rows, "phase_read_p99_over_best");
    assertThat(p99.goal()).isEqualTo(0.9);
    assertThat(p99.ratio().high()).isCloseTo(240.0 / 300, within(1e-9));
    SuiteRow random = row(rows, "phase_zipf_random_over_best");
    assertThat(random.ours().median()).isEqualTo(8 * 150);
    assertThat(random.ratio().median()).isEqualTo(0.5);
    assertThat(random.note()).endsWith("best is split-forest; ends on rung 1 or 2");
    assertThat(row(rows, "phase_scan_over_oracle").note()).isEqualTo("ends on rung 5");

    SuiteRow whole = row(rows, "whole_over_leveled");
    assertThat(whole.met()).isTrue();
    assertThat(whole.ours().low()).isCloseTo(100 * Math.pow(2, 1.5), within(1e-9));
    assertThat(row(rows, "whole_over_split_forest").met()).isFalse();
    assertThat(row(rows, "whole_over_oracle").hasGoal()).isFalse();
    assertThat(row(rows, "whole_processor_over_split_forest").ratio().median()).isEqualTo(0.5);
    assertThat(row(rows, "switch_bytes_over_live").ratio().median()).isEqualTo(2);
    assertThat(row(rows, "switch_longest_wait_ms").met()).isTrue();
    List<String> goals = rows.stream().filter(SuiteRow::hasGoal).map(SuiteRow::id).toList();
    assertThat(goals).hasSize(2 * 4 + 2 + 2).doesNotContain("whole_random_over_best");
  }

  @Test
  void oneThatIsMeasuredAloneHasItsSwitches() {
    List<SuiteRow> rows = AdaptiveRows.of(Map.of("adaptive", List.of(outcome(200, 4, 0))));
    assertThat(rows)
        .extracting(SuiteRow::id)
        .containsExactly("switch_bytes_over_live", "switch_longest_wait_ms");
  }

  private static SuiteRow row(List<SuiteRow> rows, String id) {
    return rows.stream().filter(row -> row.id().equals(id)).findFirst().orElseThrow();
  }
}
