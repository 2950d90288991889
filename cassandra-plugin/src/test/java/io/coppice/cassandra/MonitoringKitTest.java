// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.testing.ExporterRules;
import io.coppice.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The files of {@code docker/monitoring} parse and agree with each other: rules and panels use the
 * series that the exporter rules name or a recording rule makes, and no series is unused. {@code
 * ExporterRulesTest} and {@code StrategiesNodeTest} apply the exporter rules to real beans.
 */
final class MonitoringKitTest {

  private static final Path KIT = ExporterRules.KIT;
  private static final Path TROUBLE = KIT.resolve("../../docs/how-to/trouble.md");

  /** The anchor of an alert of both hosts: that of stores, else that of nodes. */
  private static final Pattern EITHER =
      Pattern.compile(
          "\\{\\{ if \\$labels\\.store }}([a-z-]+)\\{\\{ else }}([a-z-]+)\\{\\{ end }}");

  private static final Set<String> WORDS =
      Set.of("and", "or", "unless", "by", "on", "ignoring", "bool", "offset", "without");

  private static Map<?, ?> yaml(String file) throws IOException {
    return new Yaml().load(Files.readString(KIT.resolve(file)));
  }

  private static JsonNode dashboard() throws IOException {
    return new ObjectMapper().readTree(Files.readString(KIT.resolve("dashboard.json")));
  }

  private static List<Map<?, ?>> rules(String kind) throws IOException {
    List<Map<?, ?>> rules = new ArrayList<>();
    for (Object group : (List<?>) yaml("rules.yml").get("groups")) {
      for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
        if (((Map<?, ?>) rule).containsKey(kind)) {
          rules.add((Map<?, ?>) rule);
        }
      }
    }
    return rules;
  }

  private static Set<String> exported() throws IOException {
    Set<String> names = new TreeSet<>();
    for (String file : List.of("jmx-cassandra.yml", "jmx-store.yml")) {
      ExporterRules.of(KIT.resolve(file)).rules().forEach(rule -> names.add(rule.name()));
    }
    return names;
  }

  private static Set<String> recorded() throws IOException {
    return rules("record").stream()
        .map(rule -> (String) rule.get("record"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> panelQueries() throws IOException {
    List<String> queries = new ArrayList<>();
    for (JsonNode panel : dashboard().get("panels")) {
      for (JsonNode target : panel.path("targets")) {
        queries.add(target.get("expr").textValue());
      }
    }
    assertThat(queries).hasSizeGreaterThan(15);
    return queries;
  }

  /** Returns the series that a query names. */
  static Set<String> series(String query) {
    String bare =
        query
            .replaceAll("\"(?:[^\"\\\\]|\\\\.)*\"", "")
            .replaceAll("\\{[^}]*}", "")
            .replaceAll("\\[[^]]*]", "")
            .replaceAll("\\b(by|without|on|ignoring)\\s*\\([^)]*\\)", "")
            .replaceAll("\\boffset\\s+\\w+", "");
    Set<String> names = new TreeSet<>();
    Matcher name = Pattern.compile("[a-zA-Z_:][\\w:]*(?!\\s*\\()(?![\\w:])").matcher(bare);
    while (name.find()) {
      if (!WORDS.contains(name.group())) {
        names.add(name.group());
      }
    }
    return names;
  }

  @Test
  void theSeriesOfAQueryAreFound() {
    assertThat(
            series(
                "sum by (a) (rate(b_total{c=\"d\"}[5m])) / (e:f offset 1h > bool 1) or vector(0)"))
        .containsExactly("b_total", "e:f");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jmx-cassandra.yml", "jmx-store.yml"})
  void exporterRulesAreReadLikeYaml(String file) throws IOException {
    List<List<?>> parsed = new ArrayList<>();
    for (Object one : (List<?>) yaml(file).get("rules")) {
      Map<?, ?> rule = (Map<?, ?>) one;
      parsed.add(
          List.of(
              "^.*(?:" + rule.get("pattern") + ").*$",
              rule.get("name"),
              rule.get("type"),
              rule.get("labels")));
      assertThat((String) rule.get("help")).endsWith(".");
      assertThat(((String) rule.get("name")).endsWith("_total"))
          .isEqualTo(rule.get("type").equals("COUNTER"));
    }
    ExporterRules rules = ExporterRules.of(KIT.resolve(file));
    List<List<?>> read = new ArrayList<>();
    for (ExporterRules.Rule rule : rules.rules()) {
      read.add(List.of(rule.pattern().pattern(), rule.name(), rule.type(), rule.labels()));
    }
    assertThat(read).isEqualTo(parsed);
    assertThat(rules.includes()).isEqualTo(yaml(file).get("includeObjectNames"));
  }

  @Test
  void rulesAndPanelsUseWhatIsExportedOrRecordedAndAllOfIt() throws IOException {
    Set<String> used = new TreeSet<>();
    for (Map<?, ?> rule : rules("record")) {
      used.addAll(series((String) rule.get("expr")));
    }
    assertThat(exported()).as("recordings use exported series").containsAll(used);
    for (Map<?, ?> rule : rules("alert")) {
      used.addAll(series((String) rule.get("expr")));
    }
    for (String query : panelQueries()) {
      used.addAll(series(query));
    }
    Set<String> known = new TreeSet<>(exported());
    known.addAll(recorded());
    assertThat(used).isEqualTo(known);
  }

  /** Returns the anchors below a heading of the second level. */
  private static List<String> headings(String section) throws IOException {
    return Files.readAllLines(TROUBLE).stream()
        .dropWhile(line -> !line.equals(section))
        .skip(1)
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.startsWith("### "))
        .map(line -> line.substring("### ".length()).toLowerCase().replace(' ', '-'))
        .toList();
  }

  /** Returns the exporter rules that have a series of an expression, also through recordings. */
  private static Set<String> hosts(String expression) throws IOException {
    Set<String> hosts = new TreeSet<>();
    for (String series : series(expression)) {
      for (Map<?, ?> rule : rules("record")) {
        if (rule.get("record").equals(series)) {
          hosts.addAll(hosts((String) rule.get("expr")));
        }
      }
      for (String file : List.of("jmx-cassandra.yml", "jmx-store.yml")) {
        if (ExporterRules.of(KIT.resolve(file)).rules().stream()
            .anyMatch(rule -> rule.name().equals(series))) {
          hosts.add(file);
        }
      }
    }
    return hosts;
  }

  @Test
  void eachAlertSaysWhatToDoAndIsTested() throws IOException {
    List<String> ofNodes = headings("## Cassandra");
    List<String> ofStores = headings("## An embedded store");
    assertThat(ofNodes).doesNotContainAnyElementsOf(ofStores);
    String tests = Files.readString(KIT.resolve("rules-test.yml"));
    for (Map<?, ?> rule : rules("alert")) {
      String alert = (String) rule.get("alert");
      assertThat(((Map<?, ?>) rule.get("labels")).get("severity")).isIn("warning", "critical");
      Map<?, ?> texts = (Map<?, ?>) rule.get("annotations");
      assertThat(texts.keySet()).hasToString("[summary, description, runbook]");
      String runbook = (String) texts.get("runbook");
      assertThat(runbook).startsWith("docs/how-to/trouble.md#");
      String anchor = runbook.substring(runbook.indexOf('#') + 1);
      Matcher either = EITHER.matcher(anchor);
      boolean both = either.matches();
      Set<String> hosts = hosts((String) rule.get("expr"));
      assertThat(both).as(alert + " of " + hosts).isEqualTo(hosts.size() > 1);
      if (hosts.contains("jmx-store.yml")) {
        assertThat(ofStores).as(alert).contains(both ? either.group(1) : anchor);
      }
      if (hosts.contains("jmx-cassandra.yml")) {
        assertThat(ofNodes).as(alert).contains(both ? either.group(2) : anchor);
      }
      assertThat(tests)
          .contains("alertname: " + alert + "\n", "alertname: " + alert + ", exp_alerts: []");
    }
  }

  @Test
  void panelsHaveUnitAndExplanationAndDoNotOverlap() throws IOException {
    JsonNode dashboard = dashboard();
    Set<String> variables =
        new HashSet<>(dashboard.at("/templating/list").findValuesAsText("name"));
    Set<Integer> ids = new HashSet<>();
    Set<String> places = new HashSet<>();
    int rows = 0;
    for (JsonNode panel : dashboard.get("panels")) {
      String title = panel.get("title").textValue();
      assertThat(ids.add(panel.get("id").intValue())).as(title).isTrue();
      JsonNode at = panel.get("gridPos");
      assertThat(at.get("x").intValue() + at.get("w").intValue()).as(title).isBetween(1, 24);
      for (int x = 0; x < at.get("w").intValue(); x++) {
        for (int y = 0; y < at.get("h").intValue(); y++) {
          int column = at.get("x").intValue() + x;
          int line = at.get("y").intValue() + y;
          assertThat(places.add(column + "/" + line)).as(title).isTrue();
        }
      }
      if (panel.get("type").textValue().equals("row")) {
        rows++;
        continue;
      }
      assertThat(panel.path("description").asText()).as(title).endsWith(".");
      assertThat(panel.at("/fieldConfig/defaults/unit").asText()).as(title).isNotEmpty();
    }
    assertThat(rows).isBetween(3, 6);
    for (String query : panelQueries()) {
      Matcher variable = Pattern.compile("\\$(\\w+)").matcher(query);
      while (variable.find()) {
        assertThat(variables).contains(variable.group(1));
      }
    }
  }

  @Test
  void promtoolAcceptsTheRulesAndTheirTests() throws Exception {
    String promtool = Needs.program("promtool").toString();
    for (List<String> check :
        List.of(
            List.of("check", "rules", "rules.yml"),
            List.of("test", "rules", "rules-test.yml"),
            List.of("check", "config", "prometheus.yml"))) {
      List<String> command = Stream.concat(Stream.of(promtool), check.stream()).toList();
      Process process =
          new ProcessBuilder(command).directory(KIT.toFile()).redirectErrorStream(true).start();
      String printed = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor()).as(check + "\n" + printed).isZero();
    }
  }
}
