// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.ByteSource;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogReader;
import io.coppice.io.TornTail;
import io.coppice.version.EditOp;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reader of a manifest file: the state after its last whole record. An edit with a torn record was
 * never acknowledged and is ignored, unless {@code CURRENT} records that it was durable. Used by
 * one thread.
 */
public final class ManifestReplay {

  /**
   * Number of edits applied at once, because each application passes over every slice. A batch is
   * legal if each of its edits is, because every run, slice or family number is used only once.
   */
  private static final int BATCH = 512;

  /** Advice about a manifest that has lost edits. */
  static final String REPAIR =
      "nothing was changed; `coppice-tool store repair` puts the store together" + " again";

  private record Edit(VersionEdit edit, long offset) {}

  private final String file;
  private final List<Edit> batch = new ArrayList<>();
  private final Set<Long> named = new HashSet<>();
  private ManifestState state;
  long end;
  private long droppedBytes;

  public ManifestReplay(String file) {
    this.file = file;
  }

  /**
   * Reads the manifest in force.
   *
   * @throws CorruptionException if it is missing, is damaged before its tail, is no manifest, or
   *     lacks bytes that were durable
   */
  static ManifestReplay of(Disk disk, CurrentFile current) throws IOException {
    String name = FileKind.MANIFEST.fileName(current.manifest());
    ManifestReplay replay = new ManifestReplay(name);
    try {
      replay.read(disk, current.manifest(), BATCH);
    } catch (NoSuchFileException e) {
      throw new CorruptionException(name, 0, "CURRENT names it, but it is missing", e);
    }
    if (replay.state == null) {
      throw new CorruptionException(name, 0, "its first record must be a snapshot, and is none");
    }
    replay.settle();
    replay.checkDurable(current.durable(), "; " + REPAIR);
    return replay;
  }

  /**
   * Reads all records of the manifest up to a torn last one.
   *
   * @param atOnce edits that are applied together; with 1, the state stays valid up to damage
   * @throws CorruptionException at the first damage; the state is then that of the edits applied
   *     before it
   */
  void read(Disk disk, long number, int atOnce) throws IOException {
    try (RecordLogReader log =
        RecordLogReader.open(disk, FileKind.MANIFEST, number, TornTail.DROP)) {
      ByteSource source = new ByteSource();
      while (log.next()) {
        source.reset(file, log.payloadOffset(), log.payload(), 0, log.payloadLength());
        add(source, log.recordOffset());
        if (batch.size() >= atOnce) {
          applyBatch();
        }
        end = log.payloadOffset() + log.payloadLength();
      }
      droppedBytes = log.droppedBytes();
    }
    applyBatch();
  }

  /**
   * Checks that no durable edit is missing.
   *
   * @param durable bytes of the file that are known to have been durable
   * @param advice end of the message
   * @throws CorruptionException if the edits end before
   */
  void checkDurable(long durable, String advice) {
    if (end < durable) {
      throw new CorruptionException(
          file,
          end,
          "its edits end here, but "
              + durable
              + " bytes of it were durable when CURRENT was written: it was cut off"
              + advice);
    }
  }

  /** Returns the state after the edits applied up to now; null before the snapshot. */
  public ManifestState state() {
    return state;
  }

  /**
   * Returns the numbers of all tables that the file names, including those that a later edit drops.
   */
  Set<Long> named() {
    return named;
  }

  /** Returns the offset where the last whole record ends. */
  long end() {
    return end;
  }

  /** Returns the bytes of a torn last record; 0 if there is none. */
  long droppedBytes() {
    return droppedBytes;
  }

  /**
   * Adds one record: the snapshot first, then edits, which {@link #applyBatch} applies.
   *
   * @param offset offset of the record, for messages
   * @throws CorruptionException if the record is damaged or out of place
   */
  public void add(ByteSource source, long offset) {
    try {
      int type = source.u8();
      if (state == null) {
        if (type != EditCodec.SNAPSHOT) {
          throw source.damaged("a snapshot was expected, found record type " + type);
        }
        state = ManifestSnapshotCodec.decode(source);
        for (ManifestState.Family family : state.families()) {
          family.version().tables().forEach(table -> named.add(table.number()));
        }
      } else if (type == EditCodec.EDIT) {
        Edit edit = new Edit(EditCodec.decode(source), offset);
        batch.add(edit);
        for (EditOp op : edit.edit.ops()) {
          if (op instanceof EditOp.AddTable add) {
            named.add(add.table().number());
          }
        }
      } else {
        throw source.damaged("an edit was expected, found record type " + type);
      }
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(file, offset, e.getMessage(), e);
    }
  }

  /** Removes runs that are empty after the last record and that no merge fills any longer. */
  void settle() {
    state = state == null ? null : state.withoutEmptyRuns(Set.of());
  }

  /**
   * Applies the edits added since the last call.
   *
   * @throws CorruptionException if one is illegal; those before it are applied
   */
  void applyBatch() {
    VersionEdit.Builder all = VersionEdit.builder();
    for (Edit edit : batch) {
      all.append(edit.edit);
    }
    try {
      if (!batch.isEmpty()) {
        state = state.apply(all.build());
      }
    } catch (IllegalArgumentException e) {
      applyOneByOne();
    }
    batch.clear();
  }

  /** Applies the edits one by one to find the illegal one. */
  private void applyOneByOne() {
    for (Edit edit : batch) {
      try {
        state = state.apply(edit.edit);
      } catch (IllegalArgumentException e) {
        throw new CorruptionException(file, edit.offset, e.getMessage(), e);
      }
    }
  }
}
