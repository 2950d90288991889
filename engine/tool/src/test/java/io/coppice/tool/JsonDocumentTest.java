// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.console.JsonLaw;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Each command with {@code --json} prints one document, and {@code docs/reference/json.md} lists
 * its keys.
 */
public class JsonDocumentTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "reference", "json.md");
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** Rows of the page: a command and a key. */
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| `([^`]+)` \\|.*");

  @TempDir Path home;

  private String data;
  private String small;
  private CassandraBeans node;

  @BeforeEach
  void makeStore() {
    data = home.resolve("data").toString();
    assertThat(ToolRun.of("store", "put", "--create", data, "key", "value").code()).isZero();
    small = "--data=4MB --memtable=64KiB --entry=1KiB --policy=leveled";
  }

  /** Returns an example of each command that prints JSON. */
  private Map<String, String> examples() throws Exception {
    String journal = home.resolve("journal").toString();
    String read = home.resolve("read").toString();
    Files.createDirectory(Path.of(read));
    Files.write(Path.of(read, "blocks"), new byte[2 << 20]);
    node = new CassandraBeans();
    Map<String, String> lines = new TreeMap<>();
    lines.put("simulate", "simulate " + small + " --journal=" + journal);
    lines.put("papers", "papers --quick --only=few");
    lines.put("replay", "replay " + journal);
    lines.put("read-bench", "read-bench --seconds=0.01 --clients=1 --blocks=2 " + read);
    lines.put("store stats", "store stats --why " + data);
    lines.put("store verify", "store verify " + data);
    lines.put("store get", "store get " + data + " key");
    lines.put("store scan", "store scan " + data);
    lines.put("store compact", "store compact " + data);
    lines.put("store checkpoint", "store checkpoint " + data + " " + home.resolve("backup"));
    lines.put("store repair", "store repair " + data);
    lines.put(
        "store bench", "store bench --num=100 --memory=4MiB " + home.resolve("bench").toString());
    lines.put("preflight", "preflight --jmx=" + node.host());
    lines.put("top", "top --times=1 --jmx=" + node.host());
    return lines;
  }

  private static void commandsWithJson(String name, CommandLine command, List<String> found) {
    if (command.getCommandSpec().findOption("--json") != null) {
      found.add(name);
    }
    command
        .getSubcommands()
        .forEach((word, below) -> commandsWithJson(name + " " + word, below, found));
  }

  @Test
  void eachCommandPrintsOneDocumentWithTheKeysOfThePage() throws Exception {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    List<String> commands = new ArrayList<>();
    Main.commandLine(new CommandOutput(nowhere, nowhere))
        .getSubcommands()
        .forEach((word, below) -> commandsWithJson(word, below, commands));
    Map<String, String> examples = examples();
    assertThat(examples.keySet()).containsExactlyInAnyOrderElementsOf(commands);
    Map<String, TreeSet<String>> keys = documented();
    assertThat(keys.remove("simulate --jmx")).as("LiveCommandsTest reads it").isNotEmpty();
    Map<String, TreeSet<String>> found = new TreeMap<>();
    // The journal that replay reads is written by simulate.
    List<String> order = new ArrayList<>(examples.keySet());
    order.sort((one, other) -> Boolean.compare(one.equals("replay"), other.equals("replay")));
    try {
      for (String command : order) {
        ToolRun run = ToolRun.of((examples.get(command) + " --json").split(" "));
        assertThat(run.code()).as(command + run.err()).isZero();
        JsonNode document = JSON.readTree(run.out());
        assertThat(document).as(command).isInstanceOf(ObjectNode.class);
        JsonLaw.check(command, document);
        TreeSet<String> names = new TreeSet<>();
        document.fieldNames().forEachRemaining(names::add);
        found.put(command, names);
      }
    } finally {
      node.close();
    }
    assertThat(keys).as("docs/reference/json.md").isEqualTo(found);
  }

  @Test
  void whatANodeDoesNotSayIsNull() throws Exception {
    JsonNode top =
        JSON.readTree(ToolRun.of("top", "--jmx=127.0.0.1:1", "--times=1", "--json").out());
    JsonLaw.check("top", top);
    assertThat(top.at("/processes/0/at_millis").isNull()).isTrue();
    JsonNode preflight =
        JSON.readTree(ToolRun.of("preflight", "--jmx=127.0.0.1:1", "--json").out());
    JsonLaw.check("preflight", preflight);
    assertThat(preflight.get("known_nodes").isNull()).isTrue();
  }

  /** Returns the keys of the page by command. */
  public static Map<String, TreeSet<String>> documented() throws IOException {
    Map<String, TreeSet<String>> keys = new TreeMap<>();
    Function<String, TreeSet<String>> empty = command -> new TreeSet<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        keys.computeIfAbsent(row.group(1), empty).add(row.group(2));
      }
    }
    return keys;
  }
}
