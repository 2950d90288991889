// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.policy.WrongOptions;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class SimulateCommandTest {

  /** A load of some hundred flushes. */
  private static final List<String> SMALL =
      List.of("--data=4MB", "--memtable=64KiB", "--entry=1KiB", "--workload=uniform-update");

  private static final String FOREST = "split-forest,fanout=4,table_size=64KiB";
  private static final String LEVELED = "leveled,fanout=10,table_size=64KiB";

  @TempDir Path directory;

  private static ToolRun simulate(String... more) {
    List<String> args = new ArrayList<>(List.of("simulate"));
    args.addAll(SMALL);
    args.addAll(List.of(more));
    return ToolRun.of(args.toArray(String[]::new));
  }

  @Test
  void jsonIsOneDocumentWithARunForEachPolicyInTheOrderGiven() throws Exception {
    ToolRun run = simulate("--policy", FOREST, "--policy", LEVELED, "--json");
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    assertThat(run.err()).isEmpty();
    ObjectMapper mapper = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    JsonNode runs = mapper.readTree(run.out()).get("runs");
    assertThat(runs).hasSize(2);
    JsonNode forest = runs.get(0);
    assertThat(forest.get("policy").asText()).isEqualTo(FOREST);
    assertThat(forest.get("fidelity").asText()).isEqualTo("exact");
    for (String name :
        List.of(
            "wa",
            "ra_mean",
            "ra_max",
            "ra_filtered_mean",
            "sa_steady",
            "sa_peak",
            "transient_peak")) {
      assertThat(forest.get(name).isNumber()).as(name).isTrue();
    }
    assertThat(forest.get("wa").asDouble()).isBetween(1.0, runs.get(1).get("wa").asDouble());
    double merged = 0;
    for (JsonNode cause : forest.get("causes")) {
      merged += cause.get("written_bytes").asDouble();
    }
    double written = merged + forest.get("flushed_bytes").asDouble();
    assertThat(written / forest.get("user_bytes").asDouble())
        .isCloseTo(forest.get("wa").asDouble(), offset(1e-6));
    assertThat(forest.get("samples")).isNotEmpty();
  }

  @Test
  void ruleFreeTakesTheStepsAndTheSpaceOfThePlugin() throws Exception {
    ToolRun run =
        simulate(
            "--rule=free",
            "--policy",
            LEVELED + ",cleaning_threshold=0",
            "--policy",
            LEVELED + ",cleaning_threshold=2",
            "--policy",
            LEVELED + ",max_transient_space=512KiB",
            "--json");
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    List<Double> peaks = new ArrayList<>();
    for (JsonNode simulated : new ObjectMapper().readTree(run.out()).get("runs")) {
      peaks.add(simulated.get("transient_peak").asDouble());
    }
    assertThat(peaks.get(1)).isPositive().isLessThan(peaks.get(0));
    assertThat(peaks.get(2)).isPositive().isLessThan(peaks.get(0));
  }

  @Test
  void theTableHasARowForEachPolicyAndTheBytesByCause() {
    ToolRun run = simulate("--policy", FOREST, "--policy", LEVELED);
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    assertThat(run.out())
        .contains("uniform-update · 4.00 MB of data, 16.0 MB written")
        .contains("WA  RA mean  RA max", FOREST, LEVELED, "merge fanout-reached", "flush");
  }

  @Test
  void theChartIsAPageThatAnXmlParserReads() throws Exception {
    Path file = directory.resolve("page.svg");
    ToolRun run = simulate("--policy", FOREST, "--svg", "--output=" + file);
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    assertThat(run.out()).isEmpty();
    DocumentBuilderFactory parsers = DocumentBuilderFactory.newInstance();
    parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    Document page =
        parsers
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(Files.readString(file))));
    assertThat(page.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(page.getDocumentElement().getTextContent())
        .contains(FOREST, "Write amplification", "Runs over a key", "Disk space over live data");
  }

  @Test
  void theSameLineGivesTheSameFigures() {
    String[] line = {"--policy", FOREST, "--workload=zipf:0.99", "--json"};
    String[] again = {"--policy", FOREST, "--workload=zipf:0.99", "--json"};
    assertThat(ToolRun.of(withSize(line)).out()).isEqualTo(ToolRun.of(withSize(again)).out());
  }

  private static String[] withSize(String... more) {
    List<String> args =
        new ArrayList<>(List.of("simulate", "--data=4MB", "--memtable=64KiB", "--entry=1KiB"));
    args.addAll(List.of(more));
    return args.toArray(String[]::new);
  }

  @Test
  void aJournalOfASimulationReplays() throws Exception {
    Path journal = directory.resolve("journal.jsonl");
    ToolRun run = simulate("--policy", LEVELED, "--journal", journal.toString());
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
    long decisions = Files.lines(journal).count();
    assertThat(decisions).isGreaterThan(50);

    ToolRun replay = ToolRun.of("replay", journal.toString());
    assertThat(replay.out()).contains("replayed " + decisions + " decisions: all plans are equal");
    assertThat(replay.code()).isEqualTo(ExitCode.DONE);

    Path changed = directory.resolve("changed.jsonl");
    Files.writeString(changed, Files.readString(journal).replace("l0_trigger=4", "l0_trigger=5"));
    replay = ToolRun.of("replay", changed.toString());
    assertThat(replay.code()).isEqualTo(ExitCode.FAILED);
    assertThat(replay.out())
        .contains("decision 1 leads to another plan")
        .contains("recorded  merge", "because L0 has 4 runs, trigger is 4", "present   nothing");
  }

  @Test
  void aDamagedJournalIsNamedWithThePlace() throws Exception {
    Path journal = directory.resolve("journal.jsonl");
    simulate("--policy", LEVELED, "--journal", journal.toString());
    List<String> lines = new ArrayList<>(Files.readAllLines(journal));
    lines.set(2, lines.get(2).replace("\"low\"", "\"lwo\""));
    Files.write(journal, lines);
    ToolRun replay = ToolRun.of("replay", journal.toString());
    assertThat(replay.code()).isEqualTo(ExitCode.FAILED);
    assertThat(replay.err()).contains(journal + ": decision 3: one of slices: 'low' must be there");
  }

  @Test
  void everyFaultIsNamedAtOnceAndNothingIsStarted() {
    ToolRun run =
        ToolRun.of(
            "simulate",
            "--polcy=leveled",
            "--policy=leveled,fanout=99,tabel_size=4KiB",
            "--policy=levelled",
            "--data",
            "--memtable=5XB",
            "--workload=zipf:3",
            "--writes=1MB",
            "--writes=2MB",
            "--reads-per-write=many",
            "--seed=-1",
            "--json=tabel",
            "extra");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    String leveled = "--policy leveled,fanout=99,tabel_size=4KiB: ";
    assertThat(run.err().lines())
        .containsExactlyInAnyOrder(
            "option '--polcy' is not understood; did you mean '--policy'?",
            "'extra' is one argument too many; expected none",
            leveled + "option 'tabel_size' is not understood; did you mean 'table_size'?",
            leveled + "fanout (99) must be in 2..32",
            "--policy levelled: policy 'levelled' is not understood; did you mean 'leveled'?",
            "'--data' has no value; write it as --data=value",
            "--memtable (5XB) must be a size such as 64MB or 64MiB in 128 B..50.0 PB",
            "--workload (zipf:3) must be insert, sequential, uniform-update or zipf:<exponent>, the"
                + " exponent above 0 and at most 2; ,deletes:<share> up to 0.99 may follow the last two",
            "option '--writes' is given twice; give it once",
            "--reads-per-write (many) must be a number in 0..1000",
            "--seed (-1) must be a whole number of at least 0",
            "option '--json' takes no value, and it has 'tabel'; write --json",
            "Nothing was started; see coppice-tool simulate --help.");
  }

  @Test
  void whatDoesNotGoTogetherIsNamedToo() {
    ToolRun run =
        ToolRun.of(
            "simulate",
            "--policy=leveled",
            "--workload=insert",
            "--data=1MB",
            "--writes=2MB",
            "--memtable=3MB");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains("--writes (2.00 MB) must be --data (1.00 MB) for insert")
        .contains("--memtable (3.00 MB) must not exceed --writes (2.00 MB)");
  }

  @Test
  void wrongOptionsOfEveryPolicyAreReportedInTheWordsOfEveryDoor() {
    WrongOptions.all(PolicyLimits.ENGINE)
        .forEach(
            wrong -> {
              ToolRun run = ToolRun.of("simulate", "--policy", wrong.text());
              assertThat(run.code()).isEqualTo(ExitCode.USAGE);
              List<String> said = run.err().lines().toList();
              assertThat(said.subList(0, said.size() - 1))
                  .containsExactlyElementsOf(wrong.complaints());
            });
  }

  @Test
  void whatIsTooLargeForItsFidelityIsWrongUsage() {
    ToolRun run =
        ToolRun.of("simulate", "--policy=leveled", "--data=1TB", "--fidelity=exact", "--json");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("exact fidelity allows at most");
  }

  @Test
  void aLimitThatNothingFitsIsSaid() {
    ToolRun run =
        ToolRun.of(
            "simulate",
            "--policy=leveled,table_size=64KiB",
            "--data=8MB",
            "--memtable=256kB",
            "--max-transient=1kB");
    assertThat(run.code()).isEqualTo(ExitCode.DONE);
    assertThat(run.out()).contains("at the end nothing it wanted could start");
  }

  @Test
  void filesThatCannotBeWrittenCostNoMinutes() {
    Path nowhere = directory.resolve("no").resolve("such");
    ToolRun run = simulate("--policy", FOREST, "--output=" + nowhere, "--journal=" + directory);
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains(
            "--output (" + nowhere + ") must be in a directory that exists; create it first",
            "--journal ("
                + directory
                + ") must be a file, and it is a directory; name a file in it");
  }

  @Test
  void aLimitThatCannotBeSimulatedIsNamedWithItsPolicyBeforeAnythingStarts() {
    ToolRun run =
        ToolRun.of(
            "simulate",
            "--policy=leveled",
            "--policy=tiered",
            "--data=100TB",
            "--max-transient=1GB",
            "--json");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains("--policy tiered: a limit on transient space", "Nothing was started")
        .doesNotContain("--policy leveled");
  }
}
