// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OnJdk17;
import io.coppice.cassandra.node.RestartSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The packaged jar in nodes of their own, on Cassandra's own class path and with three data
 * directories: fill, crash amid a major compaction, resume, go back to a stock strategy, uninstall.
 */
@OnJdk17
final class RestartIT {

  private static final long MOST_SECONDS = 300;

  @Test
  void aCrashARestartAndTheWayBackLoseNoRow() throws Exception {
    NodeFiles files = NodeFiles.fresh("restart", RestartSteps.DATA_DIRECTORIES);
    assertThat(step(files, "fill-and-crash", true)).isEqualTo(RestartSteps.CRASHED);
    assertThat(transactionLogs(files)).as("a compaction was cut off").isPositive();
    assertThat(step(files, "resume-and-leave", true)).isZero();
    assertThat(Files.readString(files.log()))
        .contains("coppice " + System.getProperty("coppice.version") + " (for Cassandra 5.0.x)")
        .contains("values tuned live before a restart are no longer in force");
    assertThat(step(files, "without-the-jar", false)).isZero();
  }

  private static long transactionLogs(NodeFiles files) throws IOException {
    long logs = 0;
    for (Path directory : files.data().toList()) {
      try (var found = Files.walk(directory)) {
        logs +=
            found
                .filter(file -> file.getFileName().toString().startsWith("nb_txn_compaction"))
                .count();
      }
    }
    return logs;
  }

  /** Runs a step in its own process; its output is shown when it fails. */
  private static int step(NodeFiles files, String step, boolean withJar)
      throws IOException, InterruptedException {
    Path output = files.home().resolve(step + ".txt");
    Process process =
        ChildNode.of(files, withJar, RestartSteps.class, List.of(step, files.home().toString()))
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).as(step + " ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() == 1) {
      System.out.println(Files.readString(output));
    }
    return process.exitValue();
  }
}
