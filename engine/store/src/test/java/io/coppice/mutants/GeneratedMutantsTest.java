// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.coppice.mutants.GeneratedMutants.Verdict;
import io.coppice.testing.LongRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A call of the disk that is left out or comes late gives a wrong answer, and so does a wrong field
 * of the manifest, but for those that do no harm, which are listed with the reason.
 */
class GeneratedMutantsTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "explanation", "proof.md");
  private static final Pattern SCORE =
      Pattern.compile(
          "makes (\\d+) defects that change the behavior[.] Tests catch (\\d+) of them");

  /** So far the page may be behind or ahead. */
  private static final int SLACK_PERCENT = 10;

  @Test
  void everyCallAndFieldThatIsSpoiltGivesAWrongAnswerOrIsListedAsHarmless() throws IOException {
    LongRun run = new LongRun(getClass(), 1);
    CodecFields fields = new CodecFields();
    Map<String, String> harmless = HarmlessMutants.reasons();
    Set<String> seldom = HarmlessMutants.seldomHarmful().keySet();
    List<String> lightly = new ArrayList<>(harmless.keySet());
    lightly.addAll(seldom);
    String report =
        new EngineLoader(fields.changes())
            .function(GeneratedMutants.class)
            .apply(String.join("\n", fields.names()) + "\n\n" + String.join("\n", lightly));
    Set<String> sites = new TreeSet<>();
    DiskCallSites.all().forEach(site -> sites.add(site.type() + ":" + site.line()));
    Set<String> unused = new TreeSet<>(harmless.keySet());
    Map<Verdict, Long> counts = new EnumMap<>(Verdict.class);
    Map<String, Integer> kinds = new TreeMap<>();
    Map<String, Integer> manners = new TreeMap<>();
    List<String> wrong = new ArrayList<>();
    for (String line : report.split("\n")) {
      String[] parts = line.split("\t", 4);
      if (parts[0].equals("site")) {
        sites.remove(parts[1]);
        continue;
      }
      Verdict verdict = Verdict.valueOf(parts[1]);
      counts.merge(verdict, 1L, Long::sum);
      manners.merge(parts[0].substring(0, parts[0].indexOf(' ')) + " " + verdict, 1, Integer::sum);
      if (verdict == Verdict.CAUGHT) {
        kinds.merge(parts[3].substring(0, parts[3].indexOf(':')), 1, Integer::sum);
      }
      List<String> reasons = harmless.keySet().stream().filter(parts[0]::matches).toList();
      unused.removeAll(reasons);
      boolean right =
          switch (verdict) {
            case CAUGHT -> reasons.isEmpty();
            case NONE -> true;
            case MISSED -> !reasons.isEmpty() || seldom.stream().anyMatch(parts[0]::matches);
            case STOPPED, UNMET -> false;
          };
      if (!right) {
        wrong.add(line);
      }
    }
    long caught = counts.getOrDefault(Verdict.CAUGHT, 0L);
    long missed = counts.getOrDefault(Verdict.MISSED, 0L);
    long none = counts.getOrDefault(Verdict.NONE, 0L);
    System.out.printf(
        "generated mutants: of %d %d give a wrong answer %s, %d do no harm; %d change nothing; %s%n",
        caught + missed, caught, kinds, missed, none, manners);
    assertThat(wrong).as("not caught, or caught although listed as harmless").isEmpty();
    if (System.getProperty("mutants") != null) {
      return;
    }
    assertThat(unused).as("listed as harmless, but there is no such defect").isEmpty();
    assertThat(sites).as("calls of the disk that no scenario makes").isEmpty();
    Matcher score = SCORE.matcher(Files.readString(PAGE).replaceAll("\\s+", " "));
    assertThat(score.find()).as("the page tells the score").isTrue();
    assertThat(Double.parseDouble(score.group(1)))
        .isCloseTo(caught + missed, withinPercentage(SLACK_PERCENT));
    assertThat(Double.parseDouble(score.group(2)))
        .isCloseTo(caught, withinPercentage(SLACK_PERCENT));
    run.passed("generated", Map.of("caught", caught, "harmless", missed, "without-effect", none));
  }
}
