// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.KeyText;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.CurrentFile;
import io.coppice.manifest.ManifestDump;
import io.coppice.table.check.TableDump;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.stream.LongStream;

/**
 * Text dump of the files of a closed store: the file header of each, then its content. A damaged
 * file is dumped up to the damage, or around it, and the damage is reported.
 */
public final class Dump {

  private final Disk disk;
  private final boolean values;
  private final Consumer<String> lines;
  private int damages;

  private Dump(Disk disk, boolean values, Consumer<String> lines) {
    this.disk = disk;
    this.values = values;
    this.lines = lines;
  }

  /**
   * Writes files as text.
   *
   * @param names files of the disk, in this order; all of them if empty
   * @param values whether to include values and not only their lengths; keys are always included
   * @param lines receives the text line by line
   * @param progress receives the share of the files' bytes written, from 0 to 1
   * @return the number of damages found, at most one for each file except tables
   * @throws java.nio.file.NoSuchFileException if a file is missing
   * @throws IOException if a file cannot be read
   */
  public static int write(
      Disk disk,
      List<String> names,
      boolean values,
      Consumer<String> lines,
      DoubleConsumer progress)
      throws IOException {
    Dump dump = new Dump(disk, values, lines);
    List<String> all = new ArrayList<>(names.isEmpty() ? disk.list() : names);
    if (names.isEmpty()) {
      all.sort(null);
    }
    long[] bytes = new long[all.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = length(disk, all.get(i));
    }
    double sum = Math.max(1, LongStream.of(bytes).sum());
    long written = 0;
    for (int i = 0; i < bytes.length; i++) {
      dump.file(all.get(i));
      written += bytes[i];
      progress.accept(written / sum);
    }
    return dump.damages;
  }

  /**
   * Returns the length of a file. A foreign or missing one counts 0; it is reported later in its
   * turn.
   */
  private static long length(Disk disk, String name) throws IOException {
    if (kindOf(name) == null) {
      return 0;
    }
    try (Disk.InputFile file = disk.open(name)) {
      return file.length();
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** Returns the kind of a store's file, or null for another name. */
  private static FileKind kindOf(String name) {
    for (FileKind kind : FileKind.values()) {
      if (kind.numberOf(name).isPresent()) {
        return kind;
      }
    }
    return null;
  }

  private void file(String name) throws IOException {
    FileKind kind = kindOf(name);
    if (kind == null) {
      lines.accept(name + ": no file of a store");
      return;
    }
    long number = kind.numberOf(name).getAsLong();
    try {
      try (Disk.InputFile file = disk.open(name)) {
        lines.accept(name + ": " + kind.name().toLowerCase(Locale.ROOT) + ", " + file.length());
        FileHeader header = FileHeader.read(file, kind, number);
        lines.accept(
            "  envelope: format %s, number %s, features %s and %s"
                .formatted(
                    header.format(),
                    header.number(),
                    Long.toHexString(header.must()),
                    Long.toHexString(header.may())));
      }
      content(kind, number);
    } catch (CorruptionException | VersionException e) {
      damages++;
      lines.accept("  DAMAGED " + e.getMessage());
    }
  }

  private void content(FileKind kind, long number) throws IOException {
    Consumer<String> indented = line -> lines.accept("  " + line);
    switch (kind) {
      case WAL -> log(number, indented);
      case TABLE -> damages += TableDump.write(disk, number, values, indented);
      case MANIFEST -> ManifestDump.write(disk, number, indented);
      case FILTERS -> TableDump.writeFilters(disk, indented);
      case CURRENT -> {
        CurrentFile current = CurrentFile.read(disk);
        indented.accept(
            "names %s, owner %s, %s bytes were durable"
                .formatted(
                    FileKind.MANIFEST.fileName(current.manifest()),
                    Long.toHexString(current.owner()),
                    current.durable()));
      }
      default -> indented.accept("room set aside, of random bytes");
    }
  }

  private void log(long number, Consumer<String> indented) throws IOException {
    try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
      while (log.next()) {
        long sequence = log.firstSequence();
        indented.accept("group of " + log.count() + " entries from sequence " + sequence);
        EntryBatchReader entries = log.entries();
        while (entries.next()) {
          indented.accept("  " + text(entries) + " @" + sequence++);
        }
      }
      if (log.droppedBytes() > 0) {
        indented.accept("torn end of " + log.droppedBytes() + " bytes");
      }
    }
  }

  private String text(EntryBatchReader entry) {
    String text =
        entry.kind().name().toLowerCase(Locale.ROOT)
            + " "
            + KeyText.of(entry.array(), entry.keyFrom(), entry.keyLength())
            + (entry.family() == 0 ? "" : " in family " + entry.family());
    return text
        + TableDump.value(
            entry.kind(), entry.array(), entry.valueFrom(), entry.valueLength(), values);
  }
}
