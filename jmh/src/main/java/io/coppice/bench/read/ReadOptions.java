// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a run of the suite measures.
 *
 * @param seconds that each side is measured in each round
 * @param rows pattern of their ids
 * @param seed decides keys, values and draws
 * @param keep true if the data stay, for a next run of the same scale and seed
 * @param record true if each process that measures leaves a flight recording
 * @param progress bar, plain or auto
 */
public record ReadOptions(
    ReadScale scale,
    double seconds,
    int rounds,
    String rows,
    long seed,
    boolean keep,
    boolean record,
    String progress) {

  private static final List<String> NAMES =
      List.of("suite", "scale", "seconds", "rounds", "rows", "seed", "keep", "record", "progress");

  private static final double MAX_SECONDS = 3600;
  private static final int MAX_ROUNDS = 99;

  /**
   * Reads options by name, without their dashes; what is missing has its default.
   *
   * @param unknown what was given besides, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static ReadOptions parse(Map<String, String> given, List<String> unknown) {
    return new Parser(given, unknown).parse();
  }

  /** Arguments for the processes, which read back as equal options. */
  List<String> arguments() {
    return List.of(
        "scale=" + scale.label(),
        "seconds=" + seconds,
        "rounds=" + rounds,
        "rows=" + rows,
        "seed=" + seed,
        "keep=" + keep,
        "record=" + record,
        "progress=" + progress);
  }

  /** Reads {@link #arguments} back. */
  static ReadOptions ofArguments(List<String> arguments) {
    Map<String, String> given = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      given.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    return parse(given, List.of());
  }

  private static final class Parser {
    private final Map<String, String> given;
    private final List<String> errors = new ArrayList<>();

    Parser(Map<String, String> given, List<String> unknown) {
      this.given = given;
      given.keySet().stream().filter(name -> !NAMES.contains(name)).forEach(this::unknown);
      unknown.forEach(this::unknown);
    }

    private void unknown(String argument) {
      String bare = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
      errors.add("--" + bare + " is no option of a suite; nearest is --" + Nearest.to(bare, NAMES));
    }

    ReadOptions parse() {
      ReadScale scale = scale();
      double seconds = seconds(scale);
      int rounds = rounds(scale);
      String rows = text("rows", "*");
      if (matching(rows).isEmpty()) {
        errors.add("--rows (" + rows + ") matches no row; try *, or one of those of --help");
      }
      long seed = seed();
      boolean keep = oneOf("keep", List.of("false", "true")).equals("true");
      boolean record = oneOf("record", List.of("false", "true")).equals("true");
      String progress = oneOf("progress", List.of("auto", "bar", "plain"));
      if (!errors.isEmpty()) {
        throw new InvalidOptionsException(errors);
      }
      return new ReadOptions(scale, seconds, rounds, rows, seed, keep, record, progress);
    }

    private static List<RowSpec> matching(String glob) {
      try {
        return ReadRows.matching(glob);
      } catch (IllegalArgumentException e) {
        return List.of();
      }
    }

    private String text(String option, String otherwise) {
      return given.getOrDefault(option, otherwise);
    }

    private ReadScale scale() {
      String label = text("scale", ReadScale.SMALL.label());
      return ReadScale.find(label)
          .orElseGet(
              () -> {
                errors.add(
                    "--scale ("
                        + label
                        + ") must be one of "
                        + String.join(", ", ReadScale.labels())
                        + "; nearest is "
                        + Nearest.to(label, ReadScale.labels()));
                return ReadScale.SMALL;
              });
    }

    private double seconds(ReadScale scale) {
      String text = text("seconds", Double.toString(scale.seconds()));
      try {
        double seconds = Double.parseDouble(text);
        if (seconds > 0 && seconds <= MAX_SECONDS) {
          return seconds;
        }
      } catch (NumberFormatException e) {
        // Named below.
      }
      errors.add("--seconds (" + text + ") must be a number above 0, up to " + MAX_SECONDS);
      return 1;
    }

    private int rounds(ReadScale scale) {
      String text = text("rounds", Integer.toString(scale.rounds()));
      if (text.matches("\\d{1,9}") && Integer.parseInt(text) >= 1) {
        int rounds = Integer.parseInt(text);
        if (rounds <= MAX_ROUNDS) {
          return rounds;
        }
      }
      errors.add("--rounds (" + text + ") must be a whole number in 1.." + MAX_ROUNDS);
      return 1;
    }

    private long seed() {
      String text = text("seed", "42");
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        errors.add("--seed (" + text + ") must be a whole number");
        return 0;
      }
    }

    private String oneOf(String option, List<String> allowed) {
      String value = text(option, allowed.get(0));
      if (!allowed.contains(value)) {
        errors.add("--" + option + " (" + value + ") must be " + String.join(" or ", allowed));
      }
      return value;
    }
  }
}
