// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreBenchTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path parent;

  private ToolRun bench(Path directory, String... more) {
    List<String> args = new ArrayList<>(List.of("store", "bench", directory.toString()));
    args.add("--memory=4MiB");
    args.addAll(List.of(more));
    if (args.stream().noneMatch(arg -> arg.startsWith("--num"))) {
      args.add("--num=500");
    }
    return ToolRun.of(args.toArray(String[]::new));
  }

  private Map<String, JsonNode> results(Path directory, String... more) throws Exception {
    ToolRun run = bench(directory, more);
    assertThat(run.code()).as(run.err() + run.out()).isEqualTo(ExitCode.DONE);
    Map<String, JsonNode> results = new HashMap<>();
    for (JsonNode result : JSON.readTree(run.out()).get("results")) {
      if (result.has("benchmark")) {
        results.put(result.get("benchmark").asText(), result);
      }
    }
    return results;
  }

  @Test
  void everyWordSaysHowFastItWas() {
    for (String word : BenchWord.labels()) {
      ToolRun run = bench(parent.resolve("data"), "--benchmarks=fillrandom," + word);
      assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
      if (word.equals("stats")) {
        assertThat(run.out()).contains("policy of coppice-bench: split-forest");
      } else {
        assertThat(run.out())
            .containsPattern(
                "(?m)^" + word + " +: +[0-9.]+ micros/op [0-9]+ ops/sec [0-9.]+ seconds");
      }
    }
  }

  @Test
  void wordsFindWhatOthersWrote() throws Exception {
    Map<String, JsonNode> found =
        results(
            parent.resolve("data"),
            "--benchmarks=fillseq,readrandom,readseq,readreverse,seekrandom,readwhilewriting,compact",
            "--threads=3",
            "--value-size=1000",
            "--json");
    for (String word : List.of("fillseq", "readseq", "readreverse")) {
      assertThat(found.get(word).get("operations").asInt()).as(word).isEqualTo(1500);
      assertThat(found.get(word).get("bytes").asInt()).as(word).isEqualTo(1500 * 1016);
    }
    for (String word : List.of("readrandom", "seekrandom", "readwhilewriting")) {
      assertThat(found.get(word).get("found").asInt()).as(word).isEqualTo(1500);
    }
    assertThat(found.get("readwhilewriting").get("writes_beside").asInt()).isNotNegative();
    assertThat(found.get("compact").get("operations").asInt()).isEqualTo(1);
    assertThat(found.get("fillseq").get("p50_micros").asDouble())
        .isBetween(0.0, found.get("fillseq").get("max_micros").asDouble());
  }

  @Test
  void aSeedDecidesTheKeys() throws Exception {
    String words = "--benchmarks=fillrandom,deleterandom,readrandom";
    int first = found(words, "--seed=1");
    assertThat(first).isBetween(1, 499);
    assertThat(found(words, "--seed=1")).isEqualTo(first);
    assertThat(found(words, "--seed=2")).isNotEqualTo(first);
  }

  private int found(String... more) throws Exception {
    List<String> args = new ArrayList<>(List.of(more));
    args.add("--json");
    return results(parent.resolve("data"), args.toArray(String[]::new))
        .get("readrandom")
        .get("found")
        .asInt();
  }

  @Test
  void aFillBeginsWithNothingUnlessWhatIsThereIsToBeUsed() throws Exception {
    Path data = parent.resolve("data");
    assertThat(bench(data, "--benchmarks=fillseq", "--num=900").code()).isZero();
    assertThat(bench(data, "--benchmarks=fillseq", "--use-existing").code()).isZero();
    assertThat(count(data)).isEqualTo("900");
    assertThat(bench(data, "--benchmarks=fillseq").code()).isZero();
    assertThat(count(data)).isEqualTo("500");
  }

  private static String count(Path data) {
    String family = "--family=" + StoreBenchVerb.FAMILY;
    return ToolRun.of("store", "scan", "--count", family, data.toString()).out().strip();
  }

  @Test
  void aStoreOfSomebodyElseIsRefusedAndNothingOfItIsTouched() throws Exception {
    Path data = parent.resolve("data");
    assertThat(ToolRun.of("store", "put", "--create", data.toString(), "k", "v").code()).isZero();
    ToolRun refused = bench(data);
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err()).contains("and it holds another store", "--use-existing");

    ToolRun used = bench(data, "--use-existing", "--benchmarks=fillrandom,deleterandom,compact");
    assertThat(used.code()).as(used.err()).isZero();
    assertThat(ToolRun.of("store", "scan", data.toString()).out().strip()).isEqualTo("k\tv");

    Path letters = Files.createDirectory(parent.resolve("letters"));
    Files.writeString(letters.resolve("dear.txt"), "dear");
    ToolRun wrong = bench(letters, "--use-existing");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("it contains no file of a store");
  }

  @Test
  void allThatIsWrongIsSaidAtOnceAndNothingIsMade() {
    Path data = parent.resolve("data");
    ToolRun run =
        bench(data, "--benchmarks=fillrandm,stats", "--threads=0", "--policy=levelled,fanout=1");
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .contains("did you mean 'fillrandom'?", "--threads (0)", "did you mean 'leveled'?");
    assertThat(data).doesNotExist();
  }
}
