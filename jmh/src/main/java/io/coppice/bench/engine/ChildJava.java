// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A class of ours run in a process of its own, on the class path of this one. It says {@code at}
 * with what is done and the total, and {@code result} with what it found.
 */
final class ChildJava {

  private final List<String> command = new ArrayList<>();

  ChildJava(String heap, Class<?> main, String... arguments) {
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms" + heap, "-Xmx" + heap, "-XX:MaxDirectMemorySize=8g"));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
  }

  /** Runs it to its end, drawing how far it is; its result, or nothing once the reason is told. */
  Optional<String> result(String name, PrintWriter err) throws IOException, InterruptedException {
    File errors = File.createTempFile("coppice-bench", ".txt");
    Process process = new ProcessBuilder(command).redirectError(errors).start();
    Thread atExit = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(atExit);
    ProgressLine progress = new ProgressLine(err, System.console() != null, 1, 1, System::nanoTime);
    try {
      String result = null;
      progress.begin(name);
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith("result ")) {
            result = line.substring("result ".length());
          } else if (line.startsWith("at ")) {
            String[] words = line.split(" ");
            progress.at("write", Long.parseLong(words[1]), Long.parseLong(words[2]));
          }
        }
      }
      progress.erase();
      int code = process.waitFor();
      if (code != 0 || result == null) {
        err.println(name + " ended with code " + code + ":");
        err.println(Files.readString(errors.toPath()).strip());
        return Optional.empty();
      }
      return Optional.of(result);
    } finally {
      process.destroyForcibly();
      Runtime.getRuntime().removeShutdownHook(atExit);
      Files.deleteIfExists(errors.toPath());
    }
  }
}
