// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.policy.WrongOptions;
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
        .isEqualTo("split-forest,fanout=4,table_size=160MiB,cleaning_threshold=10");
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
        .hasMessage(String.join("; ", wrong.complaints()));
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
  void earlyCleaningIsNotAnOptionWhileMergesRunInOnePiece() {
    refused(Map.of("cleaning_threshold", "-1"), "cleaning_threshold (-1) must be in 0..1000");
  }

  @Test
  void anotherLineOfCassandraIsRefusedInWords() {
    assertThat(Release.complaint("5.0.9")).isEmpty();
    assertThat(Release.complaint("5.0-rc1")).isEmpty();
    assertThat(Release.complaint("Unknown")).isEmpty();
    assertThat(Release.complaint("4.1.10").orElseThrow())
        .contains("this node runs Cassandra 4.1.10")
        .contains("is for Cassandra 5.0.x");
    assertThat(Release.complaint("6.0-alpha2")).isPresent();
    assertThat(Release.complaint("5.1.0")).isPresent();
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
