// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.sight;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleCostTest {

  @TempDir Path directory;

  @Test
  void aStoreIsAskedOverASocketForWhatTheConsoleShows() throws Exception {
    try (BeanTarget store = StoreBeanTarget.with(50, directory.resolve("store"))) {
      for (String operation : new String[] {"snapshot", "tableMap"}) {
        BeanCallCost look = BeanCallCost.at(store.beans(), store.bean(), operation, 1, 3);
        assertThat(look.operation()).isEqualTo(operation);
        assertThat(look.bytes()).isGreaterThan(1000);
        assertThat(look.mostMillis()).isGreaterThanOrEqualTo(look.medianMillis());
      }
    }
    assertThat(directory).isEmptyDirectory();
  }
}
