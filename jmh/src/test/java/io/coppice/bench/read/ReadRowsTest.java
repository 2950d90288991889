// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.SuiteRow;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReadRowsTest {

  private static SuiteRow row(String id, Samples samples) {
    return ReadRows.row(ReadRows.matching(id).get(0), samples);
  }

  private static Samples samples(String... lines) {
    Samples samples = new Samples();
    List.of(lines).forEach(samples::add);
    return samples;
  }

  @Test
  void everyRowHasAnIdOfItsOwnAndNeedsWhatExists() {
    assertThat(ReadRows.ALL).extracting(RowSpec::id).doesNotHaveDuplicates().hasSize(76);
    for (RowSpec row : ReadRows.ALL) {
      if (row.contest()) {
        assertThat(Contest.named(row.on()).sides())
            .as(row.id())
            .extracting(Contest.Side::name)
            .containsAll(row.side())
            .containsAll(row.others());
      } else if (!row.counts()) {
        assertThat(row.cell().orElseThrow().id()).isEqualTo(row.on());
        assertThat(row.sides()).as(row.id()).hasSizeGreaterThan(1);
      }
    }
    assertThat(Contest.ALL).extracting(Contest::id).doesNotHaveDuplicates();
  }

  @Test
  void aGoalThatNamesNoNumberOfClientsIsSetForEachThatIsMeasured() {
    Samples ring = samples("readers_1 ring rate=128", "readers_1 pool rate=100");
    assertThat(row("cold_point_ring_over_pool", ring).met()).isFalse();
    Samples filters = samples("filters_hit_1 on rate=32", "filters_hit_1 off rate=10");
    assertThat(row("cold_hit_filters_on_over_off", filters).met()).isFalse();
    Samples seeks = samples("cold_seek_1 adaptive rate=43", "cold_seek_1 serial rate=10");
    assertThat(row("cold_seek_parallel_over_serial", seeks).met()).isTrue();
  }

  @Test
  void theAdaptiveSchemeIsComparedInSixteenCells() {
    assertThat(ReadRows.matching("adaptive_over_best_*")).hasSize(16);
    assertThat(ReadRows.matching("{hot_hit_over_rocksdb,cold_seek_*}")).hasSize(3);
  }

  @Test
  void theFasterSerialIsThePeerAndBothAreNamed() {
    Samples samples =
        samples(
            "direct_off_miss_1 serial rate=500 p50=2000",
            "direct_off_miss_1 serial rate=700 p50=1900",
            "direct_off_miss_1 serial_mapped rate=650 p50=1600",
            "direct_off_miss_1 serial_mapped rate=650 p50=1600",
            "direct_off_miss_1 fixed rate=2600 p50=400",
            "direct_off_miss_1 fixed rate=2600 p50=410");
    SuiteRow row = row("cold_point_fc_over_serial", samples);
    assertThat(row.peer().median()).isEqualTo(650);
    assertThat(row.ratio().median()).isEqualTo(4);
    assertThat(row.met()).isTrue();
    assertThat(row.note())
        .contains("over serial_mapped", "serial 600", "serial_mapped 650", "p50 405.0");
  }

  @Test
  void aSideThatWasNotColdIsNoPeer() {
    Samples samples =
        samples(
            "direct_off_miss_1 serial rate=500 p50=2000",
            "direct_off_miss_1 serial_mapped rate=9000 p50=16",
            "direct_off_miss_1 fixed rate=2600 p50=400");
    samples.warm("direct_off_miss_1 serial_mapped 0.41");
    SuiteRow row = row("cold_point_fc_over_serial", samples);
    assertThat(row.peer().median()).isEqualTo(500);
    assertThat(row.note()).contains("serial_mapped 9,000 (not cold: 41% in memory)");
  }

  @Test
  void everyCellInAMemoryGroupHasRowsBesideRocksDbAndBesideReadsByCall() {
    Set<String> cells =
        ReadRows.ALL.stream().filter(RowSpec::grouped).map(RowSpec::on).collect(Collectors.toSet());
    assertThat(cells).hasSize(12);
    for (String cell : cells) {
      List<RowSpec> rows = ReadRows.ALL.stream().filter(row -> row.on().equals(cell)).toList();
      assertThat(rows).as(cell).extracting(RowSpec::id).anyMatch(id -> id.contains("rocksdb"));
      assertThat(rows).as(cell).extracting(RowSpec::id).anyMatch(id -> id.contains("_read_"));
      assertThat(rows)
          .as(cell)
          .anyMatch(
              row ->
                  row.sides()
                      .containsAll(
                          List.of(
                              ReadSide.GROUPED_ROCKSDB,
                              ReadSide.GROUPED_ROCKSDB_DIRECT,
                              ReadSide.GROUPED_ROCKSDB_MAPPED)))
          .allMatch(row -> row.sides().size() > 1);
    }
    assertThat(ReadRows.matching("memory_4x_hit_p99_over_rocksdb_8")).hasSize(1);
  }

  private static Samples inGroup(String cell, int device, String... ratesBySide) {
    Samples samples = new Samples();
    for (String side : ratesBySide) {
      samples.add(cell + " " + side + " p50=1 p99=2 cpu=3 device=" + device);
    }
    return samples;
  }

  @Test
  void theFastestModeOfRocksDbIsThePeerInAGroup() {
    Samples samples =
        inGroup(
            "memory_4x_hit_8",
            4096,
            "forest rate=50000",
            "rocksdb rate=40000",
            "rocksdb_direct rate=48000",
            "rocksdb_mapped rate=9000");
    SuiteRow row = row("memory_4x_hit_over_rocksdb_8", samples);
    assertThat(row.peer().median()).isEqualTo(48_000);
    assertThat(row.met()).isTrue();
    assertThat(row.note())
        .contains("forest over rocksdb_direct", "rocksdb_mapped 9,000", "device 4096 and 4096");
  }

  @Test
  void aGroupWithoutEffectGivesNoVerdict() {
    String[] sides = {
      "forest rate=50000",
      "rocksdb rate=40000",
      "rocksdb_direct rate=48000",
      "rocksdb_mapped rate=9000"
    };
    SuiteRow larger = row("memory_4x_hit_over_rocksdb_8", inGroup("memory_4x_hit_8", 100, sides));
    assertThat(larger.hasGoal()).isFalse();
    assertThat(larger.note()).contains("not judged: forest read 100 bytes per operation");
    Samples fitting = inGroup("memory_fits_hit_1", 4000, "forest rate=50", "forest_read rate=40");
    SuiteRow fits = row("memory_fits_hit_default_over_read_1", fitting);
    assertThat(fits.hasGoal()).isFalse();
    assertThat(fits.note()).contains("did not fit");
  }

  @Test
  void whatIsCountedIsComparedWithItsBound() {
    Samples samples =
        samples(
            "counts_hit ours lookups=1000 candidates=17000 blocks=1100 false_positives=70",
            "counts_miss ours lookups=1000 candidates=17000 blocks=153 false_positives=153",
            "counts_filters ours filter_bytes=1250 data_bytes=100000");
    SuiteRow blocks = row("hit_blocks_within_bound", samples);
    assertThat(blocks.ours().median()).isEqualTo(1.1);
    assertThat(blocks.peer().median()).isEqualTo(1.153);
    assertThat(blocks.met()).isTrue();
    assertThat(row("filter_false_positive_percent", samples).ours().median()).isEqualTo(0.9);
    assertThat(row("filter_memory_percent", samples).met()).isTrue();
  }

  @Test
  void everyWrongOptionIsNamedAtOnce() {
    Map<String, String> given =
        Map.of("scale", "smal", "seconds", "0", "rounds", "x", "rows", "none*", "num", "5");
    assertThatThrownBy(() -> ReadOptions.parse(given, List.of("--ruonds=2")))
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("--scale (smal) must be one of tiny, small, large; nearest is small")
        .hasMessageContaining("--seconds (0)")
        .hasMessageContaining("--rounds (x)")
        .hasMessageContaining("--rows (none*) matches no row")
        .hasMessageContaining("--num is no option of a suite")
        .hasMessageContaining("--ruonds is no option of a suite; nearest is --rounds");
  }

  @Test
  void argumentsReadBackAsEqualOptions() {
    ReadOptions options =
        ReadOptions.parse(Map.of("scale", "tiny", "rows", "hot_*", "keep", "true"), List.of());
    assertThat(RecordJson.parse(RecordJson.line(options), ReadOptions.class)).isEqualTo(options);
    assertThat(options.rounds()).isEqualTo(ReadScale.ALL.get("tiny").rounds());
  }
}
