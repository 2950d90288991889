// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import io.coppice.bench.node.RecordedNode;
import io.coppice.bench.suite.Directories;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * One Cassandra node in a child process, on loopback, in a directory of its own: alone, or in a
 * {@link Seat} of a cluster.
 *
 * <p>{@link #start} returns it once it answers CQL. {@link #close} kills the process and waits for
 * its end; the directory stays. Any thread, such as a shutdown hook, may call {@code close}.
 */
public final class Node implements AutoCloseable {

  /**
   * Settings of a node.
   *
   * @param classPath everything the node sees, main class and plugin included
   * @param root directory of the node, which a restart keeps
   * @param quickCompiler whether the JVM uses only its first compiler, which compiles sooner to
   *     slower code
   * @param seat place in a cluster; empty for a single node, which is configured for measurements
   */
  public record Settings(
      JavaHome java,
      List<Path> classPath,
      Path root,
      int heapMib,
      boolean quickCompiler,
      Optional<Seat> seat) {

    /** Copies the list and makes the directory absolute. */
    public Settings {
      classPath = List.copyOf(classPath);
      root = root.toAbsolutePath().normalize();
    }

    /** Creates the settings of a single node. */
    public Settings(
        JavaHome java, List<Path> classPath, Path root, int heapMib, boolean quickCompiler) {
      this(java, classPath, root, heapMib, quickCompiler, Optional.empty());
    }
  }

  /** Number of further attempts to start if another process has taken a port in between. */
  private static final int MORE_TRIES = 3;

  private static final long START_LIMIT_SECONDS = 180;
  private static final long STOP_LIMIT_SECONDS = 30;
  private static final long DEATH_LIMIT_SECONDS = 2;
  private static final long POLL_MILLIS = 100;
  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(60);

  private final Settings settings;
  private final NodeFiles files;
  private final NodePorts ports;
  private final Process process;
  private volatile NodeClient client;

  private Node(Settings settings, NodeFiles files, NodePorts ports, Process process) {
    this.settings = settings;
    this.files = files;
    this.ports = ports;
    this.process = process;
  }

  /**
   * Starts a node, on other ports if one is taken, and waits until it serves.
   *
   * @param launched receives each process before it serves, so that an interrupted caller can end
   *     it
   * @throws NodeException if it does not serve; the message names its log
   */
  public static Node start(Settings settings, Consumer<Node> launched)
      throws NodeException, InterruptedException {
    for (int tries = 0; ; tries++) {
      Node node = launch(settings);
      launched.accept(node);
      try {
        node.awaitServing();
        return node;
      } catch (NodeException e) {
        node.close();
        if (tries == MORE_TRIES
            || node.logged(line -> line.contains("Address already in use")).isEmpty()) {
          throw e;
        }
      } catch (InterruptedException e) {
        node.close();
        throw e;
      }
    }
  }

  /**
   * Starts a single node from the nested jars of the running bench jar and waits until it serves;
   * it ends with this process.
   *
   * @param directory receives the node's files and its jars; files of an earlier node are deleted
   * @param javaHome Java of the node; empty to search for one
   * @throws EnvironmentException if this program runs from another place than the bench jar, or
   *     Java 17 is missing
   * @throws NodeException if the node does not serve; the message names its log
   */
  public static Node startAlone(Path directory, int heapMib, Optional<Path> javaHome)
      throws IOException, EnvironmentException, NodeException, InterruptedException {
    Path root = directory.resolve("node");
    Directories.delete(root);
    List<Path> jars = NodeLibrary.unpack(NodeLibrary.runningJar(), directory.resolve("node-lib"));
    return start(new Settings(JavaHome.find(javaHome), jars, root, heapMib, false), launched -> {});
  }

  /** Opens a CQL session with request timeouts of a minute, which the caller closes. */
  public CqlSession session() {
    return sessions(new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.cql())).build();
  }

  /** Returns a builder of CQL sessions with one thread per thread pool and timeouts of a minute. */
  public static CqlSessionBuilder sessions(InetSocketAddress contact) {
    return CqlSession.builder()
        .addContactPoint(contact)
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(
            DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, REQUEST_LIMIT)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, REQUEST_LIMIT)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, REQUEST_LIMIT)
                .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SIZE, 1)
                .build());
  }

  /**
   * Returns the CQL statement that creates a keyspace with {@code replicas} copies of each row
   * unless it exists.
   */
  public static String keyspace(String name, int replicas) {
    return """
        CREATE KEYSPACE IF NOT EXISTS %s
        WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}
        """
        .formatted(name, replicas);
  }

  /**
   * Kills the node, waits for its end, and removes its directory.
   *
   * @throws IOException if a file cannot be deleted; the node has ended then
   */
  public void closeAndDelete() throws IOException {
    close();
    Directories.delete(root());
  }

  private static Node launch(Settings settings) throws NodeException {
    NodeFiles files = new NodeFiles(settings.root());
    try {
      NodePorts ports = NodePorts.free();
      if (settings.seat().isPresent()) {
        ports = settings.seat().get().ports(ports);
        files.write(settings.seat().get(), "small.yaml");
      } else {
        files.write(Seat.alone(ports), "measured.yaml");
      }
      Process process =
          new ProcessBuilder(command(settings, files, ports))
              .directory(files.root().toFile())
              .redirectErrorStream(true)
              .redirectOutput(files.output().toFile())
              .start();
      return new Node(settings, files, ports, process);
    } catch (IOException e) {
      throw new NodeException("cannot start a node in " + files.root(), e);
    }
  }

  private static List<String> command(Settings settings, NodeFiles files, NodePorts ports) {
    List<String> command = new ArrayList<>(List.of(settings.java().executable().toString()));
    command.addAll(
        NodeFiles.options(
            "jvm.options",
            settings.heapMib(),
            files.yaml().toUri(),
            files.root(),
            files.logback(),
            ports.jmx()));
    command.addAll(NodeFiles.options("opened.options"));
    // Many nodes on few cores: one thread that collects is enough.
    command.add(settings.seat().isPresent() ? "-XX:+UseSerialGC" : "-XX:+UseG1GC");
    if (settings.quickCompiler()) {
      command.add("-XX:TieredStopAtLevel=1");
    }
    command.addAll(
        settings.seat().map(Seat::jvmOptions).orElseGet(() -> NodeFiles.options("alone.options")));
    command.add("-D" + RecordedNode.STARTER + "=" + ProcessHandle.current().pid());
    command.add("-cp");
    command.add(classPath(settings));
    command.add(RecordedNode.class.getName());
    return command;
  }

  private static String classPath(Settings settings) {
    return settings.classPath().stream()
        .map(path -> path.toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void awaitServing() throws NodeException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_SECONDS);
    while (System.nanoTime() - deadline < 0) {
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw failure("Cassandra did not start", null);
      }
      try {
        if (client == null) {
          client = NodeClient.connect(ports.jmx());
        }
        if (client.recorder().isServing()) {
          return;
        }
      } catch (IOException | RuntimeException e) {
        // Not yet: the port opens before the beans are there.
        disconnect();
      }
    }
    throw failure("Cassandra did not serve within " + START_LIMIT_SECONDS + " s", null);
  }

  /**
   * Returns an exception for a failure of this node. Its message says whether the process has ended
   * and gives the path and last lines of the log.
   */
  public NodeException failure(String message, Throwable cause) {
    // A client notices a dead node before its parent does.
    process.onExit().completeOnTimeout(process, DEATH_LIMIT_SECONDS, TimeUnit.SECONDS).join();
    String dead = process.isAlive() ? "" : "the node ended with code " + process.exitValue() + "; ";
    return new NodeException(dead + message + "; log: " + files.log() + lastWords(), cause);
  }

  /** Returns the first line of the log, or of the process's output, that names an error. */
  private String lastWords() {
    return logged(
            line ->
                line.startsWith("ERROR") || line.startsWith("Error") || line.contains("Exception"))
        .map(line -> System.lineSeparator() + "  " + line.strip())
        .orElse("");
  }

  private Optional<String> logged(Predicate<String> wanted) {
    for (Path log : List.of(files.log(), files.output())) {
      try {
        Optional<String> found = Files.readAllLines(log).stream().filter(wanted).findFirst();
        if (found.isPresent()) {
          return found;
        }
      } catch (IOException e) {
        // An unreadable log says nothing.
      }
    }
    return Optional.empty();
  }

  /** Returns the ports on which the node listens. */
  public NodePorts ports() {
    return ports;
  }

  /** Returns the directory of the node. */
  public Path root() {
    return files.root();
  }

  /** Returns the JMX client of the node, which {@link #close} closes; null before it serves. */
  public NodeClient client() {
    return client;
  }

  /** Returns the log file that Cassandra writes. */
  public Path log() {
    return files.log();
  }

  /** Returns whether the process still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Returns the processor time that the node has used since its start; zero if the system does not
   * report it.
   */
  public Duration processorTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Returns a future with the exit code, completed when the process ends for any reason. */
  public CompletableFuture<Integer> onEnd() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /**
   * Returns the command that runs Cassandra's own nodetool on this node, without its arguments.
   * Nodetool stores its history in the node's directory.
   */
  public List<String> nodetool() {
    List<String> command = new ArrayList<>();
    command.add(settings.java().executable().toString());
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(NodeFiles.options("opened.options"));
    command.add("-Duser.home=" + files.root());
    command.add("-Dlogback.configurationFile=" + files.toolLogback());
    command.add("-cp");
    command.add(classPath(settings));
    command.add("org.apache.cassandra.tools.NodeTool");
    command.add("--port=" + ports.jmx());
    return command;
  }

  /**
   * Stops the node by an orderly shutdown, or kills it after 30 seconds, and starts it again over
   * the same data.
   *
   * @param launched receives each process before it serves
   * @return the new node, which serves; this object stays ended
   * @throws NodeException if it does not serve; the message names its log
   */
  public Node restart(Consumer<Node> launched) throws NodeException, InterruptedException {
    disconnect();
    process.destroy();
    if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
      close();
    }
    return start(settings, launched);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    disconnect();
  }

  private void disconnect() {
    if (client != null) {
      client.close();
      client = null;
    }
  }
}
