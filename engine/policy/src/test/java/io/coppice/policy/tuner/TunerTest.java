// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Reason;
import io.coppice.policy.SteadyLoad;
import io.coppice.policy.SteadyLoad.Rates;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.AdaptiveRung;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What an analyser switches to and when, on a clock that stands in the samples. */
class TunerTest {

  private static final Rates WRITING = Rates.writing(250_000);
  private static final Rates READING = Rates.mixed(500, 300_000);
  private static final Rates SCANNING = Rates.scanning(5000);
  private static final Rates HOT = Rates.mixed(100_000, 100_000).skewed();

  /** The ends of the ladder. */
  private static final int READS = 0;

  private static final int WRITES = AdaptiveRung.LADDER.size() - 1;

  private final SteadyLoad host = new SteadyLoad();
  private final RewriteBudget budget = new RewriteBudget(() -> 0);
  private final Tuner tuner = new Tuner(budget);
  private final List<RungSwitch> switches = new ArrayList<>();
  private PolicySpec inForce;

  private static PolicySpec spec(String options) {
    return PolicySpec.parse("adaptive," + options);
  }

  private void live(Rates rates, long seconds) {
    long step = Tuner.sampleSeconds(inForce);
    for (long passed = 0; passed < seconds; passed += step) {
      observe(host.after(step, rates));
    }
  }

  private void observe(LoadSample sample) {
    tuner
        .observe(inForce, sample)
        .ifPresent(
            made -> {
              assertThat(made.before()).isEqualTo(inForce);
              inForce = made.after();
              switches.add(made);
            });
  }

  private long rung() {
    return inForce.value("rung");
  }

  @Test
  void phasesLeadToTheirRungs() {
    inForce = spec("rung=3,window=10,dwell=10");
    live(WRITING, 300);
    assertThat(rung()).as("write-heavy").isGreaterThanOrEqualTo(WRITES - 1);
    live(READING, 300);
    assertThat(rung()).as("read-heavy").isLessThanOrEqualTo(READS + 2);
    live(SCANNING, 300);
    assertThat(rung()).as("scans").isEqualTo(READS);
    live(HOT, 300);
    assertThat(rung()).as("Zipf, half writes").isBetween(READS + 2L, WRITES - 1L);
    assertThat(switches).hasSizeLessThan(12);
  }

  @Test
  void aPhaseSettlesWithinAMinuteOfShortDwells() {
    inForce = spec("rung=5,window=10,dwell=10");
    live(WRITING, 120);
    for (Rates phase : List.of(READING, WRITING, SCANNING, HOT)) {
      live(phase, 60);
      int settled = switches.size();
      live(phase, 240);
      assertThat(switches).hasSize(settled);
    }
  }

  @Test
  void aLoadThatAlternatesWithinTheDwellSwitchesOnceADwellAtMost() {
    for (int period : new int[] {4, 10, 30, 60, 119}) {
      TunerTest each = new TunerTest();
      each.inForce = spec("rung=3,window=1,dwell=120");
      for (int second = 0; second < 3600; second++) {
        boolean first = second % period < period / 2;
        each.observe(each.host.after(1, first ? WRITING : SCANNING));
      }
      for (int i = 1; i < each.switches.size(); i++) {
        long apart = each.switches.get(i).nanos() - each.switches.get(i - 1).nanos();
        assertThat(apart).isGreaterThanOrEqualTo(120 * SteadyLoad.SECOND);
      }
      assertThat(each.switches.size()).isLessThanOrEqualTo(30);
    }
  }

  @Test
  void anAverageLongerThanThePeriodDoesNotFlap() {
    inForce = spec("rung=3,window=120,dwell=10");
    for (int i = 0; i < 500; i++) {
      observe(host.after(5, i % 2 == 0 ? WRITING : SCANNING));
    }
    // It settles at what is best for both together and stays there.
    int settled = switches.size();
    for (int i = 0; i < 500; i++) {
      observe(host.after(5, i % 2 == 0 ? WRITING : SCANNING));
    }
    assertThat(switches).hasSize(settled);
  }

  @Test
  void aSwitchSavesTheLeastGainOrIsNotMade() {
    long seed = Long.getLong("seed", 5);
    Random random = new Random(seed);
    int made = 0;
    for (int round = 0; round < 2000; round++) {
      PolicySpec before =
          spec("rung=" + random.nextInt(AdaptiveRung.LADDER.size()) + ",min_gain=0.2");
      Load load =
          new Load(
              60,
              rate(random, 3e5),
              rate(random, 5e7),
              rate(random, 5e5),
              0,
              rate(random, 1e4),
              100,
              rate(random, 1e5),
              0.5 + random.nextDouble() / 2,
              0,
              4 << 20,
              40_000,
              1L << (24 + random.nextInt(16)),
              0);
      Optional<RungChoice> choice = RungChoice.of(before, load);
      double now = cores(load, before);
      if (choice.isPresent()) {
        made++;
        double then = cores(load, choice.get().after());
        assertThat(then).as("seed %d, %s", seed, load).isLessThanOrEqualTo(0.8 * now);
      }
    }
    assertThat(made).isBetween(100, 1900);
  }

  private static double rate(Random random, double most) {
    return random.nextInt(3) == 0 ? 0 : most * Math.pow(10, -3 * random.nextDouble());
  }

  private static double cores(Load load, PolicySpec spec) {
    return CostModel.cores(load, AdaptiveRung.LADDER.get((int) spec.value("rung")));
  }

  @Test
  void anIdleStoreStaysAsItIs() {
    for (int rung = 0; rung <= WRITES; rung++) {
      TunerTest each = new TunerTest();
      each.inForce = spec("rung=" + rung);
      each.live(Rates.mixed(5, 5), 1000);
      assertThat(each.switches).isEmpty();
    }
  }

  @Test
  void nothingIsSwitchedThatIsNotToBeTuned() {
    for (String text : List.of("adaptive,rung=0,adapt=false", "leveled")) {
      TunerTest each = new TunerTest();
      each.inForce = PolicySpec.parse(text);
      for (int i = 0; i < 100; i++) {
        each.observe(each.host.after(5, WRITING));
      }
      assertThat(each.switches).isEmpty();
      assertThat(each.budget.allowance()).isEqualTo(RewriteAllowance.ANY);
    }
  }

  @Test
  void aRungThatAPersonChoseHasItsDwell() {
    inForce = spec("rung=5,window=5,dwell=60");
    live(WRITING, 300);
    inForce = inForce.with("rung=0");
    live(WRITING, 60);
    assertThat(rung()).isZero();
    assertThat(budget.allowance().bytes()).isPositive();
    live(WRITING, 30);
    assertThat(rung()).isPositive();
  }

  @Test
  void whatTurnsNoRungLeavesMergesWhatTheyMayRead() {
    inForce = spec("rung=1,dwell=600");
    Rates idle = Rates.reading(5);
    live(idle, 60);
    for (String other : List.of("dwell=500", "max_switch_ratio=0", "window=50", "shards=11")) {
      inForce = inForce.with(other);
      live(idle, 10);
      assertThat(budget.allowance()).as(other).isEqualTo(RewriteAllowance.ANY);
    }
    inForce = inForce.with("shards=12");
    live(idle, 10);
    RewriteAllowance ofTheSwitch = budget.allowance();
    assertThat(ofTheSwitch).isNotEqualTo(RewriteAllowance.ANY);
    inForce = inForce.with("dwell=400,max_switch_ratio=1");
    live(idle, 10);
    assertThat(budget.allowance()).isEqualTo(ofTheSwitch);
  }

  @Test
  void flushesPayForMergesOfTheStoreAsItIsAndNotAsItWasAtTheSwitch() {
    inForce = spec("rung=5,dwell=86400");
    live(Rates.reading(1000), 10);
    inForce = inForce.with("rung=1");
    live(Rates.reading(1000), 10);
    RewriteAllowance first = budget.allowance();
    live(WRITING, 60);
    Load load = tuner.load().orElseThrow();
    assertThat(budget.allowance().paid())
        .isEqualTo(CostModel.mergesPaid(load, AdaptiveRung.LADDER.get(1)))
        .as("as no flush had told how large the store is")
        .isGreaterThan(5 * first.paid());
    assertThat(budget.allowance().mergedAt()).isEqualTo(first.mergedAt());
  }

  @Test
  void aSwitchMaySpendItsShareOfWhatLivesHoweverOftenTheRungBeforeHoldsIt() {
    long tableBytes = SteadyLoad.TABLE_ENTRIES * SteadyLoad.ENTRY_BYTES;
    for (int before = 0; before <= WRITES; before++) {
      TunerTest each = new TunerTest();
      each.inForce = spec("rung=" + before + ",dwell=600");
      each.live(READING, 60);
      each.inForce = each.inForce.with("rung=" + (before + 1) % AdaptiveRung.LADDER.size());
      each.live(READING, 10);
      double alive = tableBytes / AdaptiveRung.LADDER.get(before).model().space();
      assertThat(each.budget.allowance().bytes()).isEqualTo((long) (0.4 * alive));
    }
  }

  @Test
  void spaceThatARungWouldTakeRulesItOut() {
    inForce = spec("rung=5,window=5,dwell=5,max_space_ratio=1.6");
    live(WRITING, 300);
    assertThat(AdaptiveRung.LADDER.get((int) rung()).model().space()).isLessThanOrEqualTo(1.6);
    assertThat(rung()).as("the cheapest writes among those").isEqualTo(4);
  }

  @Test
  void everySwitchIsDecidedAgainFromWhatItNotes() {
    inForce = spec("rung=3,window=10,dwell=10");
    for (Rates phase : List.of(WRITING, READING, SCANNING, HOT)) {
      live(phase, 100);
    }
    assertThat(switches).hasSizeGreaterThan(2).allMatch(RungSwitch::again);
    DecisionJournal journal = new DecisionJournal(2, 1000);
    switches.forEach(made -> journal.note("users", made));
    assertThat(journal.switches())
        .extracting(DecisionJournal.FamilySwitch::made)
        .isEqualTo(switches.subList(switches.size() - 2, switches.size()));
    RungSwitch first = switches.get(0);
    RungSwitch other =
        new RungSwitch(
            first.nanos(),
            first.before(),
            first.before(),
            first.load(),
            first.shards(),
            first.reason(),
            first.allowance());
    assertThat(other.again()).isFalse();
  }

  @Test
  void equalSamplesGiveEqualSwitches() {
    List<List<RungSwitch>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      TunerTest each = new TunerTest();
      each.inForce = spec("rung=2,window=10,dwell=20");
      for (Rates phase : List.of(SCANNING, WRITING, HOT, READING)) {
        each.live(phase, 100);
      }
      runs.add(each.switches);
    }
    assertThat(runs.get(0)).isNotEmpty().isEqualTo(runs.get(1));
  }

  @Test
  void aSwitchSaysWhatItWentBy() {
    inForce = spec("rung=0,window=10,dwell=10");
    live(WRITING, 15);
    Reason reason = switches.get(0).reason();
    assertThat(reason.code()).isEqualTo(RungSwitch.CODE);
    assertThat(reason.sentence())
        .startsWith("25000000 bytes written, 0 lookups and 0 scans a second are write-heavy and")
        .contains("uniform; rungs cost, in millionths of a core: ")
        .contains(reason.numbers().get("rung1") + " leveled, ")
        .contains(" lazy-binomial,k=8,x=0.5, ")
        .endsWith("; from rung 0 to " + rung() + ", the best is " + reason.numbers().get("best"));
  }
}
