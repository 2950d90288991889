// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import com.google.common.collect.Maps;
import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.suite.OptionReader;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Options of the suite {@code adaptive}, whose load changes from phase to phase.
 *
 * @param contenders the policies to run, the adaptive one first
 * @param rounds how often each policy is measured
 * @param seed seed of keys and operations
 * @param resume whether saved results of an interrupted run count
 * @param progress {@code bar}, {@code plain} or {@code auto}
 */
public record AdaptiveOptions(
    AdaptiveScale scale,
    List<AdaptiveContender> contenders,
    int rounds,
    long seed,
    boolean resume,
    String progress) {

  private static final List<String> NAMES =
      List.of("suite", "scale", "only", "rounds", "seed", "resume", "progress");

  private static final int MAX_ROUNDS = 99;

  /**
   * Reads options by name, without their dashes; missing ones have their defaults.
   *
   * @param given option values by name
   * @param unknown arguments that are no option, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static AdaptiveOptions parse(Map<String, String> given, List<String> unknown) {
    OptionReader reader = new OptionReader(given).only(NAMES, unknown, "this suite");
    AdaptiveScale scale = reader.named("scale", AdaptiveScale.DEFAULT, AdaptiveScale.ALL);
    AdaptiveOptions options =
        new AdaptiveOptions(
            scale,
            contenders(reader, scale),
            (int) reader.number("rounds", 1, 1, MAX_ROUNDS),
            reader.seed(),
            reader.flag("resume"),
            reader.progress());
    reader.check();
    return options;
  }

  private static List<AdaptiveContender> contenders(OptionReader reader, AdaptiveScale scale) {
    if (!reader.has("only")) {
      return AdaptiveContender.all(scale);
    }
    Map<String, AdaptiveContender> known =
        Maps.uniqueIndex(AdaptiveContender.known(scale), AdaptiveContender::name);
    Set<String> named = new LinkedHashSet<>(List.of(AdaptiveContender.ADAPTIVE));
    named.addAll(reader.list("only", ""));
    return named.stream()
        .filter(name -> reader.isNamed("only", name, known.keySet()))
        .map(known::get)
        .toList();
  }

  /** Returns the operation mixes of all phases as text. */
  String mixes() {
    return Arrays.stream(Phase.values()).map(Phase::mix).collect(Collectors.joining("; "));
  }

  /** Returns the policy texts of the contenders whose rung changes. */
  String turning() {
    return contenders.stream()
        .filter(AdaptiveContender::turns)
        .map(one -> one.name() + " is " + one.policy())
        .collect(Collectors.joining(", "));
  }
}
