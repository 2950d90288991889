// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.SteadyLoad;
import io.coppice.policy.SteadyLoad.Rates;
import io.coppice.testing.Seeds;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LoadAveragerTest {

  private static final double WINDOW = 60;
  private static final int SAMPLES = 60;

  static Stream<Arguments> loads() {
    return Stream.of(
        load(Rates.writing(0.1), Load.Mix.IDLE, Load.Keys.UNIFORM),
        load(Rates.writing(10_000), Load.Mix.WRITE_HEAVY, Load.Keys.UNIFORM),
        load(Rates.writing(10_000).skewed(), Load.Mix.WRITE_HEAVY, Load.Keys.SKEWED),
        load(Rates.reading(10_000), Load.Mix.READ_HEAVY, Load.Keys.UNIFORM),
        load(Rates.reading(10_000).skewed(), Load.Mix.READ_HEAVY, Load.Keys.SKEWED),
        load(Rates.scanning(100), Load.Mix.SCAN_HEAVY, Load.Keys.UNIFORM),
        // The shares of Livernoche's examples, from both sides.
        load(Rates.mixed(1000, 9100), Load.Mix.READ_HEAVY, Load.Keys.UNIFORM),
        load(Rates.mixed(1000, 8900), Load.Mix.MIXED, Load.Keys.UNIFORM),
        load(Rates.mixed(6100, 3900), Load.Mix.WRITE_HEAVY, Load.Keys.UNIFORM),
        load(Rates.mixed(5900, 4100), Load.Mix.MIXED, Load.Keys.UNIFORM),
        load(Rates.mixed(5000, 5000).skewed(), Load.Mix.MIXED, Load.Keys.SKEWED));
  }

  private static Arguments load(Rates rates, Load.Mix mix, Load.Keys keys) {
    return Arguments.of(rates, mix, keys);
  }

  @ParameterizedTest
  @MethodSource("loads")
  void aLoadIsWhatMostOfItIs(Rates rates, Load.Mix mix, Load.Keys keys) {
    Load load = steady(rates);
    assertThat(load.mix()).isEqualTo(mix);
    assertThat(load.keys()).isEqualTo(keys);
  }

  private static Load steady(Rates rates) {
    LoadAverager averager = new LoadAverager();
    SteadyLoad host = new SteadyLoad();
    Load load = averager.add(host.now(), WINDOW);
    for (int i = 0; i < SAMPLES; i++) {
      load = averager.add(host.after(5, rates), WINDOW);
    }
    return load;
  }

  @Test
  void ratesOfASteadyLoadAreItsRatesHoweverItIsSampled() {
    long seed = Seeds.first();
    Random random = Seeds.random(seed, 0);
    LoadAverager averager = new LoadAverager();
    SteadyLoad host = new SteadyLoad();
    averager.add(host.now(), WINDOW);
    Rates rates = new Rates(2000, 3000, 30, 4, 0.75, 0);
    for (int i = 0; i < SAMPLES; i++) {
      Load load = averager.add(host.after(0.5 + 20 * random.nextDouble(), rates), WINDOW);
      String what = "seed " + seed + " " + load;
      assertThat(load.writes()).as(what).isCloseTo(2000, within(20.0));
      assertThat(load.writtenBytes()).as(what).isCloseTo(200_000, within(2000.0));
      assertThat(load.lookups()).as(what).isCloseTo(3000, within(20.0));
      // The host counts whole events: each end of the samples may be one off.
      double whole = 2 / load.seconds();
      assertThat(load.misses()).as(what).isCloseTo(30, within(Math.max(2, whole)));
      assertThat(load.scans()).as(what).isCloseTo(4, within(Math.max(0.5, whole)));
      assertThat(load.seconds()).as(what).isLessThanOrEqualTo(WINDOW);
    }
    Load load = averager.add(host.after(1, rates), WINDOW);
    assertThat(load.scanLength()).isCloseTo(100, within(1.0));
    assertThat(load.lookupNanos()).isCloseTo(1500, within(1.0));
    assertThat(load.distinct()).isCloseTo(0.75, within(0.01));
    assertThat(load.flushEntries()).isCloseTo(SteadyLoad.FLUSH_ENTRIES, within(2000.0));
  }

  @Test
  void anOldLoadFadesByTheWindow() {
    LoadAverager averager = new LoadAverager();
    SteadyLoad host = new SteadyLoad();
    averager.add(host.now(), WINDOW);
    for (int i = 0; i < SAMPLES; i++) {
      averager.add(host.after(5, Rates.writing(1000)), WINDOW);
    }
    Load load = null;
    for (int i = 0; i < 12; i++) {
      load = averager.add(host.after(5, Rates.reading(1000)), WINDOW);
    }
    assertThat(load.writes()).isCloseTo(1000 / Math.E, within(20.0));
    assertThat(load.lookups()).isCloseTo(1000 * (1 - 1 / Math.E), within(20.0));
    // What is known of flushes stays, although none came.
    assertThat(load.flushBytes()).isCloseTo(100.0 * SteadyLoad.FLUSH_ENTRIES, within(2e5));
  }

  @Test
  void countersThatBeginAnewAreAFirstSample() {
    LoadAverager averager = new LoadAverager();
    SteadyLoad host = new SteadyLoad();
    averager.add(host.now(), WINDOW);
    final Load before = averager.add(host.after(60, Rates.writing(1000)), WINDOW);
    SteadyLoad again = new SteadyLoad();
    Load reopened = averager.add(again.after(1, Rates.writing(10)), WINDOW);
    assertThat(reopened.writes()).isEqualTo(before.writes());
    assertThat(averager.add(again.after(600, Rates.writing(10)), WINDOW).writes())
        .isCloseTo(10, within(1.0));
  }

  @Test
  void overwritesOfFewKeysThatAreAlikeAreNoSkew() {
    // A memtable as large as the store: alike keys leave 1 - 1/e of its entries.
    double left = 1 - 1 / Math.E;
    assertThat(load(left, 1000, 1000).writtenKeys()).isEqualTo(Load.Keys.UNIFORM);
    assertThat(load(0.8 * left, 1000, 1000).writtenKeys()).isEqualTo(Load.Keys.SKEWED);
    assertThat(load(left, 1000, 1_000_000).writtenKeys()).isEqualTo(Load.Keys.SKEWED);
  }

  private static Load load(double distinct, double flushEntries, long tableEntries) {
    return new Load(
        1, 1000, 1e5, 0, 0, 0, 0, 0, distinct, 0, 1e5, flushEntries, 1 << 30, tableEntries);
  }

  @Test
  void pairsTellHeavyHitters() {
    assertThat(LookupSkew.of(new long[] {7, 3, 7, 7, 3, 9}, 6)).isEqualTo(new LookupSkew(15, 4));
    assertThat(LookupSkew.of(new long[] {7, 7, 7}, 1)).isEqualTo(LookupSkew.NONE);
    assertThat(LookupSkew.NONE.plus(new LookupSkew(15, 4))).isEqualTo(new LookupSkew(15, 4));
    long seed = Long.getLong("seed", 11);
    Random random = new Random(seed);
    int keys = 100_000;
    double[] law = zipf(keys);
    LookupSkew alike = LookupSkew.NONE;
    LookupSkew hot = LookupSkew.NONE;
    for (int round = 0; round < 10; round++) {
      alike = alike.plus(LookupSkew.of(random.longs(512, 0, keys).toArray(), 512));
      long[] drawn = random.doubles(512).mapToLong(at -> rank(law, at)).toArray();
      hot = hot.plus(LookupSkew.of(drawn, 512));
    }
    assertThat(reads(alike, keys)).as("seed " + seed).isEqualTo(Load.Keys.UNIFORM);
    assertThat(reads(hot, keys)).as("seed " + seed).isEqualTo(Load.Keys.SKEWED);
  }

  private static Load.Keys reads(LookupSkew seen, long keys) {
    double sameKey = (double) seen.equal() / seen.pairs();
    return new Load(1, 0, 0, 1000, 0, 0, 0, 0, 1, sameKey, 0, 0, 1 << 30, keys).readKeys();
  }

  /** Zipf 0.99, added up. */
  private static double[] zipf(int keys) {
    double[] sums = new double[keys];
    double sum = 0;
    for (int i = 0; i < keys; i++) {
      sum += Math.pow(i + 1.0, -0.99);
      sums[i] = sum;
    }
    for (int i = 0; i < keys; i++) {
      sums[i] /= sum;
    }
    return sums;
  }

  private static int rank(double[] sums, double at) {
    int found = Arrays.binarySearch(sums, at);
    return found < 0 ? -found - 1 : found;
  }
}
