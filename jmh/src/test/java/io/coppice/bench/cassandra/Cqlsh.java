// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The real cqlsh, as PyPI has it, installed below a directory of the build. */
record Cqlsh(Path directory) {

  private static final String VERSION = "6.2.2";

  /** This machine cannot have cqlsh; the message says why. */
  static final class MissingException extends Exception {
    MissingException(String message) {
      super(message);
    }
  }

  /**
   * Installs it with pip, unless a former build has.
   *
   * @throws MissingException if there is no Python, no pip, or no way to PyPI
   */
  static Cqlsh install(Path directory) throws MissingException, InterruptedException, IOException {
    Cqlsh cqlsh = new Cqlsh(directory);
    if (Files.exists(cqlsh.program())) {
      return cqlsh;
    }
    Path log = directory.resolveSibling("cqlsh-pip.txt");
    int code;
    try {
      List<String> command = new ArrayList<>(List.of("python3", "-m", "pip", "install"));
      command.addAll(List.of("--quiet", "--disable-pip-version-check"));
      command.addAll(List.of("--timeout", "10", "--retries", "1"));
      command.addAll(List.of("--target", directory.toString(), "cqlsh==" + VERSION));
      code = JavaProcess.run(new ProcessBuilder(command), log).code();
    } catch (IOException e) {
      throw new MissingException("there is no Python: " + e.getMessage());
    }
    if (code != 0 || !Files.exists(cqlsh.program())) {
      String last = Files.readString(log).lines().reduce("", (before, line) -> line);
      throw new MissingException("pip did not install cqlsh " + VERSION + ": " + last);
    }
    return cqlsh;
  }

  private Path program() {
    return directory.resolve("bin").resolve("cqlsh");
  }

  /** Runs statements at an address {@code host:port}. */
  JavaProcess.Printed run(String address, String statements)
      throws IOException, InterruptedException {
    String[] parts = address.split(":");
    List<String> command = new ArrayList<>(List.of("python3", "-s", program().toString()));
    command.addAll(List.of(parts[0], parts[1], "--request-timeout=60", "-e", statements));
    ProcessBuilder process = new ProcessBuilder(command);
    process.environment().put("PYTHONPATH", directory.toString());
    // It keeps a history and reads settings there.
    process.environment().put("HOME", directory.toString());
    return JavaProcess.run(process, directory.resolveSibling("cqlsh-output.txt"));
  }
}
