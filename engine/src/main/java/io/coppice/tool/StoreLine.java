// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.HostMemory;
import io.coppice.io.RealDisk;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.TableDump;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * What was typed behind a verb of {@code store}. Faults are gathered; {@link #complain} ends the
 * questions, and only then is a store opened.
 */
final class StoreLine {

  /** Tools see stores of any size, so they take more than an application's default. */
  private static final long MEMORY_BYTES = 512L << 20;

  private static final long MIN_MEMORY_BYTES = 1 << 20;
  private static final long MAX_MEMORY_BYTES = 1L << 40;

  /** The option that every verb has which opens a store. */
  static final CommandOptions.Help MEMORY =
      new CommandOptions.Help(
          "--memory",
          "SIZE",
          "Memory outside the heap, for logs and indexes. Default 512MiB,"
              + " or less where the JVM allows less.");

  /** The family that every store has. */
  static final String DEFAULT_FAMILY = "default";

  /** The option of verbs that look at one key space. */
  static final CommandOptions.Help FAMILY =
      new CommandOptions.Help(
          "--family", "NAME", "The family, written like a key; else the default one.");

  /** The option of verbs whose answer machines read. */
  static final CommandOptions.Help JSON =
      new CommandOptions.Help("--json", "", "Prints JSON and nothing else on standard output.");

  private final CommandOptions options;
  private final List<String> places;
  private final StoreVerb verb;

  private StoreLine(CommandOptions options, List<String> places, StoreVerb verb) {
    this.options = options;
    this.places = places;
    this.verb = verb;
  }

  static StoreLine of(CommandLine commandLine, StoreVerb verb) {
    List<String> places =
        commandLine.getParseResult().matchedPositionals().stream()
            .distinct()
            .flatMap(place -> place.stringValues().stream())
            .toList();
    StoreLine line = new StoreLine(CommandOptions.of(commandLine), places, verb);
    line.checkPlaces();
    return line;
  }

  private void checkPlaces() {
    List<String> wanted = new ArrayList<>(verb.places());
    boolean more = wanted.get(wanted.size() - 1).endsWith("...]");
    int least = more ? wanted.size() - 1 : wanted.size();
    for (int i = places.size(); i < least; i++) {
      options.fault(wanted.get(i) + " is missing");
    }
    for (int i = least; i < places.size() && !more; i++) {
      options.fault("'" + places.get(i) + "' is one too many");
    }
  }

  CommandOptions options() {
    return options;
  }

  /** What stands at a place; empty if it is missing, which is a fault already. */
  String place(int index) {
    return index < places.size() ? places.get(index) : "";
  }

  /** What stands from a place on. */
  List<String> rest(int from) {
    return from < places.size() ? places.subList(from, places.size()) : List.of();
  }

  /** The directory, which must hold a store. */
  Path directory() {
    Path directory = Path.of(place(0));
    if (!places.isEmpty()) {
      String fault = fault(directory);
      if (fault != null) {
        options.fault("DIRECTORY (" + directory + ") must be that of a store: " + fault);
      }
    }
    return directory;
  }

  /** The directory of a store, or one that may become one. */
  Path directoryToCreate() {
    Path directory = Path.of(place(0));
    return isNew(directory) ? directory : directory();
  }

  /** True if there is no directory, or an empty one. */
  static boolean isNew(Path directory) {
    if (!Files.exists(directory)) {
      return true;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  private static String fault(Path directory) {
    if (!Files.exists(directory)) {
      return "there is no such directory";
    }
    if (!Files.isDirectory(directory)) {
      return "it is no directory";
    }
    try (Stream<Path> files = Files.list(directory)) {
      boolean some =
          files.anyMatch(
              file ->
                  file.getFileName().toString().matches("CURRENT|[0-9]{6,}\\.(tbl|wal|manifest)"));
      return some ? null : "no file in it is a store's";
    } catch (IOException e) {
      return "it cannot be read: " + Streams.reason(e);
    }
  }

  /** A number and a noun, which is in the plural unless the number is 1. */
  static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  /** A key or value: text as it is, {@code hex:} and digits, or {@code @} and a file's name. */
  byte[] bytes(int place, String what) {
    return bytes(place(place), what);
  }

  /** As above, of an option's value. */
  byte[] bytes(String text, String what) {
    if (text.startsWith("hex:")) {
      try {
        return HexFormat.of().parseHex(text.substring("hex:".length()));
      } catch (IllegalArgumentException e) {
        options.fault(what + " (" + text + ") must be an even number of hexadecimal digits");
        return new byte[0];
      }
    }
    if (text.startsWith("@")) {
      try {
        return Files.readAllBytes(Path.of(text.substring(1)));
      } catch (IOException e) {
        options.fault(
            what + " (" + text + ") must name a file that can be read: " + Streams.reason(e));
        return new byte[0];
      }
    }
    String plain = text.startsWith("text:") ? text.substring("text:".length()) : text;
    return plain.getBytes(StandardCharsets.UTF_8);
  }

  /** The name of the family that is looked at. */
  String family() {
    String text = options.text(FAMILY.name()).orElse(DEFAULT_FAMILY);
    byte[] name = bytes(text, FAMILY.name());
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString();
    } catch (CharacterCodingException e) {
      options.fault(FAMILY.name() + " (" + text + ") must be the UTF-8 bytes of a name");
      return DEFAULT_FAMILY;
    }
  }

  /** True if machines read the answer. */
  boolean json() {
    return options.flag(JSON.name());
  }

  /** How much memory there is. */
  long memoryBytes() {
    // The JVM refuses more outside its heap, by default as much as the heap.
    long most = HostMemory.ofProcess().directBytes();
    long usual = Math.max(MIN_MEMORY_BYTES, Math.min(MEMORY_BYTES, most));
    long memory = options.bytes(MEMORY.name(), MIN_MEMORY_BYTES, MAX_MEMORY_BYTES, usual);
    if (memory > most) {
      options.fault(
          MEMORY.name()
              + " ("
              + memory
              + ") must not be above "
              + most
              + " bytes, which this JVM allows outside its heap; lower it, or start java with a"
              + " larger -XX:MaxDirectMemorySize");
    }
    return memory;
  }

  /** Ends the questions. */
  void complain() {
    options.complain();
  }

  /** A store that is only read. */
  static Store read(Path directory, long memoryBytes) {
    return Store.openReadOnly(directory, options(memoryBytes).build());
  }

  /** A store as it was opened last: with the policy and the filters that are written down in it. */
  static Store write(Path directory, long memoryBytes) throws IOException {
    return write(directory, options(memoryBytes));
  }

  /** As above, with further options. */
  static Store write(Path directory, StoreOptions.Builder options) throws IOException {
    if (isNew(directory)) {
      return Store.open(directory, options.build());
    }
    try (Disk disk = RealDisk.openForReading(directory)) {
      String policy =
          Optional.ofNullable(ManifestReader.read(disk).catalogue().family(DEFAULT_FAMILY))
              .map(family -> family.policy())
              .orElse("");
      if (!policy.isEmpty()) {
        options.policy(policy);
      }
      options.filterBits(TableDump.filterBits(disk));
    }
    return Store.open(directory, options.build());
  }

  /** Those of the tool, for any store. */
  static StoreOptions.Builder options(long memoryBytes) throws InvalidOptionsException {
    long memtable = Math.max(64 << 10, Math.min(32 << 20, memoryBytes / 4));
    return StoreOptions.builder()
        .memory(MemoryBudget.ofBytes(memoryBytes))
        .memtableBytes(memtable)
        .name("tool");
  }
}
