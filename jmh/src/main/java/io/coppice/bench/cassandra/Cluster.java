// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.suite.Directories;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import javax.management.JMException;

/**
 * Cassandra nodes on 127.0.0.1, 127.0.0.2 and so on, each a {@link Node} of its own in a directory
 * {@code node1}, {@code node2}, ... below one root. Nodes are numbered from 1; the first is the
 * seed. Each owns an equal share of the ring, in four ranges.
 *
 * <p>One thread starts and ends nodes. Any thread, such as a shutdown hook, may call {@link
 * #close}, which also ends a node that is just being started. The directories stay on disk.
 */
public final class Cluster implements AutoCloseable {

  /**
   * Settings of a cluster.
   *
   * @param classPath class path of every node, including the plugin's jar
   * @param root directory of the nodes' directories
   * @param nodes number of nodes, 1 to {@link #MAX_NODES}
   * @param heapMib heap of each node in MiB
   * @param cqlPort the first port to try for clients; the same on all addresses
   * @param properties further system properties of every node
   */
  public record Settings(
      JavaHome java,
      List<Path> classPath,
      Path root,
      int nodes,
      int heapMib,
      int cqlPort,
      Map<String, String> properties) {

    /** Copies the list and the map. */
    public Settings {
      classPath = List.copyOf(classPath);
      properties = Map.copyOf(properties);
    }
  }

  /** Largest number of nodes. More are of no use on one machine. */
  public static final int MAX_NODES = 9;

  /**
   * First port that the search for free ports tries. It is below the ports that systems give to
   * outgoing connections, so a restarted node finds its port free.
   */
  private static final int FIRST_STORAGE_PORT = 12_000;

  /**
   * Number of ports among which a search starts, so that concurrent clusters begin at different
   * ports.
   */
  private static final int STORAGE_PORTS = 8_000;

  private static final String PLUGIN = "coppice-cassandra-";
  private static final int TOKENS = 4;
  private static final long AGREEMENT_LIMIT_SECONDS = 90;
  private static final long POLL_MILLIS = 100;

  private final Settings settings;
  private final int cqlPort;
  private final int storagePort;
  private final AtomicReferenceArray<Node> nodes;
  private final Set<Integer> withoutJar = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Chooses the addresses and ports of the nodes, which stay the same, and starts none of them.
   *
   * @throws EnvironmentException if this machine lacks an address or a free port
   */
  public Cluster(Settings settings) throws EnvironmentException {
    this.settings = settings;
    this.nodes = new AtomicReferenceArray<>(settings.nodes());
    List<String> addresses =
        IntStream.rangeClosed(1, settings.nodes()).mapToObj(Cluster::address).toList();
    for (String address : addresses) {
      checkAddress(address);
    }
    try {
      cqlPort = NodePorts.firstFree(settings.cqlPort(), addresses);
      storagePort = NodePorts.firstFree(firstStoragePort(), addresses);
    } catch (IOException e) {
      throw new EnvironmentException(e.getMessage());
    }
  }

  private static int firstStoragePort() {
    return FIRST_STORAGE_PORT + (int) (ProcessHandle.current().pid() % STORAGE_PORTS);
  }

  private static String address(int number) {
    return "127.0.0." + number;
  }

  private static void checkAddress(String address) throws EnvironmentException {
    try {
      new ServerSocket(0, 1, InetAddress.getByName(address)).close();
    } catch (IOException e) {
      throw new EnvironmentException(
          "%s is no address of this machine (%s); on macOS: sudo ifconfig lo0 alias %s"
              .formatted(address, e.getMessage(), address));
    }
  }

  /** Returns the number of nodes of the cluster, running or not. */
  public int size() {
    return nodes.length();
  }

  /**
   * Returns the last started instance of a node; null before its first start.
   *
   * @param number number of the node, from 1
   */
  public Node node(int number) {
    return nodes.get(number - 1);
  }

  /** Sets whether a node has the plugin's jar from its next start on. */
  public void jar(int number, boolean present) {
    if (present) {
      withoutJar.remove(number);
    } else {
      withoutJar.add(number);
    }
  }

  /**
   * Starts a node that does not run and waits until it serves. It keeps the data of an earlier
   * start. A new node joins the ring at once without streaming, as in a new cluster.
   *
   * @throws NodeException if it does not serve; the message names its log
   */
  public Node start(int number) throws NodeException, InterruptedException {
    return start(number, seat(number));
  }

  /** Kills a started node's process without a shutdown, and waits for its end. */
  public void kill(int number) {
    node(number).close();
  }

  /**
   * Kills a node, removes its directory, and starts a new one in its place, which fetches its data
   * from the others. Waits until it serves. The first node, as the seed, cannot be replaced.
   *
   * @throws NodeException if the new node does not serve; the message names its log
   */
  public Node replace(int number) throws NodeException, InterruptedException, IOException {
    kill(number);
    Directories.delete(directory(number));
    return start(number, seat(number).replacing());
  }

  private Node start(int number, Seat seat) throws NodeException, InterruptedException {
    List<Path> classPath = settings.classPath();
    if (withoutJar.contains(number)) {
      classPath =
          classPath.stream()
              .filter(jar -> !jar.getFileName().toString().startsWith(PLUGIN))
              .toList();
    }
    return Node.start(
        new Node.Settings(
            settings.java(),
            classPath,
            directory(number),
            settings.heapMib(),
            true,
            Optional.of(seat)),
        launched -> take(number, launched));
  }

  private void take(int number, Node launched) {
    nodes.set(number - 1, launched);
    if (closed) {
      launched.close();
    }
  }

  /** Returns the directory of a node. */
  public Path directory(int number) {
    return settings.root().resolve("node" + number);
  }

  private Seat seat(int number) {
    return new Seat(
        address(number),
        cqlPort,
        storagePort,
        address(1),
        tokens(number),
        false,
        settings.properties());
  }

  /**
   * Returns the tokens of a node: every n-th of evenly spaced tokens, with n the number of nodes.
   * Neighbours on the ring are therefore different nodes.
   */
  private List<Long> tokens(int number) {
    long step = Long.divideUnsigned(-1L, (long) TOKENS * size());
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < TOKENS; i++) {
      tokens.add(Long.MIN_VALUE + step / 2 + step * (i * size() + number - 1));
    }
    return tokens;
  }

  /** Returns the client address of a node, as {@code address:port}. */
  public String cqlAddress(int number) {
    return address(number) + ":" + cqlPort;
  }

  /**
   * Waits until all running nodes see exactly each other and agree on one schema.
   *
   * @throws NodeException if they do not agree within 90 seconds
   */
  public void awaitAgreement() throws NodeException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(AGREEMENT_LIMIT_SECONDS);
    while (!agree()) {
      if (System.nanoTime() - deadline > 0) {
        throw node(1)
            .failure(
                "the nodes did not find each other within " + AGREEMENT_LIMIT_SECONDS + " s", null);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private boolean agree() throws NodeException {
    Set<String> running = new HashSet<>();
    for (int number = 1; number <= size(); number++) {
      if (node(number) != null && node(number).isAlive()) {
        running.add(address(number));
      }
    }
    Set<String> schemas = new HashSet<>();
    for (int number = 1; number <= size(); number++) {
      if (running.contains(address(number))) {
        NodeClient client = node(number).client();
        try {
          if (!running.equals(Set.copyOf(client.liveNodes()))) {
            return false;
          }
          schemas.addAll(client.schemaVersions());
        } catch (IOException | JMException e) {
          throw node(number).failure("a node does not answer", e);
        }
      }
    }
    return schemas.size() == 1;
  }

  @Override
  public void close() {
    closed = true;
    for (int i = 0; i < nodes.length(); i++) {
      Node node = nodes.get(i);
      if (node != null) {
        node.close();
      }
    }
  }
}
