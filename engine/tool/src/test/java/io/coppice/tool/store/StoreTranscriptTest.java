// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Types what {@code docs/transcripts/store.md} shows, and compares what is answered. {@code
 * -Drewrite=1} writes it anew.
 */
class StoreTranscriptTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "transcripts", "store.md");
  private static final String FENCE = "```\n";
  private static final String PROMPT = "$ ";

  /** Arguments that are places in the directory in which all of it happens. */
  private static final Set<String> PLACES = Set.of("data", "backup", "new");

  @TempDir Path home;

  @Test
  void thePageShowsWhatTheToolAnswers() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(FENCE) + FENCE.length();
    int to = page.indexOf(FENCE, from);
    List<String> shown = page.substring(from, to).lines().toList();
    List<String> said = new ArrayList<>();
    for (String line : shown) {
      if (line.startsWith(PROMPT)) {
        said.add(line);
        said.addAll(answer(line.substring(PROMPT.length()).split(" ")));
      }
    }
    if (System.getProperty("rewrite") != null) {
      String text = String.join("\n", said) + "\n";
      Files.writeString(PAGE, page.substring(0, from) + text + page.substring(to));
      return;
    }
    assertThat(masked(said)).isEqualTo(masked(shown));
  }

  /** What is printed, and the exit code where it is not 0. */
  private List<String> answer(String[] words) throws IOException {
    if (words[0].equals("rm")) {
      Files.delete(home.resolve(words[1]));
      return List.of();
    }
    assertThat(words[0]).isEqualTo("tool");
    String[] args =
        Arrays.stream(words)
            .skip(1)
            .map(word -> PLACES.contains(word) ? home.resolve(word).toString() : word)
            .toArray(String[]::new);
    ToolRun run = ToolRun.of(args);
    List<String> lines = new ArrayList<>();
    (run.out() + run.err()).lines().map(line -> line.replace(home + "/", "")).forEach(lines::add);
    if (run.code() != ExitCode.DONE) {
      lines.add("[exit " + run.code() + "]");
    }
    return lines;
  }

  /** Owners are drawn, and no two measurements are equal. */
  private static String masked(List<String> lines) {
    List<String> masked = new ArrayList<>();
    boolean measured = false;
    for (String line : lines) {
      measured = line.startsWith(PROMPT) ? line.contains(" bench ") : measured;
      String kept = line.replaceAll("owner [0-9a-f]+", "owner N");
      boolean varies = measured && line.matches(".* micros/op .*|.* p50 .*|.* stalls .*");
      masked.add(varies ? kept.replaceAll("[0-9.]+", "N").replaceAll(" +", " ") : kept);
    }
    return String.join("\n", masked);
  }
}
