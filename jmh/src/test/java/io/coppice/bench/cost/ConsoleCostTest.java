// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.report.FigureTables;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleCostTest {

  @TempDir Path directory;

  @Test
  void aStoreIsAskedOverASocketForWhatTheConsoleShows() throws Exception {
    try (BeanTarget store = StoreBeanTarget.with(50, directory.resolve("store"))) {
      for (String operation : new String[] {"snapshot", "tableMap"}) {
        BeanCallCost sample = BeanCallCost.at(store.beans(), store.bean(), operation, 1, 3);
        assertThat(sample.operation()).isEqualTo(operation);
        assertThat(sample.bytes()).isGreaterThan(1000);
        assertThat(sample.maxMillis()).isGreaterThanOrEqualTo(sample.medianMillis());
        ConsoleCostCommand.Row row = new ConsoleCostCommand.Row(store.name(), sample);
        assertThat(FigureTables.json("console-cost", row).get("call").asText())
            .isEqualTo(operation);
      }
    }
    assertThat(directory).isEmptyDirectory();
  }
}
