// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

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
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * The options of one command line. Methods that read an option collect its faults, in the wording
 * of {@link io.coppice.policy.spec.PolicySpec}. After the last option, {@link #complain} reports
 * all of them together. Used by one thread.
 */
public final class CommandOptions {

  private static final String NO_VALUE = "";

  private static final int MAX_DIGITS = 18;

  /** The parser's message about a value of an option that takes none. */
  private static final Pattern VALUE_OF_FLAG =
      Pattern.compile("option '([^']*)'.* should be specified without '(.*)' parameter");

  private final Map<String, List<String>> given = new LinkedHashMap<>();
  private final List<String> places = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();

  /**
   * An option as the help shows it.
   *
   * @param name with its dashes, such as {@code --data}
   * @param label the placeholder of its value; empty for an option without a value
   */
  public record Help(String name, String label, String description) {}

  /** The option of commands with JSON output. */
  public static final Help JSON =
      new Help("--json", "", "Print one JSON document on standard output.");

  /** Declares options to the parser, which must leave their values as text. */
  public static void declare(CommandSpec spec, List<Help> options) {
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
    // Unknown arguments and what the parser refuses are reported together with all other faults.
    spec.parser()
        .unmatchedArgumentsAllowed(true)
        .unmatchedOptionsArePositionalParams(false)
        .collectErrors(true);
  }

  /** Declares arguments without a name, which {@link #places} returns. */
  public static void declarePlaces(CommandSpec spec) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0..*")
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .hidden(true)
            .build());
  }

  /**
   * Returns the options that were typed. Unknown options and errors of the parser are faults
   * already.
   */
  public static CommandOptions of(CommandLine commandLine) {
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
    parsed.errors().forEach(error -> options.errors.add(refusal(error)));
    parsed.matchedPositionals().stream()
        .distinct()
        .forEach(place -> options.places.addAll(place.stringValues()));
    return options;
  }

  /** Returns an error of the parser in the wording of all others. */
  private static String refusal(Exception error) {
    return error instanceof CommandLine.OverwrittenOptionException overwritten
            && overwritten.getOverwritten() instanceof OptionSpec option
        ? twice(option.longestName())
        : VALUE_OF_FLAG
            .matcher(error.getMessage())
            .replaceFirst("option '$1' takes no value, and it has '$2'; write $1");
  }

  private static String twice(String name) {
    return "option '" + name + "' is given twice; give it once";
  }

  /** Adds a fault to the collected ones. */
  public void fault(String error) {
    errors.add(error);
  }

  /** Returns the number of faults found up to now. */
  public int faults() {
    return errors.size();
  }

  /**
   * Ends the reading of options; does nothing if all were valid.
   *
   * @throws UsageException naming every fault found up to now
   */
  public void complain() {
    if (!errors.isEmpty()) {
      throw new UsageException(errors);
    }
  }

  /** Returns the arguments without a name, in the typed order. */
  public List<String> places() {
    return places;
  }

  /**
   * Returns the arguments without a name, in the typed order, also after a fault. It is a fault if
   * one is missing or too many.
   *
   * @param wanted the name of each; in brackets if it may be missing, with three dots if it may be
   *     repeated
   */
  public List<String> places(List<String> wanted) {
    boolean more = !wanted.isEmpty() && wanted.get(wanted.size() - 1).endsWith("...]");
    for (int i = places.size(); i < wanted.size(); i++) {
      if (!wanted.get(i).startsWith("[")) {
        errors.add(wanted.get(i) + " is missing; expected " + String.join(" ", wanted));
      }
    }
    for (int i = wanted.size(); i < places.size() && !more; i++) {
      errors.add(
          "'"
              + places.get(i)
              + "' is one argument too many; expected "
              + (wanted.isEmpty() ? "none" : String.join(" ", wanted)));
    }
    return places;
  }

  /** Returns whether an option was given. */
  public boolean flag(String name) {
    return given.containsKey(name);
  }

  /**
   * Returns all values of an option that may be given several times, in the typed order. An
   * occurrence without a value is a fault.
   */
  public List<String> all(String name) {
    List<String> values = given.getOrDefault(name, List.of());
    if (values.contains(NO_VALUE)) {
      errors.add("'" + name + "' has no value; write it as " + name + "=value");
    }
    return values.stream().filter(value -> !value.equals(NO_VALUE)).toList();
  }

  /**
   * Returns the value of an option, if it was given. It is a fault to give it twice or without a
   * value; the result is then the first value, if any.
   */
  public Optional<String> text(String name) {
    List<String> values = all(name);
    if (values.size() > 1) {
      errors.add(twice(name));
    }
    return values.stream().findFirst();
  }

  /**
   * Returns the text as the path of a file to read, also after a fault. It is a fault if no
   * readable file has that path.
   *
   * @param name name of the argument in the fault
   */
  public Path oldFile(String name, String text) {
    Path file = Path.of(text);
    if (Files.isDirectory(file)) {
      errors.add(name + " (" + file + ") must be a file, and it is a directory; name a file in it");
    } else if (!Files.exists(file)) {
      errors.add(name + " (" + file + ") must be a file that exists; check the path");
    } else if (!Files.isReadable(file)) {
      errors.add(name + " (" + file + ") must be readable by this user; check its mode");
    }
    return file;
  }

  /**
   * Returns the value of an option as the path of a file to write, if it was given, also after a
   * fault. It is a fault if the file cannot be created or overwritten there.
   */
  public Optional<Path> newFile(String name) {
    Optional<Path> file = text(name).map(Path::of);
    file.ifPresent(
        path -> {
          Path directory = path.toAbsolutePath().getParent();
          if (Files.isDirectory(path)) {
            errors.add(
                name + " (" + path + ") must be a file, and it is a directory; name a file in it");
          } else if (directory == null || !Files.isDirectory(directory)) {
            errors.add(
                name + " (" + path + ") must be in a directory that exists; create it first");
          } else if (!Files.isWritable(Files.exists(path) ? path : directory)) {
            errors.add(name + " (" + path + ") must be writable by this user; choose another file");
          }
        });
    return file;
  }

  /**
   * Returns the value of an option as a data size in bytes, from {@code min} to {@code max}
   * inclusive. Without the option, or after a fault, it is {@code otherwise}.
   */
  public long bytes(String name, long min, long max, long otherwise) {
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

  /**
   * Returns the value of an option as a whole number from {@code min} to {@code max} inclusive.
   * Without the option, or after a fault, it is {@code otherwise}.
   */
  public long integer(String name, long min, long max, long otherwise) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text.get().trim());
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The fault is added below, as for a number out of range.
    }
    errors.add(name + " (" + text.get() + ") must be a whole number " + bounds(min, max));
    return otherwise;
  }

  /**
   * Returns the value of an option as whole numbers separated by commas, each from {@code min} to
   * {@code max} inclusive; {@code otherwise} without the option. Another word is a fault and is
   * left out.
   */
  public List<Integer> integers(String name, int min, int max, List<Integer> otherwise) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    List<Integer> numbers = new ArrayList<>();
    for (String word : text.get().split(",", -1)) {
      try {
        int value = Integer.parseInt(word.trim());
        if (value >= min && value <= max) {
          numbers.add(value);
          continue;
        }
      } catch (NumberFormatException e) {
        // The fault is added below, as for a number out of range.
      }
      errors.add(
          name + " (" + word + ") must be whole numbers in " + min + ".." + max + ", such as 1,8");
    }
    return numbers;
  }

  /**
   * Returns the value of an option as words separated by commas, in the typed order; empty without
   * the option. A word that is not in {@code known} is a fault and is left out.
   *
   * @param plural noun for the known words in a fault
   */
  public List<String> words(String name, List<String> known, String plural) {
    List<String> words = new ArrayList<>();
    for (String word : text(name).map(text -> text.split(",", -1)).orElse(new String[0])) {
      if (known.contains(word.trim())) {
        words.add(word.trim());
      } else {
        errors.add(name + " " + NameSuggestion.notUnderstood(word.trim(), known, plural));
      }
    }
    return words;
  }

  /**
   * Returns the value of an option as a number with or without a fraction, from {@code min} to
   * {@code max} inclusive. Without the option, or after a fault, it is {@code otherwise}.
   */
  public double decimal(String name, double min, double max, double otherwise) {
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

  /**
   * Returns the value of an option as a constant of an enumeration, typed in lower case; empty
   * without the option or after a fault.
   */
  public <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
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

  private static String bounds(long min, long max) {
    if (min == Long.MIN_VALUE) {
      return "of at most " + MAX_DIGITS + " digits";
    }
    return max == Long.MAX_VALUE ? "of at least " + min : "in " + min + ".." + max;
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
