// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ByteSink;
import io.coppice.base.ByteSource;
import io.coppice.base.Limits;
import io.coppice.table.TableMeta;
import io.coppice.table.Window;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A whole Version as the first record of a manifest, and back.
 *
 * <pre>
 *   snapshot = 1 u8 | family varint, 0 | nextNumber, lastSequence, walFloor varints |
 *              key order, policy texts | levels
 *   levels   = varint count, runs*        runs  = varint count, run*
 *   run      = id varint | sources set | varint count, segment*
 *   segment  = varint count, slice*
 *   slice    = id varint | bounds u8, 1 for low, 2 for high | those bounds as keys | table
 * </pre>
 *
 * Sets, texts, keys and tables are those of {@link EditCodec}.
 */
final class SnapshotCodec {

  private static final int HAS_LOW = 1;
  private static final int HAS_HIGH = 2;

  private SnapshotCodec() {}

  static void encode(Version version, ByteSink sink) {
    Version.Marks marks = version.marks();
    sink.u8(EditCodec.SNAPSHOT)
        .varint32(EditCodec.DEFAULT_FAMILY)
        .varint64(marks.nextNumber())
        .varint64(marks.lastSequence())
        .varint64(marks.walFloor());
    EditCodec.text(marks.keyOrder(), sink);
    EditCodec.text(marks.policy(), sink);
    sink.varint32(version.levels().size());
    for (Level level : version.levels()) {
      sink.varint32(level.runs().size());
      for (Run run : level.runs()) {
        encode(run, sink);
      }
    }
  }

  private static void encode(Run run, ByteSink sink) {
    sink.varint64(run.id());
    EditCodec.numbers(run.sources(), sink);
    sink.varint32(run.segments().size());
    for (Segment segment : run.segments()) {
      sink.varint32(segment.slices().size());
      for (Slice slice : segment.slices()) {
        encode(slice, sink);
      }
    }
  }

  private static void encode(Slice slice, ByteSink sink) {
    byte[] low = slice.window().low();
    byte[] high = slice.window().high();
    sink.varint64(slice.id()).u8((low == null ? 0 : HAS_LOW) | (high == null ? 0 : HAS_HIGH));
    if (low != null) {
      sink.sized(low, 0, low.length);
    }
    if (high != null) {
      sink.sized(high, 0, high.length);
    }
    EditCodec.table(slice.table(), sink);
  }

  /** Reads a snapshot behind its type byte. */
  static Version decode(ByteSource source) {
    EditCodec.family(source);
    Version.Marks marks =
        new Version.Marks(
            source.varint64(),
            source.varint64(),
            source.varint64(),
            EditCodec.text(source),
            EditCodec.text(source));
    int count = source.varint31();
    List<Level> levels = new ArrayList<>();
    Map<Long, TableMeta> tables = new HashMap<>();
    for (int i = 0; i < count; i++) {
      levels.add(level(source, tables));
    }
    EditCodec.end(source);
    return new Version(levels, marks);
  }

  private static Level level(ByteSource source, Map<Long, TableMeta> tables) {
    int count = source.varint31();
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      runs.add(run(source, tables));
    }
    return new Level(runs);
  }

  private static Run run(ByteSource source, Map<Long, TableMeta> tables) {
    long id = source.varint64();
    Set<Long> sources = EditCodec.numbers(source);
    int count = source.varint31();
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int sliceCount = source.varint31();
      List<Slice> slices = new ArrayList<>();
      for (int j = 0; j < sliceCount; j++) {
        slices.add(slice(source, tables));
      }
      segments.add(new Segment(slices));
    }
    return new Run(id, segments, sources);
  }

  private static Slice slice(ByteSource source, Map<Long, TableMeta> tables) {
    long id = source.varint64();
    int bounds = source.u8();
    if ((bounds & ~(HAS_LOW | HAS_HIGH)) != 0) {
      throw source.damaged("unknown bounds " + bounds);
    }
    byte[] low = (bounds & HAS_LOW) == 0 ? null : source.sizedCopy(Limits.MAX_KEY_BYTES);
    byte[] high = (bounds & HAS_HIGH) == 0 ? null : source.sizedCopy(Limits.MAX_KEY_BYTES);
    TableMeta table = EditCodec.table(source);
    TableMeta known = tables.putIfAbsent(table.number(), table);
    if (known != null && !known.equals(table)) {
      throw source.damaged("table " + table.number() + " has two descriptions");
    }
    return new Slice(id, known == null ? table : known, new Window(low, high));
  }
}
