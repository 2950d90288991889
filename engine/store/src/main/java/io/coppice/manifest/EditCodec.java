// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.table.filter.FilterSlot;
import io.coppice.version.EditOp;
import io.coppice.version.VersionEdit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Codec of edits as manifest records. {@code docs/formats/manifest.md} explains each part.
 *
 * <pre>
 *    edit  = 2 u8 | count varint | op*
 *    op    = code u8, never renumbered | its fields in the order of the record's components
 *    long, int = varint; key = varint length, bytes; text = the same in UTF-8;
 *    set   = varint count, varints; table = number, bytes, entries, tombstones, rangeDeletions,
 *            minSequence, maxSequence, filter (varints), smallest key, largest key;
 *    window = u8, 1 for a low bound plus 2 for a high one, then those as keys;
 *    list = varint count, its elements
 * </pre>
 */
public final class EditCodec {

  /** First byte of a record with a whole manifest state. */
  public static final int SNAPSHOT = 1;

  /** First byte of a record with an edit. */
  static final int EDIT = 2;

  private static final int HAS_LOW = 1;
  private static final int HAS_HIGH = 2;

  /**
   * Maximum bytes of names and policy texts, which are lines for people. {@link #encode} refuses
   * longer ones.
   */
  static final int MAX_TEXT_BYTES = 64 << 10;

  private EditCodec() {}

  /**
   * Appends an edit with its type byte.
   *
   * @throws IllegalArgumentException if a name or a policy text is too long; the sink then has a
   *     part of the edit
   */
  static void encode(VersionEdit edit, ByteSink sink) {
    sink.u8(EDIT).varint32(edit.ops().size());
    edit.ops().forEach(op -> encode(op, sink));
  }

  /** Appends the code of a change and its fields. {@link #op} reads both back. */
  private static void encode(EditOp op, ByteSink sink) {
    if (op instanceof EditOp.AddTable add) {
      sink.u8(1).varint32(add.level()).varint64(add.run()).varint64(add.slice());
      table(add.table(), sink);
    } else if (op instanceof EditOp.RemoveSlice remove) {
      sink.u8(2).varint64(remove.slice());
    } else if (op instanceof EditOp.TrimSlice trim) {
      sink.u8(3).varint64(trim.slice()).sized(trim.newLow(), 0, trim.newLow().length);
    } else if (op instanceof EditOp.MoveSlice move) {
      sink.u8(4).varint64(move.slice()).varint32(move.level()).varint64(move.run());
    } else if (op instanceof EditOp.AddRun add) {
      sink.u8(5).varint32(add.level()).varint64(add.run());
      numbers(add.sources(), sink);
    } else if (op instanceof EditOp.NextNumber next) {
      sink.u8(6).varint64(next.number());
    } else if (op instanceof EditOp.LastSequence last) {
      sink.u8(7).varint64(last.sequence());
    } else if (op instanceof EditOp.WalFloor floor) {
      sink.u8(8).varint64(floor.number()).u8(floor.begun() ? 1 : 0);
    } else if (op instanceof EditOp.KeyOrder order) {
      sink.u8(9);
      text(order.name(), sink);
    } else if (op instanceof EditOp.PolicyText policy) {
      sink.u8(10);
      text(policy.text(), sink);
    } else if (op instanceof EditOp.Regroup regroup) {
      sink.u8(11);
      regroup(regroup, sink);
    } else if (op instanceof EditOp.InFamily in) {
      sink.u8(12).varint32(in.number());
    } else if (op instanceof EditOp.CreateFamily create) {
      sink.u8(13).varint32(create.number());
      text(create.name(), sink);
    } else if (op instanceof EditOp.DropFamily drop) {
      sink.u8(14).varint32(drop.number());
    } else if (op instanceof EditOp.MergeOperatorName operator) {
      sink.u8(15);
      text(operator.name(), sink);
    } else if (op instanceof EditOp.ClockFloor floor) {
      sink.u8(16).varint64(floor.millis());
    } else if (op instanceof EditOp.CutSegment cut) {
      sink.u8(17).varint64(cut.slice()).sized(cut.high(), 0, cut.high().length);
      inOrder(cut.above(), sink);
    }
  }

  private static void regroup(EditOp.Regroup op, ByteSink sink) {
    sink.varint32(op.level()).varint64(op.run()).varint64(op.group());
    inOrder(op.slices(), sink);
    sink.varint32(op.segments().size());
    for (List<EditOp.Piece> segment : op.segments()) {
      sink.varint32(segment.size());
      for (EditOp.Piece piece : segment) {
        sink.varint64(piece.slice());
        window(piece.window(), sink);
        sink.varint64(piece.table());
      }
    }
  }

  /**
   * Returns the edit that follows its type byte.
   *
   * @throws io.coppice.base.CorruptionException if the bytes are no edit
   */
  static VersionEdit decode(ByteSource source) {
    int count = source.varint31();
    List<EditOp> ops = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ops.add(op(source));
    }
    end(source);
    return new VersionEdit(ops);
  }

  private static EditOp op(ByteSource source) {
    int code = source.u8();
    return switch (code) {
      case 1 ->
          new EditOp.AddTable(
              source.varint31(), source.varint64(), source.varint64(), table(source));
      case 2 -> new EditOp.RemoveSlice(source.varint64());
      case 3 -> new EditOp.TrimSlice(source.varint64(), source.sizedCopy(Limits.MAX_KEY_BYTES));
      case 4 -> new EditOp.MoveSlice(source.varint64(), source.varint31(), source.varint64());
      case 5 -> new EditOp.AddRun(source.varint31(), source.varint64(), numbers(source));
      case 6 -> new EditOp.NextNumber(source.varint64());
      case 7 -> new EditOp.LastSequence(source.varint64());
      case 8 -> new EditOp.WalFloor(source.varint64(), flag(source));
      case 9 -> new EditOp.KeyOrder(text(source));
      case 10 -> new EditOp.PolicyText(text(source));
      case 11 -> regroup(source);
      case 12 -> new EditOp.InFamily(source.varint31());
      case 13 -> new EditOp.CreateFamily(source.varint31(), text(source));
      case 14 -> new EditOp.DropFamily(source.varint31());
      case 15 -> new EditOp.MergeOperatorName(text(source));
      case 16 -> new EditOp.ClockFloor(source.varint64());
      case 17 -> cut(source);
      default -> throw source.damaged("unknown change " + code);
    };
  }

  static boolean flag(ByteSource source) {
    int flag = source.u8();
    if (flag > 1) {
      throw source.damaged("0 or 1 was expected, found " + flag);
    }
    return flag == 1;
  }

  private static EditOp.CutSegment cut(ByteSource source) {
    long slice = source.varint64();
    byte[] high = source.sizedCopy(Limits.MAX_KEY_BYTES);
    return new EditOp.CutSegment(slice, high, slices(source));
  }

  private static List<Long> slices(ByteSource source) {
    List<Long> slices = new ArrayList<>();
    for (int left = source.varint31(); left > 0; left--) {
      slices.add(source.varint64());
    }
    return slices;
  }

  private static EditOp.Regroup regroup(ByteSource source) {
    int level = source.varint31();
    long run = source.varint64();
    long group = source.varint64();
    List<Long> slices = slices(source);
    List<List<EditOp.Piece>> segments = new ArrayList<>();
    for (int left = source.varint31(); left > 0; left--) {
      List<EditOp.Piece> pieces = new ArrayList<>();
      for (int more = source.varint31(); more > 0; more--) {
        long slice = source.varint64();
        KeyWindow window = window(source);
        pieces.add(new EditOp.Piece(slice, source.varint64(), window));
      }
      segments.add(pieces);
    }
    return new EditOp.Regroup(level, run, group, slices, segments);
  }

  static void window(KeyWindow window, ByteSink sink) {
    byte[] low = window.low();
    byte[] high = window.high();
    sink.u8((low == null ? 0 : HAS_LOW) | (high == null ? 0 : HAS_HIGH));
    if (low != null) {
      sink.sized(low, 0, low.length);
    }
    if (high != null) {
      sink.sized(high, 0, high.length);
    }
  }

  static KeyWindow window(ByteSource source) {
    int bounds = source.u8();
    if ((bounds & ~(HAS_LOW | HAS_HIGH)) != 0) {
      throw source.damaged("unknown bounds " + bounds);
    }
    byte[] low = (bounds & HAS_LOW) == 0 ? null : source.sizedCopy(Limits.MAX_KEY_BYTES);
    byte[] high = (bounds & HAS_HIGH) == 0 ? null : source.sizedCopy(Limits.MAX_KEY_BYTES);
    return new KeyWindow(low, high);
  }

  static void table(TableMeta table, ByteSink sink) {
    sink.varint64(table.number())
        .varint64(table.bytes())
        .varint64(table.entries())
        .varint64(table.tombstones())
        .varint64(table.rangeDeletions())
        .varint64(table.minSequence())
        .varint64(table.maxSequence());
    filter(table.filterSlot(), sink);
    sink.sized(table.smallestKey(), 0, table.smallestKey().length)
        .sized(table.largestKey(), 0, table.largestKey().length);
  }

  static TableMeta table(ByteSource source) {
    long number = source.varint64();
    long bytes = source.varint64();
    long entries = source.varint64();
    long tombstones = source.varint64();
    long rangeDeletions = source.varint64();
    long minSequence = source.varint64();
    long maxSequence = source.varint64();
    FilterSlot filterSlot = filter(source);
    return new TableMeta(
        number,
        bytes,
        entries,
        tombstones,
        rangeDeletions,
        source.sizedCopy(Limits.MAX_KEY_BYTES),
        source.sizedCopy(Limits.MAX_KEY_BYTES),
        minSequence,
        maxSequence,
        filterSlot);
  }

  private static void filter(FilterSlot filter, ByteSink sink) {
    sink.varint32(filter.bits());
    if (filter.exists()) {
      sink.varint32(filter.unit()).varint32(filter.keys());
    }
  }

  private static FilterSlot filter(ByteSource source) {
    int bits = source.varint31();
    return bits == 0 ? FilterSlot.NONE : new FilterSlot(source.varint31(), bits, source.varint31());
  }

  static void numbers(Set<Long> numbers, ByteSink sink) {
    inOrder(new TreeSet<>(numbers), sink);
  }

  private static void inOrder(Collection<Long> numbers, ByteSink sink) {
    sink.varint32(numbers.size());
    for (long number : numbers) {
      sink.varint64(number);
    }
  }

  static Set<Long> numbers(ByteSource source) {
    int count = source.varint31();
    Set<Long> numbers = new HashSet<>();
    for (int i = 0; i < count; i++) {
      numbers.add(source.varint64());
    }
    return numbers;
  }

  static void text(String text, ByteSink sink) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_TEXT_BYTES) {
      throw new IllegalArgumentException(
          "a text of " + bytes.length + " bytes must have at most " + MAX_TEXT_BYTES);
    }
    sink.sized(bytes, 0, bytes.length);
  }

  static String text(ByteSource source) {
    return new String(source.sizedCopy(MAX_TEXT_BYTES), StandardCharsets.UTF_8);
  }

  static void end(ByteSource source) {
    if (source.remaining() != 0) {
      throw source.damaged(source.remaining() + " bytes behind the record's end");
    }
  }
}
