// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.store.StoreCommand;
import io.coppice.tool.store.StoreLine;
import io.coppice.tool.store.StoreVerb;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every command answers every kind of bad input in words of the command line. */
class ToolMessagesTest {

  /** Names of classes, words of the API, and what nobody filled in. */
  private static final List<String> FOREIGN_WORDS =
      List.of("java.", "Exception", "createFamily", "Store.open", "null", "Unmatched", "\tat ");

  private static final PrintWriter NOWHERE = new PrintWriter(Writer.nullWriter());

  @TempDir Path parent;

  /** What stands where a store's directory is expected, by what is wrong with it. */
  private final Map<String, Path> places = new TreeMap<>();

  private Path store;

  @BeforeEach
  void makePlaces() throws IOException {
    store = parent.resolve("store");
    try (Store made = Store.open(store)) {
      made.put(new byte[] {1}, new byte[] {2});
    }
    places.put("empty", Files.createDirectory(parent.resolve("empty")));
    Path foreign = Files.createDirectory(parent.resolve("foreign"));
    Files.writeString(foreign.resolve("passwd"), "root");
    places.put("foreign", foreign);
    places.put("missing", parent.resolve("missing"));
    places.put("file", Files.writeString(parent.resolve("file"), "text"));
    Path cut = Files.createDirectory(parent.resolve("cut"));
    try (Stream<Path> files = Files.list(store)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (!file.getFileName().toString().equals("CURRENT")) {
          Files.copy(file, cut.resolve(file.getFileName()));
        }
      }
    }
    places.put("without CURRENT", cut);
  }

  private static List<String> line(StoreVerb verb, Path directory, String... more) {
    List<String> line = new ArrayList<>(List.of("store", verb.name(), directory.toString()));
    for (String place : verb.places().subList(1, verb.places().size())) {
      line.add(place.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", ""));
    }
    line.addAll(List.of(more));
    return line;
  }

  private static void refused(List<String> line, boolean mayAnswer) {
    ToolRun run = ToolRun.of(line.toArray(String[]::new));
    String said = String.join(" ", line) + ": " + run.out() + run.err();
    assertThat(run.code()).as(said).isNotEqualTo(ExitCode.DONE);
    if (!mayAnswer) {
      assertThat(run.out()).as(said).isEmpty();
      assertThat(run.err()).as(said).isNotBlank();
    }
    for (String word : FOREIGN_WORDS) {
      assertThat(run.out() + run.err()).as(said).doesNotContain(word);
    }
  }

  @Test
  void noVerbTakesADirectoryWithoutAStore() {
    places.forEach(
        (what, place) -> {
          for (StoreVerb verb : StoreCommand.verbs()) {
            boolean answers = verb.name().equals("verify") && what.equals("without CURRENT");
            boolean makes = List.of("repair", "dump").contains(verb.name());
            if (verb.name().equals("bench") || (makes && what.equals("without CURRENT"))) {
              continue;
            }
            refused(line(verb, place), answers);
          }
        });
  }

  @Test
  void everyVerbRefusesFilesAndFamiliesThatAreNotThere() {
    for (StoreVerb verb : StoreCommand.verbs()) {
      if (verb.options().contains(StoreLine.FAMILY)) {
        refused(line(verb, store, "--family=absent"), false);
      }
    }
    refused(List.of("store", "get", store.toString(), "@" + parent.resolve("absent")), false);
    refused(List.of("store", "put", store.toString(), "k", "@" + parent), false);
  }

  @Test
  void everyCommandRefusesOptionsAndArgumentsThatItDoesNotHave() {
    CommandLine tool = Main.commandLine(new CommandOutput(NOWHERE, NOWHERE));
    for (String name : tool.getSubcommands().keySet()) {
      refused(List.of(name, "--nonsense"), false);
      refused(List.of(name, "--nonsense=1", "one", "two", "three", "four", "five"), false);
    }
    for (StoreVerb verb : StoreCommand.verbs()) {
      refused(line(verb, store, "--nonsense"), false);
      refused(List.of("store", verb.name()), false);
    }
    refused(List.of("stroe"), false);
    refused(List.of("store"), false);
    refused(List.of("store", "verfy", store.toString()), false);
  }

  @Test
  void theyNameWhatWasMistyped() {
    assertThat(ToolRun.of("stroe").err())
        .contains("coppice-tool: command 'stroe' is not understood; did you mean 'store'?");
    assertThat(ToolRun.of("store", "get", store.toString(), "a", "--family=users").err())
        .contains("--family (users) must be a family of the store: default");
  }

  @Test
  void nodesThatAreNotThereAreNamedOnce() throws IOException {
    // A part of a host name has at most 63 characters, so no name server is asked.
    String host = "a".repeat(64);
    ToolRun run = ToolRun.of("preflight", "--jmx=" + host);
    assertThat(run.out())
        .contains("\n " + host + ":7199: unknown host; check the name, or use an IP address")
        .doesNotContain(host + ":7199 " + host);
    Path absent = parent.resolve("password");
    ToolRun login = ToolRun.of("preflight", "--jmx=a", "--user=u", "--password-file=" + absent);
    assertThat(login.err())
        .contains("--password-file (" + absent + ") must be a readable file: ")
        .contains("no such file or directory")
        .doesNotContain("java.");
  }

  /** A JVM that allows little memory outside its heap runs every verb that opens a store. */
  @Test
  void aSmallHeapIsEnough() throws Exception {
    for (String verb : List.of("get", "scan")) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx200m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  "store",
                  verb,
                  store.toString()));
      if (verb.equals("get")) {
        command.add("hex:01");
      }
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isEqualTo(ExitCode.DONE);
      assertThat(said).doesNotContain("SEVERE").hasLineCount(1);
    }
  }
}
