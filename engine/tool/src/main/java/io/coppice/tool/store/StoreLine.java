// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.disk.HostMemory;
import io.coppice.io.disk.RealDisk;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.check.TableDump;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.UsageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The arguments of a verb of {@code store}. Methods that read an argument collect its faults, and
 * {@link #complain} reports them. A store must be opened only after that. Used by one thread.
 */
public final class StoreLine {

  /**
   * Default memory budget of a store, in bytes. It exceeds that of an application, because the tool
   * opens stores of any size.
   */
  private static final long MEMORY_BYTES = 512L << 20;

  private static final long MIN_MEMORY_BYTES = 1 << 20;
  private static final long MAX_MEMORY_BYTES = 1L << 40;

  /** The option of every verb that opens a store. */
  static final CommandOptions.Help MEMORY =
      new CommandOptions.Help(
          "--memory",
          "SIZE",
          "Memory outside the heap, for logs and indexes. Default: 512MiB, or the limit of the JVM"
              + " if that is lower.");

  /** Name of the family that every store has. */
  static final String DEFAULT_FAMILY = "default";

  /** The option of verbs for one key space. */
  public static final CommandOptions.Help FAMILY =
      new CommandOptions.Help(
          "--family", "NAME", "Family, in the form of a KEY. Default: default.");

  private final CommandOptions options;
  private final List<String> places;

  private StoreLine(CommandOptions options, List<String> places) {
    this.options = options;
    this.places = places;
  }

  static StoreLine of(CommandLine commandLine, StoreVerb verb) {
    CommandOptions options = CommandOptions.of(commandLine);
    return new StoreLine(options, options.places(verb.places()));
  }

  CommandOptions options() {
    return options;
  }

  /**
   * Returns the argument at a position, from 0, or an empty text if it is missing. A missing
   * argument was added to the faults already.
   */
  String place(int index) {
    return index < places.size() ? places.get(index) : "";
  }

  /** Returns the arguments from a position on, in the typed order. */
  List<String> rest(int from) {
    return from < places.size() ? places.subList(from, places.size()) : List.of();
  }

  /**
   * Returns the directory of a store, also after a fault. It is a fault if it contains no file of a
   * store.
   */
  Path directory() {
    Path directory = Path.of(place(0));
    if (!places.isEmpty()) {
      String fault = fault(directory);
      if (fault != null) {
        options.fault("DIRECTORY (" + directory + ") must be the directory of a store: " + fault);
      }
    }
    return directory;
  }

  /**
   * Returns the directory of a store, or one that is missing or empty. It is a fault if it has
   * other contents.
   */
  Path directoryToCreate() {
    Path directory = Path.of(place(0));
    return isNew(directory) ? directory : directory();
  }

  /** Returns whether the directory is missing or empty; an unreadable one is not. */
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
      return "it does not exist; check the path";
    }
    if (!Files.isDirectory(directory)) {
      return "it is a file; name the directory that contains it";
    }
    try (Stream<Path> files = Files.list(directory)) {
      boolean some =
          files.anyMatch(
              file ->
                  file.getFileName().toString().matches("CURRENT|[0-9]{6,}\\.(tbl|wal|manifest)"));
      return some ? null : "it contains no file of a store; check the path";
    } catch (IOException e) {
      return "reading it failed: " + CommandOutput.cause(e);
    }
  }

  /**
   * Returns an argument as a key or a value. It is typed as text, as {@code text:} and text, as
   * {@code hex:} and digits, or as {@code @} and a file name. It is a fault if the digits are
   * malformed or the file is unreadable; the result is then empty.
   *
   * @param what name of the argument in a fault
   */
  byte[] bytes(int place, String what) {
    return bytes(place(place), what);
  }

  /**
   * Returns the value of an option as bytes, in the forms of {@link #bytes(int, String)}.
   *
   * @param what name of the option in a fault
   */
  byte[] bytes(String text, String what) {
    if (text.startsWith("hex:")) {
      try {
        return HexFormat.of().parseHex(text.substring("hex:".length()));
      } catch (IllegalArgumentException e) {
        options.fault(
            what + " (" + text + ") must be hex: and an even number of digits 0-9 and a-f");
        return new byte[0];
      }
    }
    if (text.startsWith("@")) {
      try {
        return Files.readAllBytes(Path.of(text.substring(1)));
      } catch (IOException e) {
        options.fault(
            what
                + " ("
                + text
                + ") must be @ and the name of a readable file: "
                + CommandOutput.cause(e)
                + "; write text:"
                + text
                + " for the text itself");
        return new byte[0];
      }
    }
    String plain = text.startsWith("text:") ? text.substring("text:".length()) : text;
    return plain.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the name of the chosen family, or the default one if none is. It is a fault if the name
   * is no UTF-8.
   */
  String family() {
    String text = options.text(FAMILY.name()).orElse(DEFAULT_FAMILY);
    byte[] name = bytes(text, FAMILY.name());
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString();
    } catch (CharacterCodingException e) {
      options.fault(FAMILY.name() + " (" + text + ") must be text in UTF-8");
      return DEFAULT_FAMILY;
    }
  }

  /** Returns whether JSON output is requested. */
  boolean json() {
    return options.flag(CommandOptions.JSON.name());
  }

  /**
   * Returns the memory budget of the store, in bytes. It is a fault if it exceeds the JVM's limit
   * for memory outside its heap.
   */
  long memoryBytes() {
    // The JVM limits memory outside its heap, by default to the size of the heap.
    long most = HostMemory.ofProcess().directBytes();
    long usual = Math.max(MIN_MEMORY_BYTES, Math.min(MEMORY_BYTES, most));
    long memory = options.bytes(MEMORY.name(), MIN_MEMORY_BYTES, MAX_MEMORY_BYTES, usual);
    if (memory > most) {
      options.fault(
          MEMORY.name()
              + " ("
              + memory
              + ") must be at most "
              + most
              + " bytes, the limit of this JVM for memory outside its heap; lower it, or start java"
              + " with a larger -XX:MaxDirectMemorySize");
    }
    return memory;
  }

  /**
   * Ends the reading of arguments; does nothing if all were valid.
   *
   * @throws UsageException naming every fault
   */
  void complain() {
    options.complain();
  }

  /**
   * Opens a store read-only; the caller closes it.
   *
   * @throws io.coppice.base.StoreException if it cannot be opened, for instance because a program
   *     has it open
   */
  static Store read(Path directory, long memoryBytes) {
    return Store.openReadOnly(directory, options(memoryBytes).build());
  }

  /**
   * Opens a store with the policy and the filters that are saved in it, or creates it.
   *
   * @throws io.coppice.base.StoreException if it cannot be opened, for instance because a program
   *     has it open
   * @throws IOException if the directory cannot be read
   */
  static Store write(Path directory, long memoryBytes) throws IOException {
    return write(directory, options(memoryBytes));
  }

  /**
   * Opens a store with its saved policy and filters, and with further options, or creates it.
   *
   * @throws io.coppice.base.StoreException if it cannot be opened, for instance because a program
   *     has it open
   * @throws IOException if the directory cannot be read
   */
  static Store write(Path directory, StoreOptions.Builder options) throws IOException {
    if (isNew(directory)) {
      return Store.open(directory, options.build());
    }
    try (Disk disk = RealDisk.openForReading(directory)) {
      String policy =
          Optional.ofNullable(ManifestReader.read(disk).state().family(DEFAULT_FAMILY))
              .map(family -> family.policy())
              .orElse("");
      if (!policy.isEmpty()) {
        options.policy(policy);
      }
      options.filterBits(TableDump.filterBits(disk));
    }
    return Store.open(directory, options.build());
  }

  /**
   * Returns the options with which the tool opens any store.
   *
   * @param memoryBytes memory budget of the store, in bytes
   */
  static StoreOptions.Builder options(long memoryBytes) throws InvalidOptionsException {
    long memtable = Math.max(64 << 10, Math.min(32 << 20, memoryBytes / 4));
    return StoreOptions.builder()
        .memory(MemoryBudget.ofBytes(memoryBytes))
        .memtableBytes(memtable)
        .name("tool");
  }
}
