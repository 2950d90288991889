// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.cassandra.CoppiceCompactionStrategy;
import io.coppice.cassandra.DelayedCompactionStrategy;
import io.coppice.cassandra.GroupedCompactionStrategy;
import io.coppice.cassandra.LazyBinomialCompactionStrategy;
import io.coppice.policy.WrongOptions;
import io.coppice.policy.spec.PolicySpec;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class CqlOptionsTest {

  private static final String POLICY = "split-forest";

  @Test
  void defaultsAreAFanoutOfFourAndSstablesOf160MiB() {
    assertThat(CqlOptions.spec(POLICY, Map.of()).toString())
        .isEqualTo(
            "split-forest,fanout=4,table_size=160MiB,cleaning_threshold=10"
                + ",max_transient_space=unlimited");
  }

  @Test
  void bothEndsOfEachRangeAreTakenAndBeyondThemIsRefused() {
    assertThat(CqlOptions.check(POLICY, Map.of("table_size", "1MiB", "fanout", "2"))).isEmpty();
    assertThat(CqlOptions.check(POLICY, Map.of("table_size", "10GiB", "fanout", "32"))).isEmpty();
    refused(Map.of("table_size", "1048575"), "table_size (1048575) must be in 1MiB..10GiB");
    refused(Map.of("table_size", "11GiB"), "table_size (11GiB) must be in 1MiB..10GiB");
    refused(Map.of("fanout", "33"), "fanout (33) must be in 2..32");
    refused(Map.of("fanout", "many"), "fanout (many) must be a whole number in 2..32");
  }

  static Stream<WrongOptions> wrongOptions() {
    return WrongOptions.all(CqlOptions.LIMITS);
  }

  @ParameterizedTest
  @MethodSource("wrongOptions")
  void wrongOptionsOfEveryPolicyAreReportedInTheWordsOfEveryDoor(WrongOptions wrong) {
    assertThatThrownBy(() -> CqlOptions.check(wrong.policy(), wrong.options()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "coppice " + PluginVersion.version() + ": " + String.join("; ", wrong.complaints()));
  }

  @Test
  void everyFaultIsInTheOneMessage() {
    refused(
        Map.of(
            "fanout", "0",
            "tombstone_threshold", "-1",
            "tombstone_compaction_interval", "soon",
            "only_purge_repaired_tombstones", "yes",
            "provide_overlapping_tombstones", "column",
            "tabel_size", "4MiB",
            "min_threshold", "4"),
        "fanout (0)",
        "tombstone_threshold (-1) must be a number of 0 or more",
        "tombstone_compaction_interval (soon) must be a whole number",
        "only_purge_repaired_tombstones (yes) must be true or false",
        "provide_overlapping_tombstones (column) must be one of NONE, ROW, CELL",
        "'tabel_size' is not understood; did you mean 'table_size'?",
        "'min_threshold' is not understood");
  }

  @Test
  void thresholdsAloneAreHandedBackAsCassandraTriesThemItself() {
    Map<String, String> thresholds = Map.of("min_threshold", "4", "max_threshold", "32");
    assertThat(CqlOptions.check(POLICY, thresholds)).isEqualTo(thresholds);
  }

  @Test
  void spaceAndCleaningAreOptionsOfEveryStrategy() {
    for (String policy : PolicySpec.policyNames()) {
      PolicySpec spec =
          CqlOptions.spec(policy, Map.of("cleaning_threshold", "3", "max_transient_space", "2%"));
      assertThat(spec.value("cleaning_threshold")).isEqualTo(3);
      assertThat(spec.transientBytes(1 << 30)).isEqualTo((1 << 30) / 50);
    }
    refused(Map.of("max_transient_space", "101%"), "max_transient_space (101%) must be in");
  }

  @Test
  void oneClassTakesThePolicyAsAWord() {
    assertThat(CoppiceCompactionStrategy.validateOptions(Map.of())).isEmpty();
    for (String policy : PolicySpec.policyNames()) {
      assertThat(CoppiceCompactionStrategy.validateOptions(Map.of("policy", policy))).isEmpty();
    }
    assertThatThrownBy(
            () ->
                CoppiceCompactionStrategy.validateOptions(
                    Map.of("policy", "delay", "vct", "99", "enabled", "no")))
        .hasMessageContaining("policy 'delay' is not understood; did you mean 'delayed'?")
        .hasMessageContaining("vct (99) must be in 0..64")
        .hasMessageContaining("enabled (no) must be true or false");
    assertThatThrownBy(
            () -> CoppiceCompactionStrategy.validateOptions(Map.of("policy", "delayed", "k", "3")))
        .hasMessageContaining("'k' is not understood");
    refused(Map.of("policy", "delayed"), "'policy' is not understood");
  }

  @Test
  void eachStrategyHasItsOwnOptions() {
    assertThat(DelayedCompactionStrategy.validateOptions(Map.of("vct", "8", "vsmt", "3")))
        .isEmpty();
    assertThat(GroupedCompactionStrategy.validateOptions(Map.of("groups", "5"))).isEmpty();
    assertThat(LazyBinomialCompactionStrategy.validateOptions(Map.of("k", "6", "x", "0.25")))
        .isEmpty();
    assertThatThrownBy(() -> DelayedCompactionStrategy.validateOptions(Map.of("groups", "5")))
        .hasMessageContaining("'groups' is not understood");
  }

  @Test
  void levelsGrowByTheLawOfThePolicy() {
    assertThat(CqlOptions.fanout(CqlOptions.spec("delayed", Map.of()))).isEqualTo(10);
    assertThat(CqlOptions.fanout(CqlOptions.spec("grouped", Map.of("groups", "7")))).isEqualTo(7);
    assertThat(CqlOptions.fanout(CqlOptions.spec("lazy-binomial", Map.of()))).isEqualTo(4);
  }

  @Test
  void anotherLineOfCassandraIsRefusedInWords() {
    assertThat(PluginVersion.complaint("5.0.9")).isEmpty();
    assertThat(PluginVersion.complaint("5.0-rc1")).isEmpty();
    assertThat(PluginVersion.complaint("Unknown")).isEmpty();
    assertThat(PluginVersion.complaint("4.1.10").orElseThrow())
        .contains("this node runs Cassandra 4.1.10")
        .contains("is for Cassandra 5.0.x");
    assertThat(PluginVersion.complaint("6.0-alpha2")).isPresent();
    assertThat(PluginVersion.complaint("5.1.0")).isPresent();
  }

  private static void refused(Map<String, String> options, String... complaints) {
    var thrown =
        assertThatThrownBy(() -> CqlOptions.check(POLICY, options))
            .isInstanceOf(ConfigurationException.class);
    for (String complaint : complaints) {
      thrown.hasMessageContaining(complaint);
    }
  }
}
