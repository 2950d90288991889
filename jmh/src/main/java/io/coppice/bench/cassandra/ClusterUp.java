// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import static io.coppice.bench.report.Texts.text;

import com.sun.management.OperatingSystemMXBean;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.Directories;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster that a user tries out: starts it, prints its addresses, and waits until it is
 * interrupted or all nodes have ended.
 */
final class ClusterUp {

  /** Memory of a node in addition to its heap: classes, code, buffers, mapped jars and SSTables. */
  private static final int BESIDE_HEAP_MIB = 400;

  private static final int THIS_PROCESS_MIB = 256;

  /**
   * Name of the file in a node's directory with the arguments that make {@code java} run nodetool
   * on that node.
   */
  private static final String NODETOOL = "nodetool";

  private final ClusterOptions options;
  private final PrintWriter out;
  private final PrintWriter err;
  private volatile boolean ending;
  private volatile boolean finished;

  ClusterUp(ClusterOptions options, PrintWriter out, PrintWriter err) {
    this.options = options;
    this.out = out;
    this.err = err;
  }

  /**
   * Runs the cluster until all nodes have ended, and returns the exit code.
   *
   * @throws EnvironmentException if the machine lacks a resource; nothing was started then
   */
  int run() throws EnvironmentException, IOException, InterruptedException {
    JavaHome java = JavaHome.find(options.javaHome());
    checkMemory();
    checkDirectory();
    List<Path> classPath =
        NodeLibrary.unpack(NodeLibrary.runningJar(), options.directory().resolve("node-lib"));
    Cluster cluster =
        new Cluster(
            new Cluster.Settings(
                java,
                classPath,
                options.directory(),
                options.nodes(),
                options.heapMib(),
                options.cqlPort(),
                Map.of()));
    options.withoutJar().forEach(number -> cluster.jar(number, false));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> abandon(cluster), "coppice-interrupted"));
    say(
        "coppice cluster · Cassandra %s · %s of %d MiB · JDK %s · %s",
        NodeLibrary.cassandra(classPath),
        options.nodes() == 1 ? "one node" : options.nodes() + " nodes",
        options.heapMib(),
        java.version(),
        options.directory());
    try {
      start(cluster);
      printAddresses(cluster, java);
      awaitEnds(cluster);
      awaitEndIfEnding();
      say("No node is left. The files remain in %s.", options.directory());
    } catch (NodeException e) {
      awaitEndIfEnding();
      cluster.close();
      err.println(e.getMessage());
      err.println("All nodes were ended. The files remain in " + options.directory() + ".");
    } finally {
      finished = !ending;
    }
    return BenchExitCode.INCOMPLETE;
  }

  private void start(Cluster cluster) throws NodeException, IOException, InterruptedException {
    for (int number = 1; number <= options.nodes(); number++) {
      long begun = System.nanoTime();
      say(" node %d of %d starts", number, options.nodes());
      Node node = cluster.start(number);
      Files.writeString(node.root().resolve(NODETOOL), argumentFile(node.nodetool()));
      say(
          " node %d of %d serves after %d s · CQL %s · JMX 127.0.0.1:%d%s",
          number,
          options.nodes(),
          TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun),
          cluster.cqlAddress(number),
          node.ports().jmx(),
          options.withoutJar().contains(number) ? " · without the plugin's jar" : "");
    }
    cluster.awaitAgreement();
  }

  /** Returns a Java argument file with the arguments of a command after its program. */
  private static String argumentFile(List<String> command) {
    return command.stream()
        .skip(1)
        .map(argument -> '"' + argument.replace("\\", "\\\\") + '"')
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private void printAddresses(Cluster cluster, JavaHome java) {
    String hosts =
        IntStream.rangeClosed(1, cluster.size())
            .mapToObj(number -> "127.0.0.1:" + cluster.node(number).ports().jmx())
            .collect(Collectors.joining(","));
    boolean running = java.home().equals(Path.of(System.getProperty("java.home")));
    String program = running ? "java" : java.executable().toString();
    say("The cluster is up.");
    say(" cqlsh 127.0.0.1 %d", cluster.node(1).ports().cql());
    say(" %s @%s status", program, cluster.directory(1).resolve(NODETOOL));
    say(" java -jar engine/tool/target/coppice-tool.jar preflight --jmx=%s", hosts);
    say(
        "Ctrl-C ends the nodes%s.",
        options.keep() ? "; their files stay" : " and removes their files");
  }

  private void awaitEnds(Cluster cluster) {
    CompletableFuture<?>[] ends =
        IntStream.rangeClosed(1, cluster.size())
            .mapToObj(
                number ->
                    cluster
                        .node(number)
                        .onEnd()
                        .thenAccept(code -> ended(number, code, cluster.node(number))))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(ends).join();
  }

  private void ended(int number, int code, Node node) {
    if (!ending) {
      say(" node %d ended with code %d; log: %s", number, code, node.log());
    }
  }

  /**
   * Ends the nodes if the process ends before the run. Removes their files unless the user keeps
   * them.
   */
  private void abandon(Cluster cluster) {
    if (finished) {
      return;
    }
    ending = true;
    cluster.close();
    try {
      if (!options.keep()) {
        Directories.delete(options.directory());
      }
      err.println();
      err.println(
          "Interrupted: the nodes were ended"
              + (options.keep() ? "; files: " + options.directory() : ", their files removed."));
    } catch (IOException e) {
      err.println("Interrupted: the nodes were ended; files remain in " + options.directory());
    }
    err.flush();
  }

  /**
   * Blocks this thread forever if the process is ending, so that it reports no errors that the end
   * causes.
   */
  private void awaitEndIfEnding() throws InterruptedException {
    if (ending) {
      new CountDownLatch(1).await();
    }
  }

  private void checkMemory() throws EnvironmentException {
    var machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long mib = machine.getTotalMemorySize() >> 20;
    long node = options.heapMib() + BESIDE_HEAP_MIB;
    long wanted = options.nodes() * node + THIS_PROCESS_MIB;
    if (mib < wanted) {
      throw new EnvironmentException(
          "%d nodes with a heap of %d MiB need %d MiB of memory, and this machine has %d"
              .formatted(options.nodes(), options.heapMib(), wanted, mib));
    }
  }

  private void checkDirectory() throws EnvironmentException, IOException {
    Path directory = options.directory();
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new EnvironmentException(directory + " is not a directory");
    }
    Files.createDirectories(directory);
    try (Stream<Path> files = Files.list(directory)) {
      if (files.findAny().isPresent()) {
        throw new EnvironmentException(
            directory + " is not empty: remove it, or name another by --dir");
      }
    }
  }

  private void say(String format, Object... arguments) {
    out.println(text(format, arguments));
    out.flush();
  }
}
