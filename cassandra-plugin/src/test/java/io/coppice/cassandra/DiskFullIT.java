// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.node.DiskFullSteps;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OnJdk17;
import io.coppice.cassandra.node.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A node whose disk fills amid a merge does what {@code disk_failure_policy} says. */
@OnJdk17
final class DiskFullIT {

  private static final long MAX_SECONDS = 300;

  @Test
  void theNodeStopsOrDiesAsItsPolicySaysAndLosesNothing() throws Exception {
    NodeFiles files = NodeFiles.fresh("disk-full", 1);
    try {
      int first = life(files, "fill");
      Assumptions.assumeTrue(first != DiskFullSteps.SKIPPED, "a tmpfs can be mounted");
      assertThat(first).isEqualTo(DiskFullSteps.DIED);
      assertThat(Files.readString(files.log()))
          .contains("No space left on device")
          .contains("Stopping transports as disk_failure_policy is stop");
      SmallDisk.empty(directory(files));
      assertThat(life(files, "after")).isZero();
    } finally {
      SmallDisk.unmount(directory(files));
    }
  }

  private static Path directory(NodeFiles files) throws IOException {
    try (var tables = Files.list(files.data().findFirst().orElseThrow().resolve("ks"))) {
      return tables.findFirst().orElseThrow();
    }
  }

  /** Lives one life in its own process; its output is shown when it fails. */
  private static int life(NodeFiles files, String which) throws IOException, InterruptedException {
    Path output = files.home().resolve(which + ".txt");
    Process process =
        ChildNode.of(
                files,
                Optional.of(ChildNode.JAR),
                DiskFullSteps.class,
                List.of(files.home().toString(), which))
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(which + " ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() == 1) {
      System.out.println(Files.readString(output));
    }
    return process.exitValue();
  }
}
