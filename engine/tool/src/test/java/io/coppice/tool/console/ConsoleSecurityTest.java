// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.RunningCompaction;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each rule by which the console keeps others out. */
class ConsoleSecurityTest {

  @TempDir Path directory;

  private WatchedStore watched;

  @BeforeEach
  void open() throws Exception {
    watched = new WatchedStore(directory.resolve("store"), false);
    watched.awaitSeen();
  }

  @AfterEach
  void close() {
    watched.close();
  }

  private int status(String method, String path, Map<String, String> headers, String body)
      throws Exception {
    return HttpAnswer.of(watched.address(), method, path, headers, body).status();
  }

  @Test
  void itListensOnLoopbackAlone() throws Exception {
    int port = watched.address().getPort();
    try (Socket reached = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertThat(reached.isConnected()).isTrue();
    }
    for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress address : Collections.list(network.getInetAddresses())) {
        if (!address.isLoopbackAddress() && address instanceof Inet4Address) {
          assertThatThrownBy(
                  () -> {
                    try (Socket socket = new Socket()) {
                      socket.connect(new InetSocketAddress(address, port), 2000);
                    }
                  })
              .as("over " + address)
              .isInstanceOf(IOException.class);
        }
      }
    }
  }

  @Test
  void nothingIsToldWithoutTheToken() throws Exception {
    String token = watched.address().getFragment();
    assertThat(token).matches("[\\w-]{32}");
    for (String wrong :
        List.of("", "Bearer", "Bearer x", "Basic " + token, "Bearer " + token + "x", token)) {
      assertThat(status("GET", "/api/state", Map.of("Authorization", wrong), ""))
          .as(wrong)
          .isEqualTo(401);
    }
    assertThat(status("POST", "/api/apply", Map.of("Authorization", ""), "{}")).isEqualTo(401);
    assertThat(status("GET", "/api/state?token=" + token, Map.of("Authorization", ""), ""))
        .isEqualTo(401);
    assertThat(status("GET", "/api/state", Map.of(), "")).isEqualTo(200);
  }

  @Test
  void eachConsoleHasATokenOfItsOwn() throws Exception {
    try (WatchedStore other = new WatchedStore(directory.resolve("other"), false)) {
      assertThat(other.address().getFragment()).isNotEqualTo(watched.address().getFragment());
    }
  }

  @Test
  void thePageItselfHoldsNoSecret() throws Exception {
    HttpAnswer page = HttpAnswer.of(watched.address(), "GET", "/", Map.of("Authorization", ""), "");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.body()).doesNotContain(watched.address().getFragment(), watched.name);
  }

  @Test
  void otherNamesOfThisMachineAreRefused() throws Exception {
    int port = watched.address().getPort();
    for (String host : List.of("evil.example", "evil.example:" + port, "127.0.0.1.evil.example")) {
      assertThat(status("GET", "/api/state", Map.of("Host", host), "")).as(host).isEqualTo(421);
      assertThat(status("GET", "/", Map.of("Host", host), "")).as(host).isEqualTo(421);
    }
    for (String host : List.of("localhost:" + port, "[::1]:" + port, "127.0.0.1:8080")) {
      assertThat(status("GET", "/api/state", Map.of("Host", host), "")).as(host).isEqualTo(200);
    }
  }

  @Test
  void pagesOfOtherOriginsAreRefused() throws Exception {
    String own = "http://127.0.0.1:" + watched.address().getPort();
    for (String origin : List.of("http://evil.example", "null", "https://127.0.0.1", own + "0")) {
      assertThat(status("GET", "/api/state", Map.of("Origin", origin), ""))
          .as(origin)
          .isEqualTo(403);
    }
    Map<String, String> link =
        Map.of(
            "Sec-Fetch-Site",
            "cross-site",
            "Sec-Fetch-Mode",
            "navigate",
            "Sec-Fetch-Dest",
            "document");
    assertThat(status("GET", "/", link, "")).as("a link that is followed").isEqualTo(200);
    assertThat(status("GET", "/api/state", link, "")).isEqualTo(403);
    assertThat(status("GET", "/", Map.of("Sec-Fetch-Site", "cross-site"), "")).isEqualTo(403);
    assertThat(status("GET", "/api/state", Map.of("Sec-Fetch-Site", "cross-site"), ""))
        .isEqualTo(403);
    assertThat(status("GET", "/api/state", Map.of("Origin", own), "")).isEqualTo(200);
  }

  @Test
  void changesAreMadeByPostAloneAndQuestionsByGet() throws Exception {
    for (String path : List.of("/api/apply", "/api/undo", "/api/stop")) {
      HttpAnswer answer = HttpAnswer.get(watched.address(), watched.about(path));
      assertThat(answer.status()).as(path).isEqualTo(405);
      assertThat(answer.header("Allow")).contains("POST");
    }
    for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE")) {
      assertThat(status(method, "/api/state", Map.of(), "")).as(method).isEqualTo(405);
    }
  }

  @Test
  void bodiesAreShortAndSayWhatTheyAre() throws Exception {
    String long8 = "{\"x\":\"" + "y".repeat(Guard.MAX_BODY_BYTES) + "\"}";
    assertThat(status("POST", "/api/apply", Map.of(), long8)).isEqualTo(413);
    assertThat(status("POST", "/api/apply", Map.of("Content-Type", "text/plain"), "{}"))
        .isEqualTo(415);
    assertThat(status("POST", "/api/apply", Map.of("Content-Type", ""), "{}")).isEqualTo(415);
    assertThat(status("POST", "/api/apply", Map.of("Content-Length", ""), "")).isEqualTo(411);
    for (String body : List.of("[]", "{", "\"x\"", "")) {
      assertThat(status("POST", "/api/apply", Map.of(), body)).as(body).isEqualTo(400);
    }
  }

  @Test
  void everyAnswerTellsTheBrowserToKeepToThePage() throws Exception {
    List<String> nonces = new ArrayList<>();
    for (String path : List.of("/", "/console.js", "/api/state", "/none", "/api/none")) {
      HttpAnswer answer = HttpAnswer.get(watched.address(), path);
      String policy = answer.header("Content-Security-Policy").orElse("");
      assertThat(policy)
          .as(path)
          .contains("default-src 'none'", "frame-ancestors 'none'", "form-action 'none'")
          .doesNotContain("unsafe");
      nonces.add(policy.replaceAll(".*script-src 'nonce-([^']+)'.*", "$1"));
      assertThat(answer.header("X-Content-Type-Options")).as(path).contains("nosniff");
      assertThat(answer.header("X-Frame-Options")).as(path).contains("DENY");
      assertThat(answer.header("Referrer-Policy")).as(path).contains("no-referrer");
      assertThat(answer.header("Cache-Control")).as(path).contains("no-store");
      assertThat(answer.header("Set-Cookie")).as(path).isEmpty();
    }
    assertThat(nonces).doesNotHaveDuplicates();
    HttpAnswer page = HttpAnswer.get(watched.address(), "/");
    String nonce =
        page.header("Content-Security-Policy").orElseThrow().replaceAll(".*nonce-([^']+)'.*", "$1");
    assertThat(page.body()).contains("nonce=\"" + nonce + "\"").doesNotContain("__NONCE__");
  }

  @Test
  void onlyTheFilesOfThePageAreServed() throws Exception {
    for (String path :
        List.of("/../Console.class", "/Console.class", "/%2e%2e/x", "/index.html", "/x?/base.js")) {
      assertThat(status("GET", path, Map.of(), "")).as(path).isEqualTo(404);
    }
  }

  @Test
  void whatIsAskedForIsNotRepeated() throws Exception {
    String script = "<script>alert(1)</script>";
    String encoded = "%3Cscript%3Ealert(1)%3C/script%3E";
    for (String path : List.of("/" + encoded, "/api/" + encoded, "/api/table?node=" + encoded)) {
      HttpAnswer answer = HttpAnswer.get(watched.address(), path);
      assertThat(answer.status()).as(path).isEqualTo(404);
      assertThat(answer.body() + answer.headers()).as(path).doesNotContain("script>");
    }
    HttpAnswer answer =
        HttpAnswer.post(watched.address(), "/api/undo", "{\"change\":\"" + script + "\"}");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.body()).doesNotContain("script>");
    assertThat(answer.header("Content-Type")).contains("application/json");
  }

  @Test
  void aRequestNamesNoNodeAndNoBean() throws Exception {
    for (String node : List.of("10.0.0.1:7199", "service:jmx:rmi:///jndi/rmi://evil:1/x", "*")) {
      assertThat(HttpAnswer.get(watched.address(), "/api/table?node=" + node).status())
          .as(node)
          .isEqualTo(404);
    }
    String base = "/api/table?node=this%20process&table=";
    for (String table : List.of("*", "keyspace=*", "java.lang:type=Runtime", "ks.*", "")) {
      assertThat(HttpAnswer.get(watched.address(), base + table).status()).as(table).isEqualTo(404);
    }
  }

  @Test
  void beansOutsideTheListAreNotTouched() throws Exception {
    MBeanServer server = MBeanServerFactory.newMBeanServer();
    Beans beans = new Beans(server);
    for (String name :
        List.of(
            "java.lang:type=Runtime",
            "io.coppice:type=Strategy,keyspace=*,table=t",
            "io.coppice:type=Strategy,keyspace=ks,table=t,more=x",
            "io.coppice:type=Strategy,keyspace=ks,table=a b",
            "com.sun.management:type=DiagnosticCommand")) {
      assertThatThrownBy(() -> beans.ask(Beans.Kind.STRATEGY, new ObjectName(name), "snapshot"))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
    ObjectName ours = new ObjectName("io.coppice:type=Strategy,keyspace=ks,table=t");
    assertThatThrownBy(() -> beans.ask(Beans.Kind.STRATEGY, ours, "apply", "a=1", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> beans.get(Beans.Kind.STRATEGY, ours, "Policy"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> beans.ask(Beans.Kind.STRATEGY, ours, "snapshot"))
        .isInstanceOf(Beans.RefusedException.class);
  }

  @Test
  void aConsoleThatOnlyLooksChangesNothing() throws Exception {
    String before = watched.store.family("default").policy();
    HttpAnswer applied =
        HttpAnswer.post(watched.address(), "/api/apply", watched.body(",\"options\":\"vct=4\""));
    assertThat(applied.status()).isEqualTo(403);
    assertThat(applied.body()).contains("--allow-changes");
    assertThat(watched.store.family("default").policy()).isEqualTo(before);
    assertThat(watched.kept).isEmpty();
  }

  @Test
  void aConsoleThatOnlyLooksRefusesEveryChangeBeforeItLooksAtIt() throws Exception {
    TuningActions looking = new TuningActions(new Changes(new NoChanges()), false);
    Change change = new Change("id", 0, "me", "node", "t", "apply", "a", "b", "");
    RunningCompaction compaction = new RunningCompaction("1", "t", "merge", "", 0, 1, 0, 1, true);
    assertThatThrownBy(() -> looking.apply(null, null, "vct=4", "", "")).satisfies(this::forbidden);
    assertThatThrownBy(() -> looking.undo(null, null, change)).satisfies(this::forbidden);
    assertThatThrownBy(() -> looking.stop(null, null, compaction)).satisfies(this::forbidden);
  }

  private void forbidden(Throwable refused) {
    assertThat(((Refusal) refused).status()).isEqualTo(403);
  }

  /** Keeps nothing, as nothing is to come. */
  private static final class NoChanges implements ChangeStore {
    @Override
    public List<String> lines() {
      return List.of();
    }

    @Override
    public void append(String line) {
      throw new AssertionError(line);
    }
  }

  @Test
  void everyChangeIsLogged() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(MessageFormat.format(record.getMessage(), record.getParameters()));
          }

          @Override
          public void flush() {
            // Nothing is held back.
          }

          @Override
          public void close() {
            // Nothing is open.
          }
        };
    Logger logger = Logger.getLogger("io.coppice.Console");
    Level level = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addHandler(handler);
    try (WatchedStore writable = new WatchedStore(directory.resolve("writable"), true)) {
      writable.awaitSeen();
      HttpAnswer applied =
          HttpAnswer.post(
              writable.address(), "/api/apply", writable.body(",\"options\":\"vct=4\""));
      assertThat(applied.status()).as(applied.body()).isEqualTo(200);
      assertThat(lines).anyMatch(line -> line.contains("apply") && line.contains("vct=4"));
      assertThat(lines).noneMatch(line -> line.contains(writable.address().getFragment()));
      assertThat(writable.kept).hasSize(1);
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(level);
    }
  }
}
