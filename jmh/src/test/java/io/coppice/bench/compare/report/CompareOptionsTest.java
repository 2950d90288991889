// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.workload.LoadShape;
import org.junit.jupiter.api.Test;

class CompareOptionsTest {

  @Test
  void defaultsAreThoseOfTheHelp() {
    CompareOptions options = Results.options();
    assertThat(options.scale().name()).isEqualTo("first");
    assertThat(options.contenders())
        .extracting(Contender::id)
        .containsExactly(
            "stcs", "lcs", "ucs-t4", "split-forest", "split-forest-8", "lazy-binomial");
    assertThat(Results.options("strategies", "first")).isEqualTo(options);
    assertThat(Results.options("strategies", "all").contenders())
        .extracting(Contender::id)
        .containsExactly(
            ("stcs stcs-8 lcs ucs-t4 ucs-t8 ucs-l10 split-forest split-forest-8 grouped"
                    + " lazy-binomial delayed")
                .split(" "));
    assertThat(options.command()).isEqualTo("mvn -q -Pcompare -Dscale=first -Drepeats=1 -Dseed=42");
    assertThat(Results.options("scale", "small", "strategies", "all").command())
        .isEqualTo("mvn -q -Pcompare -Dscale=small -Dstrategies=all -Drepeats=1 -Dseed=42");
    assertThat(options.seed()).isEqualTo(42);
    assertThat(options.keep()).isFalse();
  }

  @Test
  void everyScaleHasEnoughFlushesAndRows() {
    for (Scale scale : Scale.ALL) {
      assertThat(scale.load().flushes() - scale.load().bulkFlushes())
          .isGreaterThanOrEqualTo(Need.LOAD.flushes())
          .isGreaterThanOrEqualTo(LoadShape.FLUSHES_TO_JUDGE);
      assertThat(scale.reads().sampleRows()).isGreaterThanOrEqualTo(Scale.ROWS_TO_VERIFY);
    }
  }

  @Test
  void cqlNamesClassAndOptions() {
    assertThat(Contender.all(2).get(3).cql())
        .isEqualTo(
            "{'class': 'org.apache.cassandra.db.compaction.UnifiedCompactionStrategy',"
                + " 'min_sstable_size': '1024KiB', 'scaling_parameters': 'T4',"
                + " 'target_sstable_size': '2MiB'}");
  }
}
