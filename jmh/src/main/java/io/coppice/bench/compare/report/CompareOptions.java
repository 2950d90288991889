// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import com.google.common.collect.Maps;
import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.suite.OptionReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Options of a comparison.
 *
 * @param javaHome Java of the node; empty to search for one
 * @param contenders strategies in the order of the table, never empty
 * @param majorsOnly whether each run only loads and runs a major compaction
 * @param progress {@code bar}, {@code plain} or {@code auto}
 */
public record CompareOptions(
    Scale scale,
    List<Contender> contenders,
    int repeats,
    long seed,
    boolean keep,
    boolean majorsOnly,
    Optional<Path> javaHome,
    String progress) {

  private static final int MAX_REPEATS = 20;
  private static final int MAX_FLUSHES = 10_000;

  /**
   * Reads the options; missing or empty ones have their defaults.
   *
   * @throws InvalidOptionsException naming every wrong option with its value and the allowed ones
   */
  public static CompareOptions parse(OptionReader reader) {
    Scale scale = reader.named("scale", Scale.DEFAULT, Maps.uniqueIndex(Scale.ALL, Scale::name));
    CompareOptions options =
        new CompareOptions(
            scale.withFlushes(reader.whole("flushes", scale.load().flushes(), 4, MAX_FLUSHES)),
            contenders(reader, scale.node().tableMib()),
            reader.whole("repeats", 1, 1, MAX_REPEATS),
            reader.seed(),
            reader.flag("keep"),
            reader.flag("majors-only"),
            reader.path("java-home").filter(home -> !home.toString().equals("auto")),
            reader.progress());
    reader.check();
    return options;
  }

  private static List<Contender> contenders(OptionReader reader, int tableMib) {
    Map<String, Contender> known = Maps.uniqueIndex(Contender.all(tableMib), Contender::id);
    List<String> asked = reader.list("strategies", Scale.DEFAULT);
    if (asked.equals(List.of("all"))) {
      return List.copyOf(known.values());
    }
    List<String> ids = asked.equals(List.of(Scale.DEFAULT)) ? Contender.FIRST : asked;
    ids.forEach(id -> reader.isNamed("strategies", id, known.keySet()));
    return known.values().stream().filter(contender -> ids.contains(contender.id())).toList();
  }

  /** Returns a command that repeats the run. */
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
}
