// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.report.RecordJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A child process that runs a class of this project on the class path of this process. It reports
 * progress and results by lines. The process and its data end with this process. Used once.
 */
public final class ChildJava {

  /**
   * Outcome of a process.
   *
   * @param code exit code
   * @param errors text of its standard error
   * @param wrong a wrong answer that it reported, or null
   */
  public record Ended(int code, String errors, String wrong) {

    /**
     * Returns the reason why a process has no result; empty if it has one.
     *
     * @param name name of the process in the text
     */
    public Optional<String> failure(String name) {
      if (wrong != null) {
        return Optional.of("wrong answer of " + name + ": " + wrong);
      }
      return code == 0
          ? Optional.empty()
          : Optional.of(name + " ended with code " + code + ":\n" + errors);
    }

    /**
     * Checks that a process has a result.
     *
     * @param name name of the process in the message
     * @throws RunFailedException if it has none
     */
    public void check(String name) throws RunFailedException {
      Optional<String> failure = failure(name);
      if (failure.isPresent()) {
        throw new RunFailedException(failure.get(), wrong != null);
      }
    }
  }

  /** Receiver of the lines that a process prints. */
  public interface Lines {
    void line(String line) throws IOException;
  }

  private final Path data;
  private final List<String> command = new ArrayList<>();
  private volatile Process process;

  /**
   * Prepares a process for a task.
   *
   * @param data directory of the process, for its exclusive use
   * @param flags options of the JVM
   * @param launcher words in front of the command that starts the JVM
   */
  public ChildJava(Path data, List<String> flags, ChildTask task, String... launcher) {
    this(
        data,
        flags,
        ChildTask.class,
        List.of(task.getClass().getName(), RecordJson.line(task)),
        launcher);
  }

  /**
   * Prepares a process that runs a main class without a task.
   *
   * @param data directory of the process, for its exclusive use
   * @param flags options of the JVM
   * @param arguments arguments of the main class
   * @param launcher words in front of the command that starts the JVM
   */
  public ChildJava(
      Path data, List<String> flags, Class<?> main, List<String> arguments, String... launcher) {
    this.data = data;
    command.addAll(List.of(launcher));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
  }

  /** Runs the process to its end and leaves its data in place. */
  public Ended run(Lines lines) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("coppice-bench", ".txt");
    DataAtExit leftover = DataAtExit.of(data);
    try {
      process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      try (BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
          lines.line(line);
        }
      }
      return new Ended(process.waitFor(), Files.readString(errors).strip(), null);
    } finally {
      stop();
      leftover.keep();
      Files.deleteIfExists(errors);
    }
  }

  /**
   * Runs the process to its end and shows the progress that it reports through {@link ParentLines}.
   *
   * @param heard receivers of the rest of a line, by its first word; the receiver of the empty word
   *     gets all other lines
   */
  public Ended run(ProgressLine progress, Map<String, Lines> heard)
      throws IOException, InterruptedException {
    AtomicReference<String> wrong = new AtomicReference<>();
    Ended ended =
        run(
            line -> {
              String[] words = line.split(" ", 2);
              String rest = words.length == 1 ? "" : words[1];
              switch (words[0]) {
                case "at" -> progress.at(rest);
                case "wrong" -> wrong.set(rest);
                default -> {
                  Lines known = heard.getOrDefault(words[0], heard.get(""));
                  if (known == null) {
                    throw new IOException("not understood: " + line);
                  }
                  known.line(rest);
                }
              }
            });
    return new Ended(ended.code, ended.errors, wrong.get());
  }

  /**
   * Runs the process and returns the result that it tells.
   *
   * @throws RunFailedException if the process fails or has no result
   */
  public <T> T result(Class<T> type, String name, ProgressLine progress)
      throws IOException, InterruptedException, RunFailedException {
    AtomicReference<String> result = new AtomicReference<>();
    run(progress, Map.of("result", result::set)).check(name);
    if (result.get() == null) {
      throw new RunFailedException(name + " exited with code 0 but printed no result", false);
    }
    return RecordJson.parse(result.get(), type);
  }

  private void stop() {
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }
}
