// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a JVM as a stranger does, with no flag that was not asked for, and hears all it says. */
public final class BareJava {

  private BareJava() {}

  /**
   * How it ended.
   *
   * @param out lines of its output
   * @param err lines of its error output
   */
  public record Ended(int code, List<String> out, List<String> err) {}

  /**
   * Runs it, of the version that runs this, to its end.
   *
   * @param directory where its output is kept
   * @param arguments of {@code java}
   */
  public static Ended run(Path directory, List<String> arguments)
      throws IOException, InterruptedException {
    return run(Path.of(System.getProperty("java.home")), directory, arguments);
  }

  /** As above, with the JVM that lies at {@code home}. */
  public static Ended run(Path home, Path directory, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(home.resolve(Path.of("bin", "java")).toString());
    command.addAll(arguments);
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    // They would be flags, and the JVM says that it has picked them up.
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    int code = builder.start().waitFor();
    return new Ended(code, Files.readAllLines(out), Files.readAllLines(err));
  }
}
