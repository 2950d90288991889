// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ByteSource;
import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogReader;
import io.coppice.io.TornTail;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A manifest file read back: the catalogue after its last whole record. An edit whose record is
 * torn was never acknowledged, so it counts as not made, unless {@code CURRENT} tells that it was
 * durable.
 */
final class Replay {

  /**
   * Edits applied in one go, since each application looks at every slice. Together they are legal
   * if each was: no run, slice or family number is ever given twice.
   */
  private static final int BATCH = 512;

  /** What to do about a manifest that has lost edits. */
  static final String REPAIR =
      "nothing was changed; `coppice-tool store repair` puts the store together" + " again";

  private record Edit(VersionEdit edit, long offset) {}

  private final String file;
  private final List<Edit> batch = new ArrayList<>();
  private Catalogue catalogue;
  long end;
  private long droppedBytes;

  Replay(String file) {
    this.file = file;
  }

  /**
   * Reads the manifest in force.
   *
   * @throws CorruptionException if it is missing, is damaged before its tail, is no manifest, or
   *     lacks what was durable
   */
  static Replay of(Disk disk, CurrentFile current) throws IOException {
    long number = current.manifest();
    String name = FileKind.MANIFEST.fileName(number);
    Replay replay = new Replay(name);
    try (RecordLogReader log =
        RecordLogReader.open(disk, FileKind.MANIFEST, number, TornTail.DROP)) {
      ByteSource source = new ByteSource();
      while (log.next()) {
        source.reset(name, log.payloadOffset(), log.payload(), 0, log.payloadLength());
        replay.add(source, log.recordOffset());
        replay.end = log.payloadOffset() + log.payloadLength();
      }
      replay.droppedBytes = log.droppedBytes();
    } catch (NoSuchFileException e) {
      throw new CorruptionException(name, 0, "CURRENT names it, but it is missing", e);
    }
    replay.applyBatch();
    if (replay.catalogue == null) {
      throw new CorruptionException(name, 0, "it does not begin with a snapshot");
    }
    replay.settle();
    replay.checkDurable(current.durable(), "; " + REPAIR);
    return replay;
  }

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

  Catalogue catalogue() {
    return catalogue;
  }

  /** Where the last whole record ends. */
  long end() {
    return end;
  }

  /** Bytes of a torn last record. */
  long droppedBytes() {
    return droppedBytes;
  }

  void add(ByteSource source, long offset) {
    try {
      int type = source.u8();
      if (catalogue == null) {
        if (type != EditCodec.SNAPSHOT) {
          throw source.damaged("a snapshot was expected, found record type " + type);
        }
        catalogue = SnapshotCodec.decode(source);
      } else if (type == EditCodec.EDIT) {
        batch.add(new Edit(EditCodec.decode(source), offset));
      } else {
        throw source.damaged("an edit was expected, found record type " + type);
      }
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(file, offset, e.getMessage(), e);
    }
    if (batch.size() == BATCH) {
      applyBatch();
    }
  }

  /** Nothing more follows. */
  void settle() {
    catalogue = catalogue == null ? null : catalogue.settled(Set.of());
  }

  void applyBatch() {
    VersionEdit.Builder all = VersionEdit.builder();
    for (Edit edit : batch) {
      all.append(edit.edit);
    }
    try {
      if (!batch.isEmpty()) {
        catalogue = catalogue.apply(all.build());
      }
    } catch (IllegalArgumentException e) {
      applyOneByOne();
    }
    batch.clear();
  }

  /** Finds the edit that is at fault. */
  private void applyOneByOne() {
    for (Edit edit : batch) {
      try {
        catalogue = catalogue.apply(edit.edit);
      } catch (IllegalArgumentException e) {
        throw new CorruptionException(file, edit.offset, e.getMessage(), e);
      }
    }
  }
}
