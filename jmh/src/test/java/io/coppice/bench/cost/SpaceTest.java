// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.report.FigureTables;
import io.coppice.bench.report.RecordJson;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SpaceTest {

  @Test
  void readsWhatItWrote() {
    Space space = new Space(1.5, 2.25, 300, 200, 50, 60, 4, 2.875, 1e8, 17);
    assertThat(RecordJson.parse(RecordJson.line(space), Space.class)).isEqualTo(space);
    assertThat(space.peakOverLive()).isEqualTo(1.5);
  }

  @Test
  void figuresThatDoNotExistAreDashesAndNull() throws Exception {
    SpaceProcess.Task task =
        new SpaceProcess.Task(Path.of("x"), "overwrite", 9, 100, 1 << 20, "leveled", 1, 0);
    Space space = new Space(1.5, 2.25, 3 << 20, 2 << 20, 1 << 20, 0, 4, 2.875, 0, 17);
    SpaceCommand.Row row = new SpaceCommand.Row(task, space, 0);
    assertThat(FigureTables.lines("space", row).get(1))
        .isEqualTo(
            "overwrite          never      1.5        2.3       3.0       2.0      1.500"
                + "            1.0          -     4   2.9           -      -");
    JsonNode json = FigureTables.json("space", row);
    assertThat(json.get("peak_mib").asDouble()).isEqualTo(3);
    assertThat(json.get("bound_mib").isNull()).isTrue();
    assertThat(json.get("merge_ratio").isNull()).isTrue();
  }

  @Test
  void aStoreWhoseLogWasFlushedHasNoSecondsForIt() throws Exception {
    RecoveryProcess.Task task = new RecoveryProcess.Task(1 << 26, 100, 0, 1 << 27, "leveled");
    RecoveryCommand.Row row =
        new RecoveryCommand.Row(task, new RecoveryProcess.Opened(0, 0.25, 0.5, 1_000_000, 3));
    assertThat(FigureTables.lines("recovery", row))
        .containsExactly(
            "value B   log MB  tables  tables MB  open s  processor s  s/GB of log",
            "    100      0.0       3        1.0    0.25         0.50            -");
    assertThat(FigureTables.json("recovery", row).get("seconds_per_log_gb").isNull()).isTrue();
  }
}
