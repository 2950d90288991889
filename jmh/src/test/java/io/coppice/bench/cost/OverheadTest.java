// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.report.FigureTables;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.suite.ParentLines;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OverheadTest {

  @TempDir Path directory;

  private List<String> output(int keys, int pairs) throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    new OverheadProcess.Task(directory.resolve("stores"), keys, pairs, 7)
        .run(new ParentLines(new PrintStream(output, true, StandardCharsets.UTF_8)));
    return output.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void bothSidesTakeTurnsAndTellWhatTheyCost() throws Exception {
    List<String> lines = output(2000, 2);
    List<String> turns = lines.stream().filter(line -> !line.startsWith("at ")).toList();
    assertThat(turns)
        .extracting(line -> line.split(" ")[0])
        .containsExactly("on", "off", "off", "on");
    for (String turn : turns) {
      Costs costs = RecordJson.parse(turn.split(" ", 2)[1], Costs.class);
      assertThat(costs.fillNanos()).isNotNegative();
      assertThat(costs.readNanos()).isNotNegative();
      assertThat(costs.fillBytes()).isNotNegative();
    }
    assertThat(lines).last().isEqualTo("at pairs 6 6");
    assertThat(directory).isEmptyDirectory();
  }

  /** A figure that cannot be read. */
  public interface Broken {
    /** Throws. */
    long getValue();
  }

  @Test
  void aBeanThatDoesNotAnswerIsTold() throws Exception {
    Broken broken =
        () -> {
          throw new IllegalStateException("planted");
        };
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("io.coppice:type=Metrics,store=watched,name=Broken");
    beans.registerMBean(new StandardMBean(broken, Broken.class), name);
    try {
      assertThatThrownBy(() -> output(1000, 1))
          .hasMessageContaining("reading the store's beans failed")
          .hasMessageContaining("name=Broken does not answer");
    } finally {
      beans.unregisterMBean(name);
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aRowHasTheMedianOfThePairsAndItsInterval() throws Exception {
    SuiteRow pairs =
        SuiteRow.moreIsBetter(
            "row", "B", new double[] {3, 4}, new double[] {2, 2}, SuiteRow.NO_GOAL, "bar");
    JsonNode row = FigureTables.json("overhead", new OverheadCommand.Row(pairs));
    assertThat(row.get("more").asDouble()).isEqualTo(1.5);
    assertThat(row.get("ratio").asDouble()).isEqualTo(1.75);
    assertThat(row.get("high").asDouble()).isEqualTo(2);
  }
}
