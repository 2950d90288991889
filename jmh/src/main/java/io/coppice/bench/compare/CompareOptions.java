// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a comparison was asked to do.
 *
 * @param javaHome Java of the node, if one was named
 * @param contenders in the order of the table, never empty
 * @param majorsOnly true to load and compact only, for what is asked of major compactions
 */
record CompareOptions(
    Scale scale,
    List<Contender> contenders,
    int repeats,
    long seed,
    boolean keep,
    boolean majorsOnly,
    Optional<Path> javaHome,
    ProgressMode progress) {

  /** How progress is shown. */
  enum ProgressMode {
    AUTO,
    BAR,
    PLAIN
  }

  private static final int MAX_REPEATS = 20;
  private static final int MAX_FLUSHES = 10_000;

  /**
   * Reads options given as text; a missing or empty one has its default.
   *
   * @param text by option name without dashes
   * @param unknown arguments that are no option at all
   * @throws InvalidOptionsException naming every wrong option, its value and what is allowed
   */
  static CompareOptions parse(Map<String, String> text, List<String> unknown) {
    Reader reader = new Reader(text, new ArrayList<>());
    unknown.forEach(reader::unknown);
    Map<String, Scale> scales = byName(Scale.ALL, Scale::name);
    Scale scale = scales.get(reader.oneOf("scale", Scale.DEFAULT, List.copyOf(scales.keySet())));
    int flushes = (int) reader.number("flushes", scale.load().flushes(), 4, MAX_FLUSHES);
    CompareOptions options =
        new CompareOptions(
            scale.withFlushes(flushes),
            reader.contenders(scale.node().tableMib()),
            (int) reader.number("repeats", 1, 1, MAX_REPEATS),
            reader.number("seed", 42, Long.MIN_VALUE, Long.MAX_VALUE),
            reader.flag("keep"),
            reader.flag("majors-only"),
            reader.text("java-home", "auto").equals("auto")
                ? Optional.empty()
                : Optional.of(Path.of(reader.text("java-home", "auto"))),
            ProgressMode.valueOf(
                reader.oneOf("progress", "auto", List.of("auto", "bar", "plain")).toUpperCase()));
    if (!reader.errors.isEmpty()) {
      throw new InvalidOptionsException(reader.errors);
    }
    return options;
  }

  /** Repeats the comparison, from the root of the repository. */
  String command() {
    // Maven passes on all options but the number of flushes.
    boolean byMaven = Scale.ALL.contains(scale);
    String dash = byMaven ? " -D" : " --";
    List<String> ids = contenders.stream().map(Contender::id).toList();
    boolean all = ids.size() == Contender.all(scale.node().tableMib()).size();
    String strategies = all ? "all" : String.join(",", ids);
    return (byMaven ? "mvn -q -Pcompare" : "java -jar jmh/target/coppice-bench.jar compare")
        + (dash + "scale=" + scale.name())
        + (byMaven ? "" : dash + "flushes=" + scale.load().flushes())
        + (ids.equals(Contender.FIRST) ? "" : dash + "strategies=" + strategies)
        + (majorsOnly ? dash + (byMaven ? "majorsOnly" : "majors-only") + "=true" : "")
        + (dash + "repeats=" + repeats)
        + (dash + "seed=" + seed);
  }

  private static <T> Map<String, T> byName(List<T> all, Function<T, String> name) {
    Map<String, T> named = new LinkedHashMap<>();
    all.forEach(one -> named.put(name.apply(one), one));
    return named;
  }

  /** Collects faults instead of stopping at the first. */
  private record Reader(Map<String, String> text, List<String> errors) {

    private static final List<String> NAMES =
        List.of(
            "scale",
            "strategies",
            "repeats",
            "seed",
            "keep",
            "majors-only",
            "java-home",
            "flushes",
            "progress");

    String text(String name, String otherwise) {
      String value = text.get(name);
      return value == null || value.isBlank() ? otherwise : value.strip();
    }

    void unknown(String argument) {
      String name = argument.replaceFirst("=.*", "");
      String nearest = Nearest.to(name.replaceFirst("^-+", ""), NAMES);
      errors.add("unknown option %s; nearest is --%s".formatted(name, nearest));
    }

    String oneOf(String name, String otherwise, List<String> allowed) {
      String value = text(name, otherwise);
      if (allowed.contains(value)) {
        return value;
      }
      errors.add(
          "--%s (%s) must be one of %s; nearest is %s"
              .formatted(name, value, String.join(", ", allowed), Nearest.to(value, allowed)));
      return otherwise;
    }

    boolean flag(String name) {
      return oneOf(name, "false", List.of("true", "false")).equals("true");
    }

    long number(String name, long otherwise, long least, long most) {
      String value = text(name, Long.toString(otherwise));
      try {
        long number = Long.parseLong(value);
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Reported below, as a number out of range is.
      }
      errors.add(
          "--%s (%s) must be a whole number from %d to %d".formatted(name, value, least, most));
      return otherwise;
    }

    List<Contender> contenders(int tableMib) {
      Map<String, Contender> known = byName(Contender.all(tableMib), Contender::id);
      String value = text("strategies", Scale.DEFAULT);
      if (value.equals("all")) {
        return List.copyOf(known.values());
      }
      List<String> asked =
          value.equals(Scale.DEFAULT) ? Contender.FIRST : List.of(value.split("\\s*,\\s*", -1));
      for (String id : asked) {
        if (!known.containsKey(id)) {
          errors.add(
              "--strategies (%s) must be first, all or some of %s; nearest is %s"
                  .formatted(
                      id,
                      String.join(", ", known.keySet()),
                      Nearest.to(id, List.copyOf(known.keySet()))));
        }
      }
      return known.values().stream()
          .filter(contender -> asked.contains(contender.id()))
          .collect(Collectors.toUnmodifiableList());
    }
  }
}
