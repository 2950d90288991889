// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class of the tests in a process of its own. Its errors go to our error output. */
public final class ChildJvm {

  private static final String LOGGING = "java.util.logging.config.file";

  private ChildJvm() {}

  /** Starts the process. */
  public static Process start(Class<?> main, String... arguments) throws IOException {
    return start(List.of(), main, arguments);
  }

  /** Starts the process behind the words of another command, which run what follows them. */
  public static Process start(List<String> before, Class<?> main, String... arguments)
      throws IOException {
    return builder(before, main, arguments).start();
  }

  /** As above, not yet started. */
  public static ProcessBuilder builder(List<String> before, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    if (System.getProperty(LOGGING) != null) {
      command.add("-D" + LOGGING + "=" + System.getProperty(LOGGING));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }
}
