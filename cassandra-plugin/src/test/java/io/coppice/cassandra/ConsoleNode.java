// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.cassandra.node.ConsoleSteps;
import io.coppice.cassandra.node.NodeFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * A real node that is written to, and the packaged console that looks at it: each in a process of
 * its own, JMX between them over TLS, with a user and a password.
 */
final class ConsoleNode implements AutoCloseable {

  private static final Path TOOL = Path.of(System.getProperty("coppice.tool.jar"));
  private static final String SECRET = "changeit";
  private static final String USER = "operator";
  private static final int MORE_TRIES = 2;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(180);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path home;
  private final Path output;
  private final int port;
  private final Process node;
  private final HttpClient client = HttpClient.newHttpClient();
  private Process console;
  private URI address;

  private ConsoleNode(Path home, Path output, int port, Process node) {
    this.home = home;
    this.output = output;
    this.port = port;
    this.node = node;
  }

  /**
   * Starts both, on another port if one is taken; the console knows the node by two names, as if
   * there were two.
   */
  static ConsoleNode start(String name) throws IOException, InterruptedException {
    NodeFiles files = NodeFiles.fresh(name, 1);
    Path home = files.home();
    makeStores(home);
    secret(home.resolve("jmx.password"), USER + " " + SECRET + "\n");
    secret(home.resolve("jmx.access"), USER + " readwrite\n");
    // The agent puts hashes into its own file, so a client needs another.
    secret(home.resolve("right.password"), SECRET + "\n");
    secret(home.resolve("wrong.password"), "guessed\n");
    for (int tries = 0; ; tries++) {
      ConsoleNode started = launch(files);
      try {
        started.awaitServing();
        started.open();
        return started;
      } catch (IOException | RuntimeException | Error e) {
        started.close();
        if (tries == MORE_TRIES
            || !Files.readString(started.output).contains("Address already in use")) {
          throw e;
        }
      }
    }
  }

  private static ConsoleNode launch(NodeFiles files) throws IOException {
    Path home = files.home();
    int port = NodeFiles.freePort();
    ProcessBuilder builder =
        ChildNode.of(
            files, Optional.of(ChildNode.JAR), ConsoleSteps.class, List.of(home.toString()));
    builder.command().addAll(1, agent(home, port));
    Path output = home.resolve("node.txt");
    Process process = builder.redirectOutput(output.toFile()).start();
    return new ConsoleNode(home, output, port, process);
  }

  /** The JVM's own agent, as an operator sets it up. */
  private static List<String> agent(Path home, int port) {
    return List.of(
        "-Dcom.sun.management.jmxremote.port=" + port,
        "-Dcom.sun.management.jmxremote.rmi.port=" + port,
        "-Dcom.sun.management.jmxremote.host=127.0.0.1",
        "-Djava.rmi.server.hostname=127.0.0.1",
        "-Dcom.sun.management.jmxremote.ssl=true",
        "-Dcom.sun.management.jmxremote.registry.ssl=true",
        "-Dcom.sun.management.jmxremote.authenticate=true",
        "-Dcom.sun.management.jmxremote.password.file=" + home.resolve("jmx.password"),
        "-Dcom.sun.management.jmxremote.access.file=" + home.resolve("jmx.access"),
        "-Djavax.net.ssl.keyStore=" + home.resolve("node.p12"),
        "-Djavax.net.ssl.keyStorePassword=" + SECRET);
  }

  private static void makeStores(Path home) throws IOException, InterruptedException {
    Path key = home.resolve("node.p12");
    Path certificate = home.resolve("node.cer");
    keytool(
        List.of(
            "-genkeypair",
            "-alias",
            "node",
            "-keyalg",
            "EC",
            "-dname",
            "CN=127.0.0.1",
            "-ext",
            "san=ip:127.0.0.1,dns:localhost",
            "-validity",
            "2",
            "-keystore",
            key.toString()));
    keytool(
        List.of(
            "-exportcert",
            "-alias",
            "node",
            "-file",
            certificate.toString(),
            "-keystore",
            key.toString()));
    keytool(
        List.of(
            "-importcert",
            "-noprompt",
            "-alias",
            "node",
            "-file",
            certificate.toString(),
            "-keystore",
            home.resolve("trust.p12").toString()));
  }

  private static void keytool(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(arguments);
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", SECRET));
    Process keytool =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool ended with " + keytool.exitValue() + ": " + arguments);
    }
  }

  private static void secret(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private void awaitServing() throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!Files.readString(output).contains("serving")) {
      if (!node.isAlive() || System.nanoTime() > end) {
        throw new AssertionError("the node does not serve:\n" + Files.readString(output));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
  }

  private void open() throws IOException {
    String nodes = "--jmx=127.0.0.1:" + port + ",localhost:" + port;
    console = tool(trusting(), List.of("console", nodes, "--allow-changes", "--ssl"), true).start();
    BufferedReader reader = console.inputReader();
    String line = reader.readLine();
    if (line == null) {
      throw new IOException("the console has ended with " + console.exitValue());
    }
    address = URI.create(line);
  }

  /** The flags of a JVM that trusts the node. */
  List<String> trusting() {
    return List.of(
        "-Djavax.net.ssl.trustStore=" + home.resolve("trust.p12"),
        "-Djavax.net.ssl.trustStorePassword=" + SECRET);
  }

  /** A command of the tool, with the right password or a wrong one. */
  ProcessBuilder tool(List<String> flags, List<String> arguments, boolean rightPassword) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-jar", TOOL.toString()));
    command.addAll(arguments);
    command.add("--user=" + USER);
    Path file = home.resolve(rightPassword ? "right.password" : "wrong.password");
    command.add("--password-file=" + file);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(home.resolve("tool.txt").toFile());
    // What it keeps of changes is not this user's.
    builder.environment().put("XDG_STATE_HOME", home.resolve("state").toString());
    return builder;
  }

  /** What the tool wrote to its standard error last. */
  String complaint() throws IOException {
    return Files.readString(home.resolve("tool.txt"));
  }

  /** Where the page is, its secret included. */
  URI address() {
    return address;
  }

  /** The node in the console's words. */
  String node() {
    return "127.0.0.1:" + port;
  }

  /** The same node by its other name. */
  String other() {
    return "localhost:" + port;
  }

  /** Asks the console until its answer is so. */
  JsonNode await(String path, Predicate<JsonNode> so) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      HttpResponse<String> answer = send(request(path).GET());
      JsonNode json = json(answer);
      if (answer.statusCode() == 200 && so.test(json)) {
        return json;
      }
      if (System.nanoTime() > end || !node.isAlive()) {
        throw new AssertionError(path + " still says " + answer.body());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    }
  }

  /** Tells the console to do something; the answer, whatever it is. */
  JsonNode post(String path, String body) {
    return json(order(path, body));
  }

  /** Likewise, with the status of the answer. */
  HttpResponse<String> order(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
        .header("Authorization", "Bearer " + address.getFragment());
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(answer.body(), e);
    }
  }

  /** Ends the node in good order; its exit code. */
  int end() throws IOException, InterruptedException {
    node.getOutputStream().close();
    if (!node.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
      throw new AssertionError("the node does not end");
    }
    if (node.exitValue() != 0) {
      System.out.println(Files.readString(output));
    }
    return node.exitValue();
  }

  @Override
  public void close() {
    node.destroyForcibly();
    if (console != null) {
      console.destroy();
    }
  }
}
