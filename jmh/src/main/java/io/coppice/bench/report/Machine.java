// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import static io.coppice.bench.report.Texts.text;

import com.google.common.hash.Hashing;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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
    var facts = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Machine(
        processorName(),
        facts.getAvailableProcessors(),
        facts.getTotalMemorySize(),
        facts.getName() + " " + facts.getVersion() + " " + facts.getArch(),
        facts.getSystemLoadAverage(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        commitHere());
  }

  /**
   * Returns a line that identifies code and machine. Saved results with another line are ignored.
   */
  public String mark() {
    return String.join(" ", commit, processor, java);
  }

  public String line() {
    return text(
        "%s, %d cores, %.0f GiB, %s, load %.1f before; %s; commit %s",
        processor, cores, memoryBytes / (double) (1L << 30), system, load, java, commit);
  }

  /**
   * Returns the memory in bytes that programs can still get, reclaimable page cache included.
   *
   * @param meminfo file in the format of Linux's {@code /proc/meminfo}
   * @param otherwise result if the file does not contain it
   */
  public static long availableBytes(Path meminfo, long otherwise) {
    long kibibytes = number(meminfo, "MemAvailable:", -1);
    return kibibytes < 0 ? otherwise : kibibytes << 10;
  }

  /**
   * Returns the number in the first line of a file with the given beginning.
   *
   * @param otherwise result if there is no such line
   */
  public static long number(Path file, String beginning, long otherwise) {
    return line(file, beginning)
        .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .orElse(otherwise);
  }

  private static Optional<String> line(Path file, String beginning) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.filter(line -> line.startsWith(beginning)).findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String processorName() {
    return line(Path.of("/proc/cpuinfo"), "model name")
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .orElse(System.getProperty("os.arch"));
  }

  /** Returns the commit of the running code, or {@code unknown}. */
  private static String commitHere() {
    Path here = Path.of("");
    return code().flatMap(Machine::commit).or(() -> commit(here)).orElse("unknown");
  }

  /** Returns the directory that contains the jar or the classes. */
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
   * Returns the commit of the git repository that contains a directory; empty without one. For
   * changed files it appends a plus sign and a hash of the changes.
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
      return git.onExit().join().exitValue() == 0 ? answer : "";
    } catch (IOException e) {
      return "";
    }
  }
}
