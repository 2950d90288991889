// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.tool.JsonDocumentTest;
import io.coppice.tool.LocalAgent;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.console.JsonLaw;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that look at a living store, over a JMX agent of this process. */
class LiveCommandsTest {

  @TempDir Path directory;

  private Store store;
  private LocalAgent agent;
  private String address;

  @BeforeEach
  void open() throws Exception {
    agent = new LocalAgent(ManagementFactory.getPlatformMBeanServer());
    address = agent.host();
    store =
        Store.open(
            directory.resolve("store"),
            StoreOptions.builder()
                .name("live")
                .jmx(true)
                .policy("delayed,table_size=16KiB,vct=8")
                .memtableBytes(64 << 10)
                .durability(Durability.NONE)
                .build());
    Random random = new Random(1);
    byte[] value = new byte[200];
    for (int i = 0; i < 6000; i++) {
      random.nextBytes(value);
      store.put(String.format("k%05d", random.nextInt(8000)).getBytes(), value);
    }
    store.flush();
    store.awaitIdle();
  }

  @AfterEach
  void close() throws Exception {
    store.close();
    agent.close();
  }

  @Test
  void aChangeIsSimulatedFromAStoreOverJmx() {
    ToolRun run =
        ToolRun.of("simulate", "--jmx=" + address, "live/default", "--set=vct=0,fanout=6");
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("changed: delayed,fanout=6", "vct=0", "write amplification", "unverified")
        .contains("Merges of this table write");
    ToolRun other = ToolRun.of("simulate", "--jmx=" + address, "live/default", "--policy=tiered");
    assertThat(other.out()).as(other.err()).contains("changed: tiered");
  }

  @Test
  void aSimulationOverJmxIsOneDocumentWithTheKeysOfThePage() throws Exception {
    ToolRun run =
        ToolRun.of("simulate", "--jmx=" + address, "live/default", "--set=vct=0", "--json");
    assertThat(run.code()).as(run.err()).isZero();
    List<String> keys = new ArrayList<>();
    JsonNode document = new ObjectMapper().readTree(run.out());
    JsonLaw.check("simulate --jmx", document);
    document.fieldNames().forEachRemaining(keys::add);
    assertThat(keys)
        .containsExactlyInAnyOrderElementsOf(JsonDocumentTest.documented().get("simulate --jmx"));
  }

  @Test
  void whatCannotBeSimulatedIsSaid() {
    ToolRun wrong = ToolRun.of("simulate", "--jmx=" + address, "live/default", "--set=vct=99");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("vct (99) must be in 0..64");
    ToolRun none = ToolRun.of("simulate", "--jmx=" + address, "ks.none", "--set=vct=9");
    assertThat(none.code()).isEqualTo(ExitCode.FAILED);
    assertThat(none.err()).contains("has no table ks.none");
    ToolRun both = ToolRun.of("simulate", "--jmx=" + address, "a/b", "c/d");
    assertThat(both.err())
        .contains("'c/d' is one argument too many", "either --set or one --policy");
    assertThat(ToolRun.of("simulate", "odd").err()).contains("'odd' is one argument too many");
  }

  @Test
  void whatWouldBeIgnoredIsRefused() {
    ToolRun live =
        ToolRun.of(
            "simulate",
            "--jmx=" + address,
            "live/default",
            "--set=vct=9",
            "--svg",
            "--output=" + directory.resolve("found.json"),
            "--data=1GB");
    assertThat(live.code()).isEqualTo(ExitCode.USAGE);
    assertThat(live.out()).isEmpty();
    assertThat(live.err())
        .contains("--svg does not work with --jmx", "--output does not", "--data does not");
    ToolRun invented =
        ToolRun.of("simulate", "--policy=tiered", "--set=vct=9", "--observe=60", "--ssl");
    assertThat(invented.code()).isEqualTo(ExitCode.USAGE);
    assertThat(invented.err()).contains("--set needs --jmx", "--observe needs", "--ssl needs");
  }

  /** Who waits a day for rates learns at once that nothing will come of it. */
  @Test
  @Timeout(120)
  void whatCannotBeSimulatedIsSaidBeforeTheTableIsObserved() {
    String[] faults = {"vct (99) must be in 0..64", "has no table ks.none"};
    String[][] lines = {{"live/default", "--set=vct=99"}, {"ks.none", "--set=vct=9"}};
    int[] codes = {ExitCode.USAGE, ExitCode.FAILED};
    for (int i = 0; i < lines.length; i++) {
      ToolRun run =
          ToolRun.of("simulate", "--jmx=" + address, lines[i][0], lines[i][1], "--observe=86400");
      assertThat(run.err()).contains(faults[i]);
      assertThat(run.code()).isEqualTo(codes[i]);
    }
  }

  @Test
  void topPrintsALineALookWhereThereIsNoTerminal() throws Exception {
    ToolRun run = ToolRun.of("top", "--jmx=" + address, "--times=1");
    assertThat(run.code()).as(run.err()).isZero();
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(1);
    assertThat(lines.get(0))
        .contains("live/default WA", "live ", "backlog ")
        .containsPattern("[0-9]+ compactions? on ");
    JsonNode document =
        new ObjectMapper()
            .readTree(ToolRun.of("top", "--jmx=" + address, "--times=1", "--json").out());
    JsonLaw.check("top", document);
    assertThat(document.at("/processes/0/tables/0/backlog_bytes").isIntegralNumber()).isTrue();
    ToolRun gone = ToolRun.of("top", "--jmx=127.0.0.1:1", "--times=1");
    assertThat(gone.out()).contains("127.0.0.1:1 lost:");
    assertThat(gone.code()).isEqualTo(ExitCode.FAILED);
    ToolRun both = ToolRun.of("top", "--jmx=" + address + ",127.0.0.1:1", "--times=1");
    assertThat(both.out()).contains("live/default WA", "127.0.0.1:1 lost:");
    assertThat(both.code()).as("one of two").isEqualTo(ExitCode.FAILED);
  }

  @Test
  void everyWrongOptionOfTheConsoleIsNamedAtOnce() {
    ToolRun run = ToolRun.of("console", "--jmx=a:99999,b", "--port=70000", "--allow");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("--jmx (a:99999)", "--port (70000)", "--allow");
    assertThat(ToolRun.of("console").err()).contains("--jmx is missing");
    for (String command : List.of("console", "top")) {
      ToolRun none = ToolRun.of(command, "--jmx=,");
      assertThat(none.code()).as(command).isEqualTo(ExitCode.USAGE);
      assertThat(none.err()).contains("--jmx (,) names no process");
    }
  }

  @Test
  void changesAreKeptForTheirOwnerAlone() throws Exception {
    Path file = directory.resolve("state").resolve("coppice").resolve("console.jsonl");
    ChangeFile changes = new ChangeFile(file);
    assertThat(changes.lines()).isEmpty();
    changes.append("{\"a\":1}");
    changes.append("{\"b\":2}");
    assertThat(new ChangeFile(file).lines()).containsExactly("{\"a\":1}", "{\"b\":2}");
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
  }

  @Test
  void aChangeThatWasCutOffIsOneLineAndTakesNoOtherWithIt() throws Exception {
    Path file = directory.resolve("console.jsonl");
    // Amid a letter of two bytes.
    Files.write(file, "{\"a\":1}\n{\"b\":\"gr\u00c3".getBytes(StandardCharsets.ISO_8859_1));
    ChangeFile changes = new ChangeFile(file);
    assertThat(changes.lines()).hasSize(2).startsWith("{\"a\":1}");
    changes.append("{\"c\":3}");
    changes.append("{\"d\":4}");
    assertThat(changes.lines()).hasSize(4).endsWith("{\"c\":3}", "{\"d\":4}");
  }
}
