// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.KeyText;
import io.coppice.base.bytes.NameText;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogReader;
import io.coppice.io.TornTail;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.version.EditOp;
import io.coppice.version.Level;
import io.coppice.version.ManifestState;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Text form of a manifest file for people: its snapshot, and each edit change by change. Used by
 * one thread.
 */
public final class ManifestDump {

  private final Consumer<String> lines;

  private ManifestDump(Consumer<String> lines) {
    this.lines = lines;
  }

  /**
   * Writes the text of a manifest.
   *
   * @param lines receives the text line by line
   * @throws CorruptionException at the first damage, after the text of everything before it
   * @throws IOException if the file is missing or cannot be read
   */
  public static void write(Disk disk, long number, Consumer<String> lines) throws IOException {
    ManifestDump dump = new ManifestDump(lines);
    try (RecordLogReader log =
        RecordLogReader.open(disk, FileKind.MANIFEST, number, TornTail.DROP)) {
      ByteSource source = new ByteSource();
      for (int record = 0; log.next(); record++) {
        source.reset(log.name(), log.payloadOffset(), log.payload(), 0, log.payloadLength());
        int type = source.u8();
        String place =
            "record " + record + " @" + log.recordOffset() + ", " + log.payloadLength() + " bytes";
        if (type == EditCodec.SNAPSHOT) {
          lines.accept(place + ": snapshot");
          dump.catalogue(ManifestSnapshotCodec.decode(source));
        } else if (type == EditCodec.EDIT) {
          lines.accept(place + ": edit");
          EditCodec.decode(source).ops().forEach(op -> lines.accept("  " + text(op)));
        } else {
          throw source.damaged("unknown record type " + type);
        }
      }
      if (log.droppedBytes() > 0) {
        lines.accept("torn end of " + log.droppedBytes() + " bytes");
      }
    }
  }

  private void catalogue(ManifestState state) {
    ManifestState.Marks marks = state.marks();
    lines.accept(
        "  next number %s, last sequence %s, log floor %s%s, next family %s"
            .formatted(
                marks.nextNumber(),
                marks.lastSequence(),
                marks.walFloor(),
                marks.floorBegun() ? ", begun" : "",
                marks.nextFamily()));
    for (ManifestState.Family family : state.families()) {
      lines.accept(
          "  family "
              + family.number()
              + " "
              + NameText.quoted(family.name())
              + ", key order "
              + family.keyOrder()
              + ", policy "
              + family.policy()
              + (family.mergeOperator().isEmpty()
                  ? ""
                  : ", merge operator " + family.mergeOperator()));
      int depth = 0;
      for (Level level : family.version().levels()) {
        for (Run run : level.runs()) {
          run(depth, run);
        }
        depth++;
      }
    }
  }

  private void run(int level, Run run) {
    lines.accept(
        "    L" + level + " run " + run.id() + (run.complete() ? "" : " fed by " + run.sources()));
    for (Segment segment : run.segments()) {
      if (segment.virtual()) {
        lines.accept("      group " + segment.group() + " of " + segment.parents() + " tables");
      }
      for (Slice slice : segment.slices()) {
        String indent = segment.virtual() ? "        " : "      ";
        lines.accept(
            indent
                + "slice "
                + slice.id()
                + window(slice.window())
                + " of "
                + table(slice.table()));
      }
    }
  }

  private static String text(EditOp op) {
    if (op instanceof EditOp.AddTable add) {
      return "add L%s run %s slice %s of %s"
          .formatted(add.level(), add.run(), add.slice(), table(add.table()));
    } else if (op instanceof EditOp.RemoveSlice remove) {
      return "remove slice " + remove.slice();
    } else if (op instanceof EditOp.TrimSlice trim) {
      return "trim slice " + trim.slice() + " to keys above " + KeyText.of(trim.newLow());
    } else if (op instanceof EditOp.MoveSlice move) {
      return "move slice " + move.slice() + " to L" + move.level() + " run " + move.run();
    } else if (op instanceof EditOp.AddRun add) {
      String sources = add.sources().isEmpty() ? "" : " fed by " + add.sources();
      return "add L" + add.level() + " run " + add.run() + sources;
    } else if (op instanceof EditOp.Regroup regroup) {
      return text(regroup);
    }
    return mark(op);
  }

  private static String mark(EditOp op) {
    if (op instanceof EditOp.NextNumber next) {
      return "next number " + next.number();
    } else if (op instanceof EditOp.LastSequence last) {
      return "last sequence " + last.sequence();
    } else if (op instanceof EditOp.WalFloor floor) {
      return "log floor " + floor.number() + (floor.begun() ? ", begun" : "");
    } else if (op instanceof EditOp.KeyOrder order) {
      return "key order " + order.name();
    } else if (op instanceof EditOp.PolicyText policy) {
      return "policy " + policy.text();
    } else if (op instanceof EditOp.InFamily in) {
      return "in family " + in.number();
    } else if (op instanceof EditOp.CreateFamily create) {
      return "create family " + create.number() + " " + NameText.quoted(create.name());
    } else if (op instanceof EditOp.DropFamily drop) {
      return "drop family " + drop.number();
    }
    return op.toString();
  }

  private static String text(EditOp.Regroup op) {
    StringBuilder text =
        new StringBuilder(
            "regroup slices %s to L%s run %s as group %s:"
                .formatted(op.slices(), op.level(), op.run(), op.group()));
    for (var segment : op.segments()) {
      text.append(" [");
      for (EditOp.Piece piece : segment) {
        text.append(" slice ").append(piece.slice()).append(window(piece.window()));
        text.append(" of t").append(piece.table());
      }
      text.append(" ]");
    }
    return text.toString();
  }

  private static String window(KeyWindow window) {
    if (window.low() == null && window.high() == null) {
      return "";
    }
    return " (" + KeyText.of(window.low()) + ", " + KeyText.of(window.high()) + "]";
  }

  private static String table(TableMeta table) {
    return "%s, %s bytes, %s entries, %s deletions, sequences %s..%s, keys %s..%s%s"
        .formatted(
            FileKind.TABLE.fileName(table.number()),
            table.bytes(),
            table.entries(),
            table.tombstones(),
            table.minSequence(),
            table.maxSequence(),
            KeyText.of(table.smallestKey()),
            KeyText.of(table.largestKey()),
            table.filterSlot().exists() ? ", filter " + table.filterSlot() : "");
  }
}
