// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lets Jazzer look for inputs that a parser does not bear, by hand: {@code mvn -Pfuzz -f engine
 * test}. What it finds is printed as a line for the target's corpus.
 */
class FuzzLong {

  private static final String WHICH = System.getProperty("fuzz.target", "all");
  private static final int SECONDS = Integer.getInteger("fuzz.seconds", 300);
  private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second");
  private static final Pattern COVERED = Pattern.compile("cov: (\\d+)");

  @ParameterizedTest
  @EnumSource(FuzzTarget.class)
  void noInputIsAnsweredWronglyOrTooSlowly(FuzzTarget target) throws Exception {
    Assumptions.assumeTrue(WHICH.equals("all") || WHICH.equals(target.name()));
    long seed = Seeds.seed(1);
    LongRun run = new LongRun(getClass(), seed);
    Path directory = Path.of("target", "fuzz", target.name());
    Path inputs = Files.createDirectories(directory.resolve("inputs"));
    int number = 0;
    for (byte[] input : FuzzCorpusTest.inputs(target)) {
      Files.write(inputs.resolve("seed" + number++), input);
    }
    Process jazzer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx512m",
                "-Dfuzz.target=" + target,
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + FuzzRun.class.getName(),
                "--instrumentation_includes=io.coppice.**",
                "--disabled_hooks=**",
                "--reproducer_path=" + directory,
                "-artifact_prefix=" + directory + "/found-",
                "-max_total_time=" + SECONDS,
                "-timeout=30",
                "-rss_limit_mb=2048",
                "-seed=" + seed,
                inputs.toString())
            .redirectErrorStream(true)
            .start();
    String log = new String(jazzer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Files.writeString(directory.resolve("log"), log);
    StringBuilder found = new StringBuilder();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "found-*")) {
      for (Path file : files) {
        found.append(HexFormat.of().formatHex(Files.readAllBytes(file))).append('\n');
      }
    }
    assertThat(jazzer.waitFor()).as("%s; for the corpus:%n%s", directory, found).isZero();
    run.passed(
        target.name(),
        Map.of(
            "runs",
            last(DONE, log),
            "covered",
            last(COVERED, log),
            "inputs",
            (long) List.of(inputs.toFile().list()).size(),
            "found",
            0L));
  }

  private static long last(Pattern pattern, String log) {
    Matcher matcher = pattern.matcher(log);
    long last = -1;
    while (matcher.find()) {
      last = Long.parseLong(matcher.group(1));
    }
    return last;
  }
}
