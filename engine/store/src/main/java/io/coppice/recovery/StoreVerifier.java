// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.TableMeta;
import io.coppice.table.check.TableVerifier;
import io.coppice.version.ManifestState;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.DoubleConsumer;

/**
 * Verification of the manifest, tables and logs of a closed store, without changes. Its methods are
 * safe to call by several threads at once.
 *
 * <ol>
 *   <li>{@code CURRENT} and its manifest: checksums, whether the edits are legal, and whether the
 *       last ones are complete.
 *   <li>Each table named by the manifest: whether it exists, all its blocks, the order of its
 *       entries, and whether they match its properties and the manifest.
 *   <li>Each log that is not yet in tables: checksums, sequence numbers, and families. Missing
 *       sequence numbers between logs are a doubt, and so is the end of the newest log.
 *   <li>Other files: only whether something refers to them.
 * </ol>
 *
 * <p>An unreadable part of a table or log is damage too. Filters are not checked, because opening a
 * store rebuilds damaged ones. The disk space reserve is not checked either.
 */
public final class StoreVerifier {

  private final Disk disk;
  private final DoubleConsumer progress;
  private final List<CorruptionException> damages = new ArrayList<>();
  private final List<String> doubts = new ArrayList<>();
  private final List<String> leftovers = new ArrayList<>();
  private int tables;
  private long entries;
  private int logs;
  private long tornBytes;

  private StoreVerifier(Disk disk, DoubleConsumer progress) {
    this.disk = disk;
    this.progress = progress;
  }

  /**
   * Verifies the store on this disk.
   *
   * @throws IOException if the disk, {@code CURRENT} or the manifest cannot be read
   * @throws io.coppice.base.VersionException if the store was written by a newer version
   */
  public static Verification verify(Disk disk) throws IOException {
    return verify(disk, share -> {});
  }

  /**
   * Verifies the store on this disk and reports progress.
   *
   * @param progress receives the share of the tables' bytes read, from 0 to 1, in the calling
   *     thread
   */
  public static Verification verify(Disk disk, DoubleConsumer progress) throws IOException {
    return new StoreVerifier(disk, progress).run();
  }

  private Verification run() throws IOException {
    List<String> names = new ArrayList<>(disk.list());
    names.sort(null);
    ManifestState state;
    String manifest;
    ManifestReader found;
    try {
      found = ManifestReader.read(disk);
      state = found.state();
      manifest = found.file();
      tornBytes += found.droppedBytes();
    } catch (CorruptionException e) {
      // Without the manifest it is unknown which tables and logs count.
      damages.add(e);
      return result();
    }
    try {
      TruncatedManifestCheck.checkLogs(disk, found);
    } catch (CorruptionException e) {
      damages.add(e);
    } catch (IOException e) {
      // This throws if the whole disk fails; otherwise the log is reported with the others.
      disk.list();
    }
    long all = state.tables().stream().mapToLong(TableMeta::bytes).sum();
    long read = 0;
    for (TableMeta table : state.tables()) {
      tables++;
      entries += TableVerifier.run(disk, table, damages::add);
      read += table.bytes();
      progress.accept((double) read / all);
    }
    readLogs(names, state.marks());
    noteLeftovers(names, state, manifest);
    return result();
  }

  private Verification result() {
    return new Verification(damages, doubts, leftovers, tables, entries, logs, tornBytes);
  }

  private void readLogs(List<String> names, ManifestState.Marks marks) throws IOException {
    List<Long> numbers = LoadedLogs.fromFloor(names, marks.walFloor());
    long last = marks.lastSequence();
    for (int i = 0; i < numbers.size(); i++) {
      String name = FileKind.WAL.fileName(numbers.get(i));
      boolean newest = i == numbers.size() - 1;
      logs++;
      long end = 0;
      try (WalReader log =
          WalReader.open(disk, numbers.get(i), newest ? TornTail.DROP : TornTail.REFUSE)) {
        boolean first = true;
        while (log.next()) {
          entries += log.count();
          boolean floor = LogSalvage.isFloor(marks, numbers.get(i));
          if (first && !floor && log.firstSequence() > last + 1) {
            doubts.add(LogSalvage.Missing.text(last + 1, log.firstSequence() - 1));
          }
          first = false;
          last = Math.max(last, log.firstSequence() + log.count() - 1);
          while (log.entries().next()) {
            log.checkFamily(marks.nextFamily());
          }
          end = log.end();
        }
        tornBytes += log.droppedBytes();
        if (newest) {
          doubts.add(
              name
                  + ", the newest log, may have lost its end: its last whole record ends at offset "
                  + log.end()
                  + " with sequence "
                  + last
                  + ", and its bytes cannot show that no later one followed");
        }
      } catch (CorruptionException e) {
        damages.add(e);
      } catch (IOException e) {
        damages.add(disk.unread(name, end, e));
      }
    }
  }

  private void noteLeftovers(List<String> names, ManifestState state, String manifest) {
    Set<String> known = new HashSet<>();
    known.add(manifest);
    for (FileKind kind : FileKind.values()) {
      if (!kind.numbered()) {
        known.add(kind.fileName(0));
      }
    }
    for (TableMeta table : state.tables()) {
      known.add(FileKind.TABLE.fileName(table.number()));
    }
    for (String name : names) {
      OptionalLong log = FileKind.WAL.numberOf(name);
      boolean living = log.isPresent() && log.getAsLong() >= state.marks().walFloor();
      if (!living && !known.contains(name)) {
        leftovers.add(name);
      }
    }
  }
}
