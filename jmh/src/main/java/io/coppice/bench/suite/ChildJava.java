// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.Directories;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A class of ours run in a process of its own, on the class path of this one, which tells by lines
 * what it does and finds. Neither it nor its data outlive this process. Used once.
 */
public final class ChildJava {

  /**
   * How a process ended.
   *
   * @param errors what it wrote to its standard error
   */
  public record Ended(int code, String errors) {}

  /** Hears what a process tells. */
  public interface Lines {
    void line(String line) throws IOException;
  }

  private final Path data;
  private final List<String> command = new ArrayList<>();
  private volatile Process process;
  private volatile boolean abandoned;

  /**
   * Prepares.
   *
   * @param data where the process writes, and nobody else
   * @param flags of the JVM
   */
  public ChildJava(Path data, List<String> flags, Class<?> main, List<String> arguments) {
    this(data, flags, main, arguments, List.of());
  }

  /**
   * Prepares.
   *
   * @param launcher words before the command of the JVM
   */
  public ChildJava(
      Path data, List<String> flags, Class<?> main, List<String> arguments, List<String> launcher) {
    this.data = data;
    command.addAll(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
  }

  /** Runs it to its end; its data stay. */
  public Ended run(Lines lines) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("coppice-bench", ".txt");
    Thread atExit = new Thread(this::abandon);
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      if (abandoned) {
        stop();
      }
      try (BufferedReader told =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = told.readLine(); line != null; line = told.readLine()) {
          lines.line(line);
        }
      }
      Ended ended = new Ended(process.waitFor(), Files.readString(errors).strip());
      forget(atExit);
      return ended;
    } finally {
      stop();
      Files.deleteIfExists(errors);
    }
  }

  /**
   * Runs it to its end, drawing how far it is by its lines {@code at} with what is done and the
   * total.
   *
   * @return what its line {@code result} says, or nothing once the reason is told
   */
  public Optional<String> result(String name, PrintWriter err)
      throws IOException, InterruptedException {
    ProgressLine progress = new ProgressLine(err, System.console() != null, 1, 1, System::nanoTime);
    AtomicReference<String> result = new AtomicReference<>();
    progress.begin(name);
    Ended ended =
        run(
            line -> {
              if (line.startsWith("result ")) {
                result.set(line.substring("result ".length()));
              } else if (line.startsWith("at ")) {
                String[] words = line.split(" ");
                progress.at("write", Long.parseLong(words[1]), Long.parseLong(words[2]));
              }
            });
    progress.erase();
    if (ended.code() != 0 || result.get() == null) {
      err.println(name + " ended with code " + ended.code() + ":");
      err.println(ended.errors());
      return Optional.empty();
    }
    return Optional.of(result.get());
  }

  private static void forget(Thread atExit) {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // This process ends, and the hook is at work.
      return;
    }
  }

  private void stop() {
    Process running = process;
    try {
      if (running != null && running.isAlive()) {
        running.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void abandon() {
    abandoned = true;
    stop();
    try {
      Directories.delete(data);
    } catch (IOException e) {
      // The next run removes it.
      return;
    }
  }
}
