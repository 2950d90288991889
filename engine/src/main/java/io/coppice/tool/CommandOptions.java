// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.policy.Nearest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The options of one command line, read one after another. Faults are gathered, in the words of
 * {@link io.coppice.policy.PolicySpec}, so that one answer names them all: after the last question
 * {@link #complain} throws if there were any.
 */
final class CommandOptions {

  private static final String NO_VALUE = "";

  private final Map<String, List<String>> given = new LinkedHashMap<>();
  private final List<String> errors = new ArrayList<>();

  /**
   * An option as help shows it.
   *
   * @param label stands for its value; empty for an option without one
   */
  record Help(String name, String label, String description) {}

  /** Adds options whose values arrive here as they were typed. */
  static void declare(CommandSpec spec, List<Help> options) {
    for (Help option : options) {
      if (option.label().isEmpty()) {
        spec.addOption(
            OptionSpec.builder(option.name())
                .description(option.description())
                .type(boolean.class)
                .arity("0")
                .build());
        continue;
      }
      spec.addOption(
          OptionSpec.builder(option.name())
              .paramLabel(option.label())
              .hideParamSyntax(true)
              .description(option.description())
              .type(List.class)
              .auxiliaryTypes(String.class)
              .arity("0..1")
              .fallbackValue(NO_VALUE)
              .build());
    }
    // What is not understood is named together with all other faults.
    spec.parser().unmatchedArgumentsAllowed(true);
    spec.parser().unmatchedOptionsArePositionalParams(false);
  }

  /** What was typed. */
  static CommandOptions of(CommandLine commandLine) {
    ParseResult parsed = commandLine.getParseResult();
    CommandOptions options = new CommandOptions();
    for (OptionSpec option : parsed.matchedOptions()) {
      List<String> values =
          option.stringValues().isEmpty() ? List.of(NO_VALUE) : option.stringValues();
      options.given.put(option.longestName(), values);
    }
    List<String> known =
        commandLine.getCommandSpec().options().stream().map(OptionSpec::longestName).toList();
    for (String unknown : parsed.unmatched()) {
      String name = unknown.replaceFirst("=.*", "");
      options.errors.add(
          name.startsWith("-")
              ? "option " + Nearest.notUnderstood(name, known, "options")
              : "'" + name + "' is not understood; options begin with --");
    }
    return options;
  }

  /** Notes a fault. */
  void fault(String error) {
    errors.add(error);
  }

  /** How many faults there are so far. */
  int faults() {
    return errors.size();
  }

  /**
   * Ends the questions.
   *
   * @throws UsageException naming every fault
   */
  void complain() {
    if (!errors.isEmpty()) {
      throw new UsageException(errors);
    }
  }

  /** True if an option without a value was given. */
  boolean flag(String name) {
    return given.containsKey(name);
  }

  /** All values of an option that may be given several times. */
  List<String> all(String name) {
    List<String> values = given.getOrDefault(name, List.of());
    if (values.contains(NO_VALUE)) {
      errors.add("'" + name + "' has no value; write it as " + name + "=value");
    }
    return values.stream().filter(value -> !value.equals(NO_VALUE)).toList();
  }

  /** The value of an option, if it was given. */
  Optional<String> text(String name) {
    List<String> values = all(name);
    if (values.size() > 1) {
      errors.add("option '" + name + "' is given twice");
    }
    return values.stream().findFirst();
  }

  /** A file to be written, in a directory that is there. */
  Optional<Path> newFile(String name) {
    Optional<Path> file = text(name).map(Path::of);
    file.ifPresent(
        path -> {
          Path directory = path.toAbsolutePath().getParent();
          if (Files.isDirectory(path)) {
            errors.add(name + " (" + path + ") must be a file, and it is a directory");
          } else if (directory == null || !Files.isDirectory(directory)) {
            errors.add(name + " (" + path + ") must lie in a directory that exists");
          } else if (!Files.isWritable(Files.exists(path) ? path : directory)) {
            errors.add(name + " (" + path + ") must be writable");
          }
        });
    return file;
  }

  /** An amount of data. */
  long bytes(String name, long min, long max, long otherwise) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    OptionalLong bytes = ByteText.parse(text.get());
    String range = ByteText.format(min) + ".." + ByteText.format(max);
    if (bytes.isEmpty()) {
      errors.add(name + " (" + text.get() + ") must be a size such as 64MB or 64MiB in " + range);
    } else if (bytes.getAsLong() < min || bytes.getAsLong() > max) {
      errors.add(name + " (" + text.get() + ") must be in " + range);
    } else {
      return bytes.getAsLong();
    }
    return otherwise;
  }

  /** A whole number. */
  long integer(String name, long min, long max, long otherwise) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text.get().trim());
      if (value >= min && value <= max) {
        return value;
      }
      errors.add(name + " (" + text.get() + ") must be in " + min + ".." + max);
    } catch (NumberFormatException e) {
      errors.add(name + " (" + text.get() + ") must be a whole number in " + min + ".." + max);
    }
    return otherwise;
  }

  /** A number that may have a fraction. */
  double decimal(String name, double min, double max, double otherwise) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    String range = String.format(Locale.ROOT, "%s..%s", plain(min), plain(max));
    try {
      double value = Double.parseDouble(text.get());
      if (value >= min && value <= max) {
        return value;
      }
      errors.add(name + " (" + text.get() + ") must be in " + range);
    } catch (NumberFormatException e) {
      errors.add(name + " (" + text.get() + ") must be a number in " + range);
    }
    return otherwise;
  }

  /** One of the constants of an enumeration, typed in lower case. */
  <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    List<String> known =
        Arrays.stream(type.getEnumConstants()).map(e -> e.name().toLowerCase(Locale.ROOT)).toList();
    int index = known.indexOf(text.get().trim());
    if (index < 0) {
      errors.add(name + " " + Nearest.notUnderstood(text.get().trim(), known, "values"));
      return Optional.empty();
    }
    return Optional.of(type.getEnumConstants()[index]);
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
