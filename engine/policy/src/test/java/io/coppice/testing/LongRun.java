// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The machine-readable record of a run under {@code -Plong}: {@code target/long/<test>.json} with
 * commit, seed, JDK, duration and what was counted. Does nothing in other runs.
 */
public final class LongRun {

  private final String test;
  private final long seed;
  private final Instant started = Instant.now();

  /** Starts now. */
  public LongRun(Class<?> test, long seed) {
    this.test = test.getSimpleName();
    this.seed = seed;
  }

  /** Records a run that passed. */
  public void passed(String part, Map<String, Long> counts) {
    if (!Boolean.getBoolean("coppice.long")) {
      return;
    }
    String figures =
        counts.entrySet().stream()
            .map(count -> "\"" + count.getKey() + "\":" + count.getValue())
            .collect(Collectors.joining(","));
    String line =
        String.format(
            "{\"test\":\"%s\",\"part\":\"%s\",\"commit\":\"%s\",\"seed\":%d,\"jdk\":\"%s\","
                + "\"started\":\"%s\",\"seconds\":%d,%s,\"result\":\"passed\"}%n",
            test,
            part,
            commit(),
            seed,
            System.getProperty("java.version"),
            started,
            Duration.between(started, Instant.now()).toSeconds(),
            figures);
    try {
      Path directory = Files.createDirectories(Path.of("target", "long"));
      Files.writeString(
          directory.resolve(
              test + "-" + part.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".json"),
          line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String commit() {
    try {
      Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").start();
      try (BufferedReader out =
          new BufferedReader(new InputStreamReader(git.getInputStream(), StandardCharsets.UTF_8))) {
        String line = out.readLine();
        return line == null ? "unknown" : line;
      }
    } catch (IOException e) {
      return "unknown";
    }
  }
}
