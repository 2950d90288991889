// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.tool.CassandraBeans;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.cli.UsageException;
import io.coppice.tool.jmx.JmxFilter;
import io.coppice.tool.jmx.JmxLogin;
import io.coppice.tool.jmx.NodeAddress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.openmbean.CompositeDataSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class NodeCommandsTest {

  @TempDir Path directory;

  private final List<CassandraBeans> nodes = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    for (int i = 0; i < 3; i++) {
      nodes.add(new CassandraBeans());
    }
  }

  @AfterEach
  void stop() throws Exception {
    for (CassandraBeans node : nodes) {
      node.close();
    }
  }

  private ToolRun preflight() {
    return ToolRun.of(
        "preflight",
        "--jmx=" + String.join(",", nodes.stream().map(CassandraBeans::host).toList()));
  }

  private ToolRun canary(String... more) {
    List<String> args = new ArrayList<>(List.of("canary", "--jmx", nodes.get(0).host()));
    args.addAll(List.of(more));
    return ToolRun.of(args.toArray(String[]::new));
  }

  @Test
  void aClusterWithTheJarEverywhereIsReadyAndNothingIsChanged() {
    ToolRun run = preflight();
    assertThat(run.code()).as(run.out() + run.err()).isZero();
    assertThat(run.out()).contains("0.1.0", "5.0.9", "17", "Every node checked is ready");
    assertThat(nodes).allMatch(node -> node.compaction.equals(CassandraBeans.UNIFIED));
  }

  @Test
  void nodesThatWereNotAskedAreNotTakenForReady() {
    for (String none : List.of(",", ",,")) {
      ToolRun run = ToolRun.of("preflight", "--jmx=" + none);
      assertThat(run.code()).as(none).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).contains("--jmx (" + none + ") names no process");
    }
    nodes.get(0).schemas = Map.of("a1", List.of("n1", "n2", "n3"), "UNREACHABLE", List.of("n4"));
    ToolRun some = preflight();
    assertThat(some.code()).as(some.out() + some.err()).isZero();
    assertThat(some.out())
        .contains("Every node checked is ready. The cluster has 4 nodes, and 3 were checked:")
        .doesNotContain("may name");
  }

  @Test
  void aNodeThatIsAskedByTwoAddressesCountsOnce() {
    nodes.get(0).schemas = Map.of("a1", List.of("n1", "n2", "n3"));
    assertThat(preflight().out()).contains("may name a Coppice strategy");
    nodes.get(1).hostId = nodes.get(0).hostId;
    ToolRun run = preflight();
    assertThat(run.code()).as(run.out() + run.err()).isZero();
    assertThat(run.out())
        .contains("The cluster has 3 nodes, and 2 were checked, some at several addresses:")
        .doesNotContain("may name");
  }

  @Test
  void oneNodeWithoutTheJarIsNamed() {
    nodes.get(2).plugin = false;
    ToolRun run = preflight();
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out())
        .contains(nodes.get(2).host() + " has no plugin on its class path", "Not ready")
        .doesNotContain(nodes.get(1).host() + " has");
  }

  @Test
  void oldJdksAndOtherLinesAreNotReady() {
    nodes.get(0).jdk = "11";
    nodes.get(1).release = "4.1.10";
    nodes.get(2).release = "5.0-rc1";
    ToolRun run = preflight();
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out())
        .contains("runs on JDK 11, and the plugin needs 17")
        .contains("runs Cassandra 4.1.10, and the plugin is for 5.0.x")
        .doesNotContain(nodes.get(2).host() + " runs");
  }

  @Test
  void schemasThatDifferAreNotReady() {
    nodes.get(1).schemas =
        Map.of("a1", List.of("127.0.0.1"), "b2", List.of("127.0.0.2"), "UNREACHABLE", List.of());
    ToolRun run = preflight();
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).contains("do not agree on the schema (2 versions)");
  }

  @Test
  void aNodeThatDoesNotAnswerIsNamedAndTheOthersAreAsked() throws Exception {
    nodes.remove(0).close();
    ToolRun run = ToolRun.of("preflight", "--jmx=127.0.0.1:1," + nodes.get(0).host());
    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out()).contains("127.0.0.1:1 does not answer JMX", "0.1.0");
  }

  @Test
  void everyWrongOptionIsNamedAtOnce() {
    ToolRun run = ToolRun.of("preflight", "--jmx=a:99999,b,b", "--usr=x", "--user=me");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains("a:99999", "b:7199 twice", "--usr", "--user and --password-file go together");
    assertThat(ToolRun.of("preflight").err()).contains("--jmx is missing");
    assertThat(ToolRun.of("canary", "t", "--revert", "{}").err())
        .contains("--jmx is missing", "'t' must be KEYSPACE.TABLE", "--revert takes no options");
  }

  @Test
  void aCanaryIsSetInWordsOfCqlAndTakenBack() throws Exception {
    CassandraBeans node = nodes.get(0);
    ToolRun set = canary("ks.t", "{'class': 'SplitForestCompactionStrategy', 'fanout': '8'}");
    assertThat(set.code()).as(set.err()).isZero();
    assertThat(node.compaction)
        .isEqualTo(
            "{\"class\":\"io.coppice.cassandra.SplitForestCompactionStrategy\",\"fanout\":\"8\"}");
    assertThat(set.out())
        .contains("before: " + CassandraBeans.UNIFIED, "a restart reverts the change");
    assertThat(canary("ks.t").out()).contains(node.compaction);
    node.withStrategy();
    ToolRun back = canary("ks.t", "--revert");
    assertThat(back.code()).as(back.err()).isZero();
    assertThat(node.compaction).isEqualTo(CassandraBeans.UNIFIED);
  }

  @Test
  void whatTheNodeRefusesChangesNothing() {
    ToolRun wrong = canary("ks.t", "{'class': 'SplitForestCompactionStrategy', 'fan_out': 8}");
    assertThat(wrong.code()).isEqualTo(ExitCode.FAILED);
    assertThat(wrong.err()).contains("is not understood", "Nothing was changed.");
    assertThat(nodes.get(0).compaction).isEqualTo(CassandraBeans.UNIFIED);
    assertThat(canary("ks.none", "{'class': 'X'}").err()).contains("has no table ks.none");
    assertThat(canary("ks.t", "--revert").err()).contains("has no strategy of Coppice");
  }

  @Test
  void whoGetsNoAnswerIsToldThatTheNodeMayHaveTakenIt() {
    nodes.get(0).answerLost = true;
    ToolRun set = canary("ks.t", CassandraBeans.OURS);
    assertThat(set.code()).isEqualTo(ExitCode.FAILED);
    assertThat(set.err())
        .contains("Read timed out; the node may have applied the change")
        .doesNotContain("Nothing was changed.");
    assertThat(canary("ks.t").out()).contains(CassandraBeans.OURS);
  }

  @Test
  void aPasswordIsReadFromAFileOfNodetoolsFormOrAlone() throws Exception {
    Path file = directory.resolve("jmx");
    Files.writeString(file, "other x\nme  secret word\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(login("--user=me", "--password-file=" + file).password()).contains("secret word");
    Files.writeString(file, "alone\n");
    assertThat(login("--user=me", "--password-file=" + file).password()).contains("alone");
    assertThat(login("--user=me", "--password-file=" + file).toString()).doesNotContain("alone");
  }

  @Test
  void aPasswordThatOthersMayReadIsRefused() throws Exception {
    Path file = directory.resolve("open");
    Files.writeString(file, "secret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> login("--user=me", "--password-file=" + file))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("chmod 600");
  }

  @Test
  void onlyValuesOfTheJdkAreReadFromNodes() throws Exception {
    assertThat(passes(new CompositeDataSupport[0])).isTrue();
    assertThat(passes(new ArrayList<>(List.of("text", 1L)))).isTrue();
    assertThat(passes(new UsageException(List.of("foreign")))).isFalse();
    assertThat(passes(new Object[] {new UsageException(List.of("inside"))})).isFalse();
  }

  private static boolean passes(Object value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      in.setObjectInputFilter(JmxFilter.FILTER);
      in.readObject();
      return true;
    } catch (InvalidClassException e) {
      return false;
    }
  }

  private static JmxLogin login(String... args) {
    CommandSpec spec = CommandSpec.create();
    CommandOptions.declare(spec, JmxLogin.HELP);
    CommandLine line = new CommandLine(spec);
    line.parseArgs(args);
    CommandOptions options = CommandOptions.of(line);
    JmxLogin login = JmxLogin.read(options);
    options.complain();
    return login;
  }

  @Test
  void addressesAreReadWithAndWithoutPorts() {
    assertThat(NodeAddress.parse("n1").orElseThrow()).hasToString("n1:7199");
    assertThat(NodeAddress.parse(" n1:80 ").orElseThrow()).hasToString("n1:80");
    assertThat(NodeAddress.parse("[::1]:80").orElseThrow()).hasToString("[::1]:80");
    assertThat(NodeAddress.parse("::1").orElseThrow()).hasToString("[::1]:7199");
    assertThat(NodeAddress.parse("[::1]").orElseThrow()).hasToString("[::1]:7199");
    assertThat(NodeAddress.parse("n1:0")).isEmpty();
    assertThat(NodeAddress.parse("n 1")).isEmpty();
    assertThat(NodeAddress.parse("")).isEmpty();
  }
}
