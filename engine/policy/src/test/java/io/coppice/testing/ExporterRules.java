// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;

/**
 * Rules of Prometheus's JMX exporter, applied to bean names as the exporter does. The reader knows
 * only the keys that {@code docker/monitoring} uses, one per line, and fails on others.
 */
public final class ExporterRules {

  /** Directory of the monitoring kit, seen from the module of the running test. */
  public static final Path KIT =
      Stream.of(Path.of("..", "docker"), Path.of("..", "..", "docker"))
          .filter(Files::isDirectory)
          .findFirst()
          .orElseThrow()
          .resolve("monitoring");

  private static final Pattern KEY_VALUE =
      Pattern.compile("([^,=]+)=(\"(?:[^\\\\\"]|\\\\.)*\"|[^,]*)");
  private static final Pattern LABEL = Pattern.compile("(\\w+): \"?([^,\"}]+)\"?");
  private static final Pattern GROUP = Pattern.compile("\\$(\\d)");

  /**
   * One rule.
   *
   * @param pattern finds the bean and attribute
   * @param name name of the series
   * @param type {@code COUNTER} or {@code GAUGE}
   * @param labels label texts, with {@code $1} for the first group of the pattern
   */
  public record Rule(Pattern pattern, String name, String type, Map<String, String> labels) {}

  /** Name and labels of a series. */
  public record Series(String name, Map<String, String> labels) {}

  private final List<String> includes = new ArrayList<>();
  private final List<Rule> rules = new ArrayList<>();

  private ExporterRules() {}

  /** Reads a file. */
  public static ExporterRules of(Path file) throws IOException {
    ExporterRules read = new ExporterRules();
    Map<String, String> rule = new LinkedHashMap<>();
    boolean inRules = false;
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("#") || line.isBlank()) {
        continue;
      }
      if (!line.startsWith(" ")) {
        inRules = line.equals("rules:");
        if (!inRules && !line.equals("includeObjectNames:")) {
          throw new AssertionError(file + ": unknown line " + line);
        }
      } else if (!inRules) {
        read.includes.add(line.replaceFirst("^  - ", ""));
      } else {
        if (line.startsWith("  - ")) {
          read.add(rule);
          rule.clear();
        }
        String[] parts = line.substring(4).split(": ", 2);
        rule.put(parts[0], parts[1]);
      }
    }
    read.add(rule);
    return read;
  }

  private void add(Map<String, String> rule) {
    if (rule.isEmpty()) {
      return;
    }
    Map<String, String> labels = new LinkedHashMap<>();
    Matcher label = LABEL.matcher(rule.get("labels"));
    while (label.find()) {
      labels.put(label.group(1), label.group(2));
    }
    rules.add(
        new Rule(
            Pattern.compile("^.*(?:" + rule.get("pattern") + ").*$"),
            rule.get("name"),
            rule.get("type"),
            labels));
  }

  /** Returns the patterns of the beans that the exporter queries. */
  public List<String> includes() {
    return List.copyOf(includes);
  }

  /** Returns the rules in order. */
  public List<Rule> rules() {
    return List.copyOf(rules);
  }

  /** Returns the first rule that matches, as the exporter does. */
  public Optional<Rule> rule(ObjectName bean, String attribute) {
    String text = text(bean, attribute);
    return rules.stream().filter(rule -> rule.pattern().matcher(text).matches()).findFirst();
  }

  /** Returns the series of an attribute, or empty if no rule matches. */
  public Optional<Series> series(ObjectName bean, String attribute) {
    return rule(bean, attribute)
        .map(
            rule -> {
              Matcher found = rule.pattern().matcher(text(bean, attribute));
              if (!found.matches()) {
                throw new AssertionError(bean + " matched before");
              }
              Map<String, String> labels = new LinkedHashMap<>();
              rule.labels()
                  .forEach(
                      (name, text) ->
                          labels.put(
                              name,
                              GROUP
                                  .matcher(text)
                                  .replaceAll(
                                      group ->
                                          Matcher.quoteReplacement(
                                              found.group(Integer.parseInt(group.group(1)))))));
              return new Series(rule.name(), labels);
            });
  }

  private static String text(ObjectName bean, String attribute) {
    Matcher keys = KEY_VALUE.matcher(bean.getKeyPropertyListString());
    String list = keys.results().map(key -> key.group()).collect(Collectors.joining(", "));
    return bean.getDomain() + "<" + list + "><>" + attribute;
  }
}
