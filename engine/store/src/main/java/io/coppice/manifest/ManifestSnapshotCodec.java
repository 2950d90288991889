// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.version.Level;
import io.coppice.version.ManifestState;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceCoverage;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Codec of a whole manifest state as the first record of a manifest.
 *
 * <pre>
 *    snapshot = 1 u8 | nextNumber, lastSequence, walFloor varints | floorBegun u8 |
 *               nextFamily, clockFloor varints | varint count, family*
 *    family   = number varint | name, key order, policy, merge operator texts | levels
 *    levels   = varint count, runs*        runs  = varint count, run*
 *    run      = id varint | sources set | varint count, segment*
 *    segment  = group varint | parents varint, if group is not 0 | varint count, slice*
 *    slice    = id varint | window | table
 * </pre>
 *
 * {@link EditCodec} defines sets, texts, windows and tables. Safe to share between threads.
 */
public final class ManifestSnapshotCodec {

  private final ByteSource source;
  private final Map<Long, TableMeta> tables = new HashMap<>();

  private ManifestSnapshotCodec(ByteSource source) {
    this.source = source;
  }

  /**
   * Appends a state with its type byte.
   *
   * @throws IllegalArgumentException if a name or a policy text is too long; the sink then has a
   *     part of the state
   */
  public static void encode(ManifestState state, ByteSink sink) {
    ManifestState.Marks marks = state.marks();
    sink.u8(EditCodec.SNAPSHOT)
        .varint64(marks.nextNumber())
        .varint64(marks.lastSequence())
        .varint64(marks.walFloor())
        .u8(marks.floorBegun() ? 1 : 0)
        .varint32(marks.nextFamily())
        .varint64(marks.clockFloor())
        .varint32(state.families().size());
    for (ManifestState.Family family : state.families()) {
      encode(family, sink);
    }
  }

  private static void encode(ManifestState.Family family, ByteSink sink) {
    sink.varint32(family.number());
    EditCodec.text(family.name(), sink);
    EditCodec.text(family.keyOrder(), sink);
    EditCodec.text(family.policy(), sink);
    EditCodec.text(family.mergeOperator(), sink);
    sink.varint32(family.version().levels().size());
    for (Level level : family.version().levels()) {
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
   * Returns the state in a snapshot that follows its type byte.
   *
   * @throws io.coppice.base.CorruptionException if the bytes are no snapshot, or two slices show
   *     the same key of a table
   * @throws IllegalArgumentException if the state is illegal
   */
  static ManifestState decode(ByteSource source) {
    return new ManifestSnapshotCodec(source).state();
  }

  private ManifestState state() {
    ManifestState.Marks marks =
        new ManifestState.Marks(
            source.varint64(),
            source.varint64(),
            source.varint64(),
            EditCodec.flag(source),
            source.varint31(),
            source.varint64());
    List<ManifestState.Family> families = new ArrayList<>();
    for (int left = source.varint31(); left > 0; left--) {
      families.add(family());
    }
    EditCodec.end(source);
    checkShares(families);
    return new ManifestState(marks, families);
  }

  private ManifestState.Family family() {
    int number = source.varint31();
    String name = EditCodec.text(source);
    String keyOrder = EditCodec.text(source);
    String policy = EditCodec.text(source);
    String mergeOperator = EditCodec.text(source);
    List<Level> levels = new ArrayList<>();
    for (int left = source.varint31(); left > 0; left--) {
      levels.add(level());
    }
    return new ManifestState.Family(
        number, name, keyOrder, policy, mergeOperator, new Version(levels));
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
    long group = source.varint64();
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
    KeyWindow window = EditCodec.window(source);
    TableMeta table = EditCodec.table(source);
    TableMeta known = tables.putIfAbsent(table.number(), table);
    if (known != null && !known.equals(table)) {
      throw source.damaged("table " + table.number() + " has two descriptions");
    }
    return new Slice(id, known == null ? table : known, window);
  }

  /** Checks that slices show each key of a table once, and that each table is in one family. */
  private void checkShares(List<ManifestState.Family> families) {
    Map<Long, Integer> owners = new HashMap<>();
    for (ManifestState.Family family : families) {
      Map<Long, List<Slice>> shares = new HashMap<>();
      family
          .version()
          .forEachSlice(
              slice ->
                  shares
                      .computeIfAbsent(slice.table().number(), x -> new ArrayList<>())
                      .add(slice));
      for (Map.Entry<Long, List<Slice>> share : shares.entrySet()) {
        Integer other = owners.put(share.getKey(), family.number());
        if (other != null) {
          throw source.damaged(
              "table " + share.getKey() + " is in families " + other + " and " + family.number());
        }
        List<Slice> slices = share.getValue();
        Slice overlap = slices.size() == 1 ? null : SliceCoverage.overlap(slices);
        if (overlap != null) {
          throw source.damaged(overlap + " shows keys that another slice shows");
        }
      }
    }
  }
}
