// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.policy.spec.NameSuggestion;
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
 * The options of one command line, read one after another. Faults are collected, in the wording of
 * {@link io.coppice.policy.spec.PolicySpec}, and reported together: after the last option, {@link
 * #complain} throws if there were any.
 */
final class CommandOptions {

  private static final String NO_VALUE = "";

  private final Map<String, List<String>> given = new LinkedHashMap<>();
  private final List<String> errors = new ArrayList<>();

  /**
   * An option as the help shows it.
   *
   * @param label the placeholder of its value; empty for an option without one
   */
  record Help(String name, String label, String description) {}

  /** Declares options whose values are delivered here as they were typed. */
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
    // An unknown argument is reported together with all other faults.
    spec.parser().unmatchedArgumentsAllowed(true);
    spec.parser().unmatchedOptionsArePositionalParams(false);
  }

  /** Returns the options that were typed. */
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
              ? "option " + NameSuggestion.notUnderstood(name, known, "options")
              : "'" + name + "' is not understood; options begin with --");
    }
    return options;
  }

  /** Adds a fault to the collected ones. */
  void fault(String error) {
    errors.add(error);
  }

  /** Returns the number of faults found up to now. */
  int faults() {
    return errors.size();
  }

  /**
   * Ends the reading of options.
   *
   * @throws UsageException naming every fault
   */
  void complain() {
    if (!errors.isEmpty()) {
      throw new UsageException(errors);
    }
  }

  /** Returns whether an option was given. */
  boolean flag(String name) {
    return given.containsKey(name);
  }

  /** Returns all values of an option that may be given several times. */
  List<String> all(String name) {
    List<String> values = given.getOrDefault(name, List.of());
    if (values.contains(NO_VALUE)) {
      errors.add("'" + name + "' has no value; write it as " + name + "=value");
    }
    return values.stream().filter(value -> !value.equals(NO_VALUE)).toList();
  }

  /** Returns the value of an option, if it was given. */
  Optional<String> text(String name) {
    List<String> values = all(name);
    if (values.size() > 1) {
      errors.add("option '" + name + "' is given twice");
    }
    return values.stream().findFirst();
  }

  /** Returns a file to write, whose directory must exist. */
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

  /** Returns a data size, in {@code min} to {@code max} inclusive. */
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

  /** Returns a whole number, in {@code min} to {@code max} inclusive. */
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

  /** Returns a number with or without a fraction, in {@code min} to {@code max} inclusive. */
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

  /** Returns a constant of an enumeration, typed in lower case. */
  <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    List<String> known =
        Arrays.stream(type.getEnumConstants()).map(e -> e.name().toLowerCase(Locale.ROOT)).toList();
    int index = known.indexOf(text.get().trim());
    if (index < 0) {
      errors.add(name + " " + NameSuggestion.notUnderstood(text.get().trim(), known, "values"));
      return Optional.empty();
    }
    return Optional.of(type.getEnumConstants()[index]);
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
