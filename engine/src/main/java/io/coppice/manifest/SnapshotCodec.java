// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ByteSink;
import io.coppice.base.ByteSource;
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
 *   snapshot = 3 u8 | family varint, 0 | nextNumber, lastSequence, walFloor varints |
 *              key order, policy texts | levels
 *   levels   = varint count, runs*        runs  = varint count, run*
 *   run      = id varint | sources set | varint count, segment*
 *   segment  = group varint | parents varint, if group is not 0 | varint count, slice*
 *   slice    = id varint | window | table
 * </pre>
 *
 * Sets, texts, windows and tables are those of {@link EditCodec}. In a snapshot of type 1 a segment
 * begins with its count.
 */
final class SnapshotCodec {

  private final ByteSource source;
  private final boolean grouped;
  private final Map<Long, TableMeta> tables = new HashMap<>();

  private SnapshotCodec(ByteSource source, boolean grouped) {
    this.source = source;
    this.grouped = grouped;
  }

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
      sink.varint64(segment.group());
      if (segment.virtual()) {
        sink.varint32(segment.parents());
      }
      sink.varint32(segment.slices().size());
      for (Slice slice : segment.slices()) {
        encode(slice, sink);
      }
    }
  }

  private static void encode(Slice slice, ByteSink sink) {
    sink.varint64(slice.id());
    EditCodec.window(slice.window(), sink);
    EditCodec.table(slice.table(), sink);
  }

  /**
   * Reads a snapshot behind its type byte.
   *
   * @param grouped false for {@link EditCodec#UNGROUPED_SNAPSHOT}
   */
  static Version decode(ByteSource source, boolean grouped) {
    return new SnapshotCodec(source, grouped).version();
  }

  private Version version() {
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
    for (int i = 0; i < count; i++) {
      levels.add(level());
    }
    EditCodec.end(source);
    Version version = new Version(levels, marks);
    checkShares(version);
    return version;
  }

  private Level level() {
    int count = source.varint31();
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      runs.add(run());
    }
    return new Level(runs);
  }

  private Run run() {
    long id = source.varint64();
    Set<Long> sources = EditCodec.numbers(source);
    int count = source.varint31();
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      segments.add(segment());
    }
    return new Run(id, segments, sources);
  }

  private Segment segment() {
    long group = grouped ? source.varint64() : 0;
    int parents = group == 0 ? 0 : source.varint31();
    int count = source.varint31();
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      slices.add(slice());
    }
    return new Segment(slices, group, parents);
  }

  private Slice slice() {
    long id = source.varint64();
    Window window = EditCodec.window(source);
    TableMeta table = EditCodec.table(source);
    TableMeta known = tables.putIfAbsent(table.number(), table);
    if (known != null && !known.equals(table)) {
      throw source.damaged("table " + table.number() + " has two descriptions");
    }
    return new Slice(id, known == null ? table : known, window);
  }

  /** No key of a table may be shown twice. */
  private void checkShares(Version version) {
    Map<Long, List<Slice>> shares = new HashMap<>();
    version.forEachSlice(
        slice -> shares.computeIfAbsent(slice.table().number(), x -> new ArrayList<>()).add(slice));
    for (List<Slice> slices : shares.values()) {
      Slice overlap = slices.size() == 1 ? null : Shares.overlap(slices);
      if (overlap != null) {
        throw source.damaged(overlap + " shows keys that another slice shows");
      }
    }
  }
}
