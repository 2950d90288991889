// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.tool.Launcher;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code demo}, in this process and as a process of its own. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class DemoTest {

  private static final long PATIENCE_NANOS = 120_000_000_000L;
  private static final int RUNS = 3;

  @TempDir Path base;

  private Demo.Settings settings(int port, boolean allowChanges) {
    return new Demo.Settings(base, port, allowChanges, Demo.DISK_BYTES, 1);
  }

  /** The answer of a console whose address may name a page behind its token. */
  private static JsonNode get(URI address, String path) throws Exception {
    String token = address.getFragment().replaceFirst("/.*", "");
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 404);
    return new ObjectMapper().readTree(answer.body());
  }

  private static void await(URI address, String path, Predicate<JsonNode> so) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    for (JsonNode answer = get(address, path); !so.test(answer); answer = get(address, path)) {
      assertThat(System.nanoTime()).as("%s still says %s", path, answer).isLessThan(end);
      LockSupport.parkNanos(50_000_000);
    }
  }

  /** Several runs, and a merge that has been. */
  private static void awaitForest(URI address) throws Exception {
    await(
        address,
        "/api/table?node=demo&table=forest/default",
        table ->
            table.at("/row/runs").asInt() >= RUNS
                && table.at("/map/level").size() >= RUNS
                && table.at("/row/wa").asDouble() > 1
                && table.at("/row/readRate").asDouble() > 0
                && table.at("/snapshot/decisions").findValuesAsText("kind").contains("merge"));
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(base)) {
      return files.toList();
    }
  }

  private static void assertNobodyListens(int port) {
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void aForestGrowsAndIsGoneOnceTheDemoIsClosed() throws Exception {
    URI address;
    try (Demo demo = new Demo(settings(0, false))) {
      demo.start();
      address = demo.address();
      assertThat(address.toString())
          .matches("http://127\\.0\\.0\\.1:\\d+/#[\\w-]{32}/table/demo/forest%2Fdefault");
      awaitForest(address);
      assertThat(get(address, "/api/state").path("allowChanges").asBoolean()).isFalse();
      assertThat(left()).hasSize(1);
    }
    assertThat(left()).isEmpty();
    assertNobodyListens(address.getPort());
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("io.coppice:type=Store,name=forest,*"), null))
        .isEmpty();
  }

  @Test
  void thePageTunesOnlyWhereThatIsAllowed() throws Exception {
    try (Demo demo = new Demo(settings(0, true))) {
      demo.start();
      assertThat(get(demo.address(), "/api/state").path("allowChanges").asBoolean()).isTrue();
    }
  }

  @Test
  void aDemoThatWasClosedBeforeItsStartMakesNothing() throws Exception {
    Demo demo = new Demo(settings(0, false));
    demo.close();
    demo.start();
    demo.await();
    assertThat(left()).isEmpty();
  }

  private String refused(Demo.Settings settings) throws IOException {
    try (Demo demo = new Demo(settings)) {
      demo.start();
      throw new AssertionError("it has started");
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  @Test
  void aPortThatIsTakenIsNamedAndNothingIsLeft() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      String sentence =
          "--port ("
              + port
              + ") failed to open on 127.0.0.1 (Address already in use); choose another port, or remove"
              + " --port to use any free one";
      assertThat(refused(settings(port, false))).isEqualTo(sentence);
      assertThat(left()).isEmpty();
      ToolRun console = ToolRun.of("console", "--jmx=127.0.0.1:1", "--port=" + port);
      assertThat(console.code()).isEqualTo(ExitCode.FAILED);
      assertThat(console.err()).isEqualTo(sentence + "\n");
    }
  }

  @Test
  void tooLittleDiskOrHeapIsSaidAndNothingIsLeft() throws Exception {
    assertThat(refused(new Demo.Settings(base, 0, false, Long.MAX_VALUE, 1)))
        .startsWith("the demo needs ")
        .contains(" of disk, and " + base + " has ")
        .endsWith(
            " free; free some space, or choose another directory: java -Djava.io.tmpdir=DIRECTORY"
                + " -jar ...");
    assertThat(refused(new Demo.Settings(base, 0, false, 1, Long.MAX_VALUE)))
        .startsWith("the demo needs a heap of ")
        .contains(" and this JVM allows ", "start it with java -Xmx256m -jar ...");
    assertThat(left()).isEmpty();
  }

  @Test
  void aPlaceThatCannotHoldADirectoryIsNamed() throws Exception {
    Path missing = base.resolve("missing");
    assertThat(refused(new Demo.Settings(missing, 0, false, 1, 1)))
        .isEqualTo(
            "the demo failed to create a directory in "
                + missing
                + " ("
                + missing
                + " does not exist); choose a writable directory:"
                + " java -Djava.io.tmpdir=DIRECTORY -jar ...");
    Path file = Files.createFile(base.resolve("file"));
    assertThat(refused(new Demo.Settings(file, 0, false, 1, 1))).contains(file + " is a file");
    Path locked = Files.createDirectory(base.resolve("locked"));
    assertThat(locked.toFile().setWritable(false)).isTrue();
    if (!Files.isWritable(locked)) {
      assertThat(refused(new Demo.Settings(locked, 0, false, 1, 1)))
          .contains(locked + " is not writable");
    }
    assertThat(left()).containsExactlyInAnyOrder(file, locked);
  }

  @Test
  void wrongOptionsAreNamedBeforeAnythingStarts() {
    ToolRun run = ToolRun.of("demo", "--port=70000", "--allow");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("--port (70000)", "--allow");
    assertThat(run.out()).isEmpty();
  }

  /** As a person starts it; signals that this process ignores are not ignored there. */
  private Process demo(String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,TERM"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + base));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Launcher.class.getName(), "demo"));
    return new ProcessBuilder(command).redirectError(base.resolve("err").toFile()).start();
  }

  private void endedBy(String signal, int code) throws Exception {
    Process process = demo("-Xmx64m");
    try {
      String line = process.inputReader().readLine();
      assertThat(line).as(Files.readString(base.resolve("err"))).startsWith("http://127.0.0.1:");
      URI address = URI.create(line);
      awaitForest(address);
      assertThat(left()).hasSize(2);
      new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("it ends").isTrue();
      assertThat(process.exitValue()).isEqualTo(code);
      assertThat(process.inputReader().readLine()).as("one line").isNull();
      assertThat(left()).containsExactly(base.resolve("err"));
      assertNobodyListens(address.getPort());
      assertThat(Files.readString(base.resolve("err")))
          .contains("uses at most 200 MB", "Read-only", "Ctrl-C ends")
          .doesNotContain("Exception");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void nothingIsLeftAfterCtrlC() throws Exception {
    endedBy("INT", 130);
  }

  @Test
  void nothingIsLeftAfterKill() throws Exception {
    endedBy("TERM", 143);
  }

  @Test
  void aJvmWithTooLittleHeapSaysSo() throws Exception {
    Process process = demo("-Xmx16m");
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(ExitCode.FAILED);
    assertThat(Files.readAllLines(base.resolve("err")))
        .singleElement()
        .asString()
        .startsWith("the demo needs a heap of ");
  }

  @Test
  void anOldJavaIsNamed() {
    assertThat(Launcher.refused("17", "/jdk")).isNull();
    assertThat(Launcher.refused("25", "/jdk")).isNull();
    assertThat(Launcher.refused("11", "/jdk-11"))
        .isEqualTo(
            "coppice-tool needs Java 17 or newer, and this is Java 11 in /jdk-11; install a JDK 17"
                + " and start its bin/java");
    assertThat(Launcher.refused("1.8", "/jdk-8")).contains("this is Java 8 in /jdk-8");
  }
}
