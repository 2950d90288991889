// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.coppice.policy.DrawnTree;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A drawing with virtual segments as a version of the engine. Of a table drawn in parts each part
 * is a window that opens after the drawn key before it.
 */
final class VirtualTree {

  private final DrawnTree tree;
  private final List<String> keys;
  private final Map<Long, TableMeta> tables = new HashMap<>();
  private final Map<Long, SliceSize> sizes = new HashMap<>();
  private final Map<String, Long> runIds = new HashMap<>();

  private VirtualTree(DrawnTree tree) {
    this.tree = tree;
    this.keys = tree.keys();
    for (List<DrawnTree.DrawnRun> runs : tree.levels()) {
      for (DrawnTree.DrawnRun run : runs) {
        runIds.put(run.name(), 1_000L + runIds.size());
        run.tables().forEach(this::note);
      }
    }
  }

  static Shape shape(DrawnTree tree) {
    VirtualTree drawn = new VirtualTree(tree);
    Version version = drawn.version();
    Claims claims = drawn.claims();
    return VersionShapeBuilder.of(
            VersionShapeBuilder.bounds(version, claims),
            version,
            claims,
            slice -> drawn.sizes.get(slice.id()),
            Map.of(),
            Map.of())
        .requesting(tree.requests());
  }

  /** Stretches the table over all its parts. */
  private void note(DrawnTree.DrawnTable part) {
    long entries = Math.max(1, part.entries());
    sizes.put(part.slice(), new SliceSize(part.bytes(), entries, part.deletions() ? entries : 0));
    TableMeta known = tables.get(part.number());
    String low = known == null ? part.low() : least(part.low(), text(known.smallestKey()));
    String high = known == null ? part.high() : most(part.high(), text(known.largestKey()));
    tables.put(
        part.number(),
        new TableMeta(
            part.number(),
            part.tableBytes(),
            1,
            0,
            0,
            low.getBytes(US_ASCII),
            high.getBytes(US_ASCII),
            1,
            1,
            TableMeta.NO_FILTER));
  }

  private static String text(byte[] key) {
    return new String(key, US_ASCII);
  }

  private static String least(String a, String b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private static String most(String a, String b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  private Version version() {
    List<Level> levels = new ArrayList<>();
    for (List<DrawnTree.DrawnRun> runs : tree.levels()) {
      levels.add(new Level(runs.stream().map(this::run).toList()));
    }
    return new Version(levels);
  }

  private Run run(DrawnTree.DrawnRun run) {
    List<Segment> segments =
        run.segments().stream()
            .map(
                segment ->
                    new Segment(
                        segment.slices().stream().map(this::slice).toList(),
                        segment.group(),
                        segment.parents()))
            .toList();
    Set<Long> sources = run.sources().stream().map(runIds::get).collect(Collectors.toSet());
    return new Run(runIds.get(run.name()), segments, sources);
  }

  private Slice slice(DrawnTree.DrawnTable part) {
    TableMeta table = tables.get(part.number());
    boolean first = part.low().equals(text(table.smallestKey()));
    byte[] before = first ? null : keys.get(keys.indexOf(part.low()) - 1).getBytes(US_ASCII);
    return new Slice(part.slice(), table, new KeyWindow(before, part.high().getBytes(US_ASCII)));
  }

  /** The first job holds all that is drawn as claimed. */
  private Claims claims() {
    Set<Long> claimed = new HashSet<>();
    tree.levels().stream()
        .flatMap(List::stream)
        .flatMap(run -> run.tables().stream())
        .filter(DrawnTree.DrawnTable::claimed)
        .forEach(table -> claimed.add(table.number()));
    Claims claims = new Claims();
    for (DrawnTree.DrawnJob job : tree.jobs()) {
      claims.take(
          new Claims.Claim(
              job.level(),
              runIds.getOrDefault(job.run(), Target.NEW_RUN),
              job.low().getBytes(US_ASCII),
              job.high().getBytes(US_ASCII),
              Set.copyOf(claimed)));
      claimed.clear();
    }
    return claims;
  }
}
