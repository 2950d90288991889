// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.node.NodeFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A node in a process of its own, on Cassandra's class path and the packaged jar. */
final class ChildNode {

  private static final String JAR = System.getProperty("coppice.jar");
  private static final String NODE_LIB = System.getProperty("coppice.node.lib");

  private ChildNode() {}

  /**
   * Starts it.
   *
   * @param main the class that runs it, from the tests
   * @return a process whose errors go to its output
   */
  static ProcessBuilder of(NodeFiles files, boolean withJar, Class<?> main, List<String> arguments)
      throws IOException {
    String testClasses = main.getProtectionDomain().getCodeSource().getLocation().getPath();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(System.getProperty("coppice.node.jvm.args").split(" ")));
    command.addAll(List.of("-ea", "-Xmx700m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    files.prepare().forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-cp");
    command.add(NODE_LIB + "/*:" + testClasses + (withJar ? ":" + JAR : ""));
    command.add(main.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }
}
