// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.LongRun;
import io.coppice.testing.Needs;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Store, model and RocksDB give the same answers. Skipped where RocksDB's native library cannot be
 * loaded. {@code -Doracle=N} sets how many operations.
 */
class RocksOracleTest {

  private static final long OPERATIONS = Long.getLong("oracle", 200_000);
  private static final int LENGTH = 3_000;

  @TempDir Path directory;

  @Test
  void storeModelAndRocksDbAgree() throws IOException, InterruptedException {
    long seed = Seeds.seed(1_000_000);
    LongRun run = new LongRun(getClass(), seed);
    Path log =
        Boolean.getBoolean("coppice.long")
            ? Files.createDirectories(Path.of("target", "long")).resolve("RocksOracleTest.progress")
            : directory.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx1g",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.util.logging.config.file="
                    + System.getProperty("java.util.logging.config.file"),
                "-cp",
                System.getProperty("java.class.path"),
                RocksOracle.class.getName(),
                directory.toString(),
                String.valueOf(seed),
                String.valueOf(OPERATIONS),
                String.valueOf(LENGTH))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int code = process.waitFor();
    List<String> lines = Files.readAllLines(log);
    String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    Needs.that(code != RocksOracle.NO_LIBRARY, last);
    assertThat(code)
        .as("%s%n%s", String.join("\n", lines), Seeds.replay(getClass(), seed))
        .isZero();
    long compared = Long.parseLong(last.replace("compared ", ""));
    assertThat(compared).isGreaterThanOrEqualTo(OPERATIONS);
    run.passed("all", Map.of("operations", compared, "differences", 0L));
  }
}
