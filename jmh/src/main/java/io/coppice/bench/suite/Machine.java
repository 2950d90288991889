// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import com.google.common.hash.Hashing;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Machine and software of a run.
 *
 * @param load load average of the minute before the run; negative if the system has none
 */
public record Machine(
    String processor,
    int cores,
    long memoryBytes,
    String system,
    double load,
    String java,
    String commit) {

  public static Machine now() {
    var facts = ManagementFactory.getOperatingSystemMXBean();
    long memory =
        facts instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : 0;
    return new Machine(
        processorName(),
        facts.getAvailableProcessors(),
        memory,
        facts.getName() + " " + facts.getVersion() + " " + facts.getArch(),
        facts.getSystemLoadAverage(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        commitHere());
  }

  /**
   * Returns a line that identifies code and machine; parts of a run with another mark do not count.
   */
  public String mark() {
    return String.join(" ", commit, processor, java);
  }

  public String line() {
    return String.format(
        Locale.ROOT,
        "%s, %d cores, %.0f GiB, %s, load %.1f before; %s; commit %s",
        processor,
        cores,
        memoryBytes / (double) (1L << 30),
        system,
        load,
        java,
        commit);
  }

  private static String processorName() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).strip();
        }
      }
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
    return System.getProperty("os.arch");
  }

  /** The commit of the code that runs, as far as it can be told. */
  private static String commitHere() {
    Path here = Path.of("");
    return code().flatMap(Machine::commit).or(() -> commit(here)).orElse("unknown");
  }

  /** The directory of the jar or of the classes. */
  private static Optional<Path> code() {
    try {
      return Optional.ofNullable(
          Path.of(Machine.class.getProtectionDomain().getCodeSource().getLocation().toURI())
              .getParent());
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns the commit of the repository around a directory; empty without one. A changed tree adds
   * a plus and a hash of the changes.
   */
  static Optional<String> commit(Path directory) {
    String commit = git(directory, "rev-parse", "--short", "HEAD");
    if (commit.isEmpty()) {
      return Optional.empty();
    }
    String changes =
        git(directory, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "HEAD");
    return Optional.of(
        changes.isEmpty()
            ? commit
            : commit + "+" + Hashing.crc32c().hashString(changes, StandardCharsets.UTF_8));
  }

  private static String git(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    try {
      Process git =
          new ProcessBuilder(command)
              .directory(directory.toAbsolutePath().toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer =
          new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return git.waitFor() == 0 ? answer : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
