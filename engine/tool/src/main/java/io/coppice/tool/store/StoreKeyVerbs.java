// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.cli.UsageException;
import io.coppice.tool.format.JsonLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The verbs about keys: {@code get}, {@code scan}, {@code put}, {@code delete}. */
final class StoreKeyVerbs {

  /** A scan reports its progress once per 1,024 keys. */
  private static final int SHARE_MASK = (1 << 10) - 1;

  /** Most families that an error message lists. */
  private static final int MAX_LISTED = 10;

  private static final CommandOptions.Help OUTPUT =
      new CommandOptions.Help(
          "--output", "FILE", "File for the bytes of the value. Default: standard output.");

  /** Verbs that leave the store unchanged. */
  static final List<StoreVerb> READING =
      List.of(
          new StoreVerb(
              "get",
              "Prints the value of a key.",
              List.of("A value that is not printable text is printed as hex: and digits."),
              List.of("DIRECTORY", "KEY"),
              List.of(StoreLine.FAMILY, OUTPUT, CommandOptions.JSON, StoreLine.MEMORY),
              List.of("get data user:7", "get --output picture.png data hex:0001"),
              StoreKeyVerbs::get),
          new StoreVerb(
              "scan",
              "Prints keys and values in the order of keys.",
              List.of(
                  "Each line has a key, a tab and a value. With --json, each line is one document with",
                  "key and value; --count prints one document with the number of keys."),
              List.of("DIRECTORY"),
              List.of(
                  new CommandOptions.Help("--from", "KEY", "First key, inclusive."),
                  new CommandOptions.Help("--to", "KEY", "End of the range, exclusive."),
                  new CommandOptions.Help("--prefix", "KEY", "Only keys with this prefix."),
                  new CommandOptions.Help("--reverse", "", "Start with the largest key."),
                  new CommandOptions.Help("--limit", "N", "Maximum number of keys. Default: all."),
                  new CommandOptions.Help("--keys", "", "Print keys without values."),
                  new CommandOptions.Help("--count", "", "Print only the number of keys."),
                  StoreLine.FAMILY,
                  CommandOptions.JSON,
                  StoreLine.MEMORY),
              List.of("scan --prefix user: --limit 10 data", "scan --json data"),
              StoreKeyVerbs::scan));

  /** Verbs that write to the store. */
  static final List<StoreVerb> WRITING =
      List.of(
          new StoreVerb(
              "put",
              "Sets the value of a key and syncs it.",
              List.of("The store keeps its policy."),
              List.of("DIRECTORY", "KEY", "VALUE"),
              List.of(
                  new CommandOptions.Help(
                      "--create", "", "Create the store if the directory is missing or empty."),
                  StoreLine.FAMILY,
                  StoreLine.MEMORY),
              List.of(
                  "put data user:7 Ada", "put data hex:0001 @picture.png", "put --create new k v"),
              StoreKeyVerbs::put),
          new StoreVerb(
              "delete",
              "Deletes a key, if it exists, and syncs the deletion.",
              List.of("The store keeps its policy."),
              List.of("DIRECTORY", "KEY"),
              List.of(StoreLine.FAMILY, StoreLine.MEMORY),
              List.of("delete data user:7"),
              StoreKeyVerbs::delete));

  private StoreKeyVerbs() {}

  private static int get(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    byte[] key = line.bytes(1, "KEY");
    String family = line.family();
    Optional<Path> output = line.options().newFile("--output");
    boolean json = line.json();
    long memory = line.memoryBytes();
    line.complain();
    byte[] value;
    try (Store store = StoreLine.read(directory, memory)) {
      value = family(store, family).get(key);
    }
    if (json) {
      ObjectNode node = JsonLines.object().put("key", JsonLines.text(key));
      JsonLines.print(
          node.put("value", value == null ? null : JsonLines.text(value)), streams.out());
    }
    if (value == null) {
      streams
          .err()
          .println(
              "key "
                  + JsonLines.text(key)
                  + " does not exist in family "
                  + JsonLines.name(family)
                  + "; store scan lists the keys");
      return ExitCode.FAILED;
    }
    if (output.isPresent()) {
      Files.write(output.get(), value);
    } else if (!json) {
      streams.out().println(JsonLines.text(value));
    }
    return ExitCode.DONE;
  }

  private static int scan(StoreLine line, CommandOutput streams) {
    Path directory = line.directory();
    Optional<byte[]> from = key(line, "--from");
    Optional<byte[]> to = key(line, "--to");
    Optional<byte[]> prefix = key(line, "--prefix");
    if (prefix.isPresent() && (from.isPresent() || to.isPresent())) {
      line.options().fault("--prefix excludes --from and --to; remove one side");
    }
    long limit = line.options().integer("--limit", 1, Long.MAX_VALUE, Long.MAX_VALUE);
    boolean reverse = line.options().flag("--reverse");
    boolean count = line.options().flag("--count");
    Form form = new Form(line.json(), line.options().flag("--keys"), streams.out());
    String family = line.family();
    long memory = line.memoryBytes();
    line.complain();
    KeyRange range = from.map(KeyRange::from).orElse(KeyRange.all());
    range = prefix.isPresent() ? KeyRange.prefix(prefix.get()) : range;
    range = to.isPresent() ? range.to(to.get()) : range;
    long found = 0;
    try (Store store = StoreLine.read(directory, memory);
        Cursor cursor = family(store, family).cursor(range);
        CommandProgress progress = CommandProgress.beside(streams, "scan")) {
      ScanProgress span = ScanProgress.of(cursor, reverse);
      if (reverse) {
        cursor.last();
      } else {
        cursor.first();
      }
      while (cursor.valid() && found < limit) {
        found++;
        if ((found & SHARE_MASK) == 0) {
          progress.part(0).at(Math.max(span.share(cursor.key()), (double) found / limit));
        }
        if (!count) {
          form.print(cursor);
        }
        if (reverse) {
          cursor.prev();
        } else {
          cursor.next();
        }
      }
    }
    if (count && form.json) {
      JsonLines.print(JsonLines.object().put("keys", found), streams.out());
    } else if (count) {
      streams.out().println(found);
    }
    return ExitCode.DONE;
  }

  private static Optional<byte[]> key(StoreLine line, String option) {
    return line.options().text(option).map(text -> line.bytes(text, option));
  }

  /** The output format of a key and its value. */
  private record Form(boolean json, boolean keys, PrintWriter out) {
    void print(Cursor cursor) {
      String key = JsonLines.text(cursor.key());
      if (json) {
        ObjectNode node = JsonLines.object().put("key", key);
        JsonLines.print(keys ? node : node.put("value", JsonLines.text(cursor.value())), out);
      } else {
        out.println(keys ? key : key + "\t" + JsonLines.text(cursor.value()));
      }
    }
  }

  private static int put(StoreLine line, CommandOutput streams) throws IOException {
    boolean create = line.options().flag("--create");
    Path directory = create ? line.directoryToCreate() : line.directory();
    byte[] key = line.bytes(1, "KEY");
    byte[] value = line.bytes(2, "VALUE");
    String family = line.family();
    if (create && StoreLine.isNew(directory) && !family.equals(StoreLine.DEFAULT_FAMILY)) {
      String name = StoreLine.FAMILY.name();
      line.options()
          .fault(
              name
                  + " ("
                  + JsonLines.name(family)
                  + ") must be left out: a new store has only the family default");
    }
    long memory = line.memoryBytes();
    line.complain();
    try (Store store = StoreLine.write(directory, memory)) {
      family(store, family).put(key, value);
    }
    return ExitCode.DONE;
  }

  private static int delete(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    byte[] key = line.bytes(1, "KEY");
    String family = line.family();
    long memory = line.memoryBytes();
    line.complain();
    try (Store store = StoreLine.write(directory, memory)) {
      family(store, family).delete(key);
    }
    return ExitCode.DONE;
  }

  /**
   * Returns the family with this name.
   *
   * @throws UsageException if the store has no such family
   */
  static Family family(Store store, String name) {
    for (Family family : store.families()) {
      if (family.name().equals(name)) {
        return family;
      }
    }
    List<String> families = store.families().stream().map(Family::name).toList();
    String some =
        families.stream().limit(MAX_LISTED).map(JsonLines::name).collect(Collectors.joining(", "));
    int left = families.size() - MAX_LISTED;
    throw new UsageException(
        List.of(
            "--family ("
                + JsonLines.name(name)
                + ") must be a family of the store: "
                + some
                + (left > 0 ? " and " + left + " more; store stats lists all" : "")));
  }
}
