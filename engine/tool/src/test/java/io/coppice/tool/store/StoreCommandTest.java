// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.tool.Main;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path parent;
  private Path data;

  /** A store of another policy than the tool would choose, with a family. */
  @BeforeEach
  void makeStore() {
    data = parent.resolve("data");
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=8,table_size=128KiB")
            .family("users", "tiered")
            .build();
    try (Store store = Store.open(data, options)) {
      for (int i = 100; i < 700; i++) {
        WriteBatch batch = new WriteBatch();
        store.write(batch.put(bytes("key" + i), bytes("secret" + i)), Durability.BUFFERED);
      }
      store.delete(bytes("key150"));
      store.write(
          new WriteBatch()
              .deleteRange(bytes("zebra"), bytes("zoo"))
              .put(bytes("soon"), bytes("secret"), Duration.ofDays(9_000)));
      store.put(new byte[] {0, 1}, new byte[] {(byte) 0xFF, 0});
      store.family("users").put(bytes("ada"), bytes("countess"));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private ToolRun store(String verb, String... more) {
    List<String> args = new ArrayList<>(List.of("store", verb, data.toString()));
    args.addAll(List.of(more));
    return ToolRun.of(args.toArray(String[]::new));
  }

  private ToolRun done(String verb, String... more) {
    ToolRun run = store(verb, more);
    assertThat(run.code()).as(run.err() + run.out()).isEqualTo(ExitCode.DONE);
    assertThat(run.err()).isEmpty();
    return run;
  }

  @Test
  void withoutAVerbItHelpsAndEachVerbHasExamples() {
    ToolRun bare = ToolRun.of("store");
    assertThat(bare.code()).isEqualTo(ExitCode.USAGE);
    assertThat(bare.err()).contains("has no verb; expected one of stats, verify");
    ToolRun help = ToolRun.of("store", "--help");
    assertThat(help.code()).isEqualTo(ExitCode.DONE);
    for (StoreVerb verb : StoreCommand.verbs()) {
      assertThat(help.out()).contains(verb.name() + " ");
      ToolRun run = ToolRun.of("store", verb.name(), "--help");
      assertThat(run.code()).isEqualTo(ExitCode.DONE);
      assertThat(run.out()).contains("Example: store " + verb.name(), "Exit codes: 0 done");
      for (CommandOptions.Help option : verb.options()) {
        assertThat(run.out()).contains(option.name());
      }
    }
    ToolRun wrong = ToolRun.of("store", "verfy");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("verify");
  }

  @Test
  void valuesAreFoundPutAndDeletedAsTextBytesAndFiles() throws IOException {
    assertThat(done("get", "key200").out()).isEqualToIgnoringNewLines("secret200");
    assertThat(done("get", "hex:0001").out()).isEqualToIgnoringNewLines("hex:ff00");
    assertThat(done("get", "--family=users", "ada").out()).isEqualToIgnoringNewLines("countess");
    ToolRun absent = store("get", "key150");
    assertThat(absent.code()).isEqualTo(ExitCode.FAILED);
    assertThat(absent.out()).isEmpty();
    assertThat(absent.err()).contains("key key150 does not exist in family default");

    Path file = Files.write(parent.resolve("value"), new byte[] {7, 8, 9});
    done("put", "hex:00ff", "@" + file);
    done("get", "hex:00ff", "--output=" + parent.resolve("out"));
    assertThat(Files.readAllBytes(parent.resolve("out"))).containsExactly(7, 8, 9);
    done("put", "text:@home", "text:hex:1");
    assertThat(done("get", "text:@home").out()).isEqualToIgnoringNewLines("text:hex:1");
    done("delete", "key200");
    assertThat(store("get", "key200").code()).isEqualTo(ExitCode.FAILED);
    assertThat(done("get", "--json", "key201").out())
        .isEqualToIgnoringNewLines("{\"key\":\"key201\",\"value\":\"secret201\"}");
    assertThat(done("stats").out()).contains("leveled", "l0_trigger=8", "policy of users: tiered");
  }

  @Test
  void aNewStoreIsMadeOnlyWhenAskedFor() {
    Path fresh = parent.resolve("fresh");
    ToolRun refused = ToolRun.of("store", "put", fresh.toString(), "k", "v");
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(fresh).doesNotExist();
    ToolRun strange =
        ToolRun.of("store", "put", "--create", "--family=users", fresh.toString(), "k", "v");
    assertThat(strange.code()).isEqualTo(ExitCode.USAGE);
    assertThat(strange.err())
        .contains("--family (users) must be left out: a new store has only the family default");
    assertThat(fresh).doesNotExist();
    assertThat(ToolRun.of("store", "put", "--create", fresh.toString(), "k", "v").code()).isZero();
    assertThat(ToolRun.of("store", "get", fresh.toString(), "k").out())
        .isEqualToIgnoringNewLines("v");
  }

  @Test
  void scansHaveBoundsAndDirections() throws IOException {
    assertThat(done("scan", "--from=key300", "--to=key303").out().lines())
        .containsExactly("key300\tsecret300", "key301\tsecret301", "key302\tsecret302");
    assertThat(done("scan", "--prefix=key69", "--reverse", "--limit=2", "--keys").out().lines())
        .containsExactly("key699", "key698");
    assertThat(done("scan", "--count").out()).isEqualToIgnoringNewLines("601");
    assertThat(done("scan", "--family=users", "--json").out())
        .isEqualToIgnoringNewLines("{\"key\":\"ada\",\"value\":\"countess\"}");
    for (String line : done("scan", "--json", "--limit=5").out().lines().toList()) {
      assertThat(JSON.readTree(line).get("key").isTextual()).isTrue();
    }
  }

  /** A pipe whose reader goes after so many bytes, as that of {@code head}. */
  private static final class ShortPipe extends OutputStream {
    private int room;
    private int refused;

    ShortPipe(int room) {
      this.room = room;
    }

    @Override
    public void write(int one) throws IOException {
      if (room == 0) {
        refused++;
        throw new IOException("Broken pipe");
      }
      room--;
    }
  }

  @Test
  void whatCannotBePrintedEndsTheCommandAsFailed() {
    for (String[] line :
        new String[][] {
          {"store", "scan", data.toString()},
          {"store", "dump", data.toString()},
          {"store", "scan", "--count", data.toString()},
          {"store", "--help"}
        }) {
      ShortPipe pipe = new ShortPipe(2);
      StringWriter err = new StringWriter();
      int code =
          Main.run(
              line,
              new CommandOutput(
                  CommandOutput.results(pipe), new PrintWriter(err, true), ToolRun.STANDING));
      assertThat(code).as("%s", List.of(line)).isEqualTo(ExitCode.FAILED);
      assertThat(err.toString()).isEqualToIgnoringNewLines("standard output: Broken pipe");
      assertThat(pipe.refused).as("it did not go on").isEqualTo(1);
    }
  }

  @Test
  void statsTellLevelsAndWhatThePoliciesWouldDo() throws IOException {
    JsonNode stats = JSON.readTree(done("stats", "--json").out());
    assertThat(stats.get("families")).hasSize(2);
    assertThat(stats.get("table_bytes").asLong()).isPositive();
    assertThat(stats.get("families").get(0).get("levels")).isNotEmpty();
    assertThat(done("stats", "--why").out()).contains("users needs no merge");
    Path journal = parent.resolve("journal");
    JsonNode why = JSON.readTree(done("stats", "--json", "--why", "--journal=" + journal).out());
    assertThat(why.get("decisions")).hasSize(2);
    assertThat(ToolRun.of("replay", journal.toString()).out()).contains("all plans are equal");
  }

  @Test
  void verifyEndsWithOneWhereThereIsDamage() throws IOException {
    assertThat(done("verify").out()).startsWith("sound: ");
    assertThat(JSON.readTree(done("verify", "--json").out()).get("sound").asBoolean()).isTrue();
    Path table = files(".tbl").get(0);
    byte[] content = Files.readAllBytes(table);
    content[200] ^= 1;
    Files.write(table, content);
    ToolRun damaged = store("verify");
    assertThat(damaged.code()).isEqualTo(ExitCode.FAILED);
    assertThat(damaged.out())
        .contains("damage    " + table.getFileName() + " is damaged at offset 48");
    JsonNode json = JSON.readTree(store("verify", "--json").out());
    assertThat(json.get("damages").get(0).get("file").asText())
        .isEqualTo(table.getFileName().toString());
    ToolRun dump = store("dump", table.getFileName().toString());
    assertThat(dump.code()).isEqualTo(ExitCode.FAILED);
    assertThat(dump.out()).contains("DAMAGED", "block 1 @", "put \"key");
  }

  @Test
  void repairSaysWhatItDidAndEndsWithOneWhereSomethingIsGone() throws IOException {
    assertThat(done("repair").out()).contains("nothing was changed");
    Files.delete(data.resolve("CURRENT"));
    assertThat(store("get", "key200").code()).isEqualTo(ExitCode.FAILED);
    assertThat(done("repair").out()).contains("CURRENT is missing", "sound now: ");
    assertThat(done("get", "key200").out()).isEqualToIgnoringNewLines("secret200");
    Path table = files(".tbl").get(0);
    Files.write(table, Arrays.copyOf(Files.readAllBytes(table), 100));
    ToolRun lossy = store("repair");
    assertThat(lossy.code()).isEqualTo(ExitCode.FAILED);
    assertThat(lossy.out())
        .contains("LOST   " + table.getFileName() + ": keys from ", "aside  lost/");
    assertThat(done("verify").out()).startsWith("sound: ");
    JsonNode again = JSON.readTree(done("repair", "--json").out());
    assertThat(again.get("done")).isEmpty();
  }

  private List<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.list(data)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  @Test
  void dumpShowsEveryKindOfFileAndValuesOnlyWhenAsked() throws IOException {
    String all = done("dump").out();
    assertThat(all)
        .contains("CURRENT: current", "names 0", "owner ")
        .contains(": snapshot", "add L0 run ", "policy leveled", "family 1 'users'")
        .contains("bits a key", "unit 0 @128: 0")
        .contains("block 0 @48", "put \"key200\" @", "delete \"key150\" @")
        .contains("delete range \"zebra\" to before \"zoo\" @[", "expiring \"soon\" @", " until 20")
        .contains("RESERVE: reserve", "envelope: format 1")
        .doesNotContain("secret", "countess");
    assertThat(done("dump", "--values", files(".tbl").get(0).getFileName().toString()).out())
        .contains("secret");
    ToolRun missing = store("dump", "000999.tbl");
    assertThat(missing.code()).isEqualTo(ExitCode.FAILED);
    assertThat(missing.err()).contains("000999.tbl: no such file");
  }

  @Test
  void aLogIsDumpedRecordByRecord() throws IOException {
    Path killed = parent.resolve("killed");
    try (Store store = Store.open(killed)) {
      store.write(new WriteBatch().put(bytes("a"), bytes("secret")).delete(bytes("b")));
      List<Path> logs;
      try (Stream<Path> all = Files.list(killed)) {
        logs = all.filter(file -> file.toString().endsWith(".wal")).toList();
      }
      Path copy = Files.createDirectory(parent.resolve("copy"));
      Files.copy(logs.get(0), copy.resolve(logs.get(0).getFileName()));
      ToolRun run = ToolRun.of("store", "dump", copy.toString());
      assertThat(run.out())
          .contains("group of 2 entries from sequence 1", "put \"a\" 6 bytes @1", "delete \"b\" @2")
          .doesNotContain("secret");
    }
  }

  @Test
  void compactAndCheckpointKeepWhatIsThere() throws IOException {
    Path target = parent.resolve("backup");
    assertThat(done("checkpoint", target.toString()).out()).contains("linked");
    assertThat(done("compact").out()).startsWith("compacted ");
    for (Path each : List.of(data, target)) {
      ToolRun count = ToolRun.of("store", "scan", "--count", each.toString());
      assertThat(count.out()).isEqualToIgnoringNewLines("601");
    }
    ToolRun again = store("checkpoint", target.toString());
    assertThat(again.code()).isEqualTo(ExitCode.FAILED);
    assertThat(again.err()).contains("it is a directory that is not empty");
  }

  @Test
  void allFaultsAreNamedAtOnce() {
    ToolRun run =
        ToolRun.of(
            "store",
            "scan",
            "--limt=3",
            "--limit=no",
            "--prefix=a",
            "--from=hex:0",
            "--memory=1",
            parent.resolve("absent").toString(),
            "extra");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err().lines())
        .contains(
            "option '--limt' is not understood; did you mean '--limit'?",
            "'extra' is one argument too many; expected DIRECTORY",
            "--limit (no) must be a whole number of at least 1",
            "--prefix excludes --from and --to; remove one side",
            "--from (hex:0) must be hex: and an even number of digits 0-9 and a-f",
            "--memory (1) must be in 1.05 MB..1.10 TB",
            "DIRECTORY ("
                + parent.resolve("absent")
                + ") must be the directory of a store: it does not exist; check the path");
    ToolRun family = store("get", "--family=usres", "k");
    assertThat(family.code()).isEqualTo(ExitCode.USAGE);
    assertThat(family.err()).contains("--family (usres) must be a family", "users");
  }

  @Test
  void aStoreThatIsOpenIsRefusedWithItsHolder() {
    try (Store store = Store.open(data)) {
      for (String[] line : new String[][] {{"stats"}, {"get", "k"}, {"put", "k", "v"}, {"dump"}}) {
        ToolRun run = store(line[0], Arrays.copyOfRange(line, 1, line.length));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
            .contains("is already open, held by", "process " + ProcessHandle.current().pid())
            .doesNotContain("Exception");
      }
      assertThat(store.get(bytes("key200"))).isNotNull();
    }
  }
}
