// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.policy.Shape;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.SSTableIdFactory;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * SSTables of one strategy instance, and the running plans among them.
 *
 * <p>Cassandra may report an SSTable twice, or again as another reader of the same file. In both
 * cases one entry remains, with the newest reader. A plan is running while one of its inputs is
 * being compacted, so its end needs no report. Guarded by the monitor of its strategy.
 */
public final class SSTableInventory {

  /**
   * A running plan and its inputs.
   *
   * @param level the level of its outputs
   * @param inputs the SSTables that it uses
   */
  private record Job(int level, Set<SSTableReader> inputs) {}

  /**
   * State of the SSTables at one instant.
   *
   * @param shape the input of plans: all SSTables that are live or being compacted, except suspect
   *     ones and those set aside
   * @param whole the same plus the SSTables set aside, shown as if they were being compacted
   * @param outlines the outlines of {@code whole}; slices have the same ids
   * @param readers by id, oldest first, the reader of each outline
   * @param free by id, oldest first, the readers of SSTables that are unused and can be claimed
   * @param idle every reader that could be claimed, including inputs of merges between two steps;
   *     each maps to itself
   */
  public record Snapshot(
      Shape shape,
      Shape whole,
      List<SSTableOutline<DecoratedKey>> outlines,
      Map<Long, SSTableReader> readers,
      Map<Long, SSTableReader> free,
      Map<SSTableReader, SSTableReader> idle) {

    /** Returns the outlines of each level, level 0 first, each level oldest first. */
    public SortedMap<Integer, List<SSTableOutline<DecoratedKey>>> byLevel() {
      return outlines.stream()
          .collect(Collectors.groupingBy(SSTableOutline::level, TreeMap::new, Collectors.toList()));
    }

    /**
     * Returns this snapshot with the merges requested by reads in its shapes, see {@link
     * Shape#requests}.
     */
    public Snapshot asking(Set<Long> requests) {
      return requests.isEmpty()
          ? this
          : new Snapshot(
              shape.requesting(requests),
              whole.requesting(requests),
              outlines,
              readers,
              free,
              idle);
    }

    /**
     * Returns the readers of SSTables in the order of the ids; empty if one of them is not free.
     */
    public Optional<List<SSTableReader>> readers(List<Long> ids) {
      List<SSTableReader> inputs = new ArrayList<>();
      for (long id : ids) {
        SSTableReader reader = free.get(id);
        if (reader == null) {
          return Optional.empty();
        }
        inputs.add(reader);
      }
      return Optional.of(inputs);
    }
  }

  private static final Comparator<SSTableReader> OLDEST_FIRST =
      Comparator.comparing(
              (SSTableReader sstable) -> sstable.descriptor.id, SSTableIdFactory.COMPARATOR)
          .thenComparing(sstable -> sstable.descriptor.directory.absolutePath());

  /**
   * All inputs of a snapshot except Cassandra's view.
   *
   * @param changes the number of changes that Cassandra has reported
   * @param merges ongoing merges
   * @param held the inputs and outputs of these merges
   * @param aside SSTables that plans must leave alone although they are unused
   */
  private record SnapshotInputs(
      long changes, List<Job> merges, Set<SSTableReader> held, Set<SSTableReader> aside) {}

  private final Map<SSTableReader, SSTableReader> sstables = new HashMap<>();
  private final List<Job> jobs = new ArrayList<>();

  /**
   * Counts of the files in the inventory, which never change, read by the first snapshot; empty for
   * a file with impossible counts.
   */
  private final Map<Descriptor, Optional<SSTableCounts>> counts = new HashMap<>();

  /** Number of changes of the SSTables that Cassandra has reported. */
  private long changes;

  /**
   * Cassandra's view of the last snapshot. A view stays the same object until something in it
   * changes. The reference is weak, because a view keeps flushed memtables in memory.
   */
  private WeakReference<View> seen = new WeakReference<>(null);

  /** The inputs of the last snapshot except Cassandra's view; null before the first snapshot. */
  private SnapshotInputs ground;

  private Snapshot drawn;

  /** Adds an SSTable; a newer reader of the same file replaces the older one. */
  public void add(SSTableReader sstable) {
    changes++;
    // Removed first, because a map keeps its old key when an equal one is put.
    sstables.remove(sstable);
    sstables.put(sstable, sstable);
  }

  /** Replaces the reader of an SSTable in the inventory; ignores other SSTables. */
  public void renew(SSTableReader sstable) {
    if (sstables.containsKey(sstable)) {
      add(sstable);
    }
  }

  public void remove(SSTableReader sstable) {
    changes++;
    sstables.remove(sstable);
    counts.remove(sstable.descriptor);
  }

  public boolean has(SSTableReader sstable) {
    return sstables.containsKey(sstable);
  }

  /** Returns exactly the SSTables that were added and not removed, in a new set. */
  public Set<SSTableReader> all() {
    return new HashSet<>(sstables.keySet());
  }

  /**
   * Returns a snapshot of the inventory. It is the same object while nothing has changed, because
   * Cassandra makes several requests in a row. The first one with an SSTable reads its counts from
   * the file.
   *
   * @param view Cassandra's present view, which tells the SSTables that are being compacted
   * @param ongoing ongoing merges; their inputs and outputs count as claimed
   * @param aside tests whether plans must leave an SSTable alone although it is unused
   */
  public Snapshot snapshot(View view, List<SteppedMerge> ongoing, Predicate<SSTableReader> aside) {
    List<Job> merges = new ArrayList<>();
    Set<SSTableReader> held = new HashSet<>();
    for (SteppedMerge merge : ongoing) {
      merges.add(new Job(merge.spec().level(), merge.inputs()));
      held.addAll(merge.members());
    }
    Set<SSTableReader> leftAlone = new HashSet<>();
    for (SSTableReader sstable : sstables.keySet()) {
      if (aside.test(sstable)) {
        leftAlone.add(sstable);
      }
    }
    SnapshotInputs now = new SnapshotInputs(changes, merges, held, leftAlone);
    if (!seen.refersTo(view) || !now.equals(ground) || anySuspect(drawn)) {
      drawn = draw(view, now);
      ground = now;
      seen = new WeakReference<>(view);
    }
    return drawn;
  }

  /**
   * Returns whether an SSTable of the snapshot has become suspect since. Cassandra marks a damaged
   * SSTable without a report, and a snapshot must exclude it.
   */
  private static boolean anySuspect(Snapshot drawn) {
    for (SSTableReader sstable : drawn.readers.values()) {
      if (sstable.isMarkedSuspect()) {
        return true;
      }
    }
    return false;
  }

  private Snapshot draw(View view, SnapshotInputs from) {
    Map<SSTableReader, SSTableReader> live = new HashMap<>();
    for (SSTableReader sstable : view.select(SSTableSet.LIVE)) {
      live.put(sstable, sstable);
    }
    Set<SSTableReader> idle = new HashSet<>();
    view.getUncompacting(sstables.keySet()).forEach(idle::add);
    jobs.removeIf(
        job ->
            job.inputs.stream()
                .noneMatch(input -> sstables.containsKey(input) && !idle.contains(input)));

    List<Job> underWay = new ArrayList<>(jobs);
    underWay.addAll(from.merges);
    List<SSTableReader> known = new ArrayList<>();
    Map<SSTableReader, SSTableReader> claimable = new HashMap<>();
    for (SSTableReader sstable : sstables.keySet()) {
      // The live reader of a compacting SSTable may start later; the reader in the inventory shows
      // all of it.
      SSTableReader reader = idle.contains(sstable) ? live.get(sstable) : sstable;
      if (reader != null && !reader.isMarkedSuspect()) {
        known.add(reader);
      }
    }
    known.sort(OLDEST_FIRST);
    List<SSTableOutline<DecoratedKey>> outlines = new ArrayList<>();
    List<SSTableOutline<DecoratedKey>> planned = new ArrayList<>();
    Map<Long, SSTableReader> readers = new LinkedHashMap<>();
    Map<Long, SSTableReader> free = new LinkedHashMap<>();
    Map<SSTableReader, Long> ids = new HashMap<>();
    List<SSTableCounts> ofKnown = new ArrayList<>();
    for (SSTableReader sstable : known) {
      counts
          .computeIfAbsent(sstable.descriptor, id -> SSTableCounts.of(sstable))
          .ifPresent(ofKnown::add);
    }
    SSTableCounts.Density density = SSTableCounts.Density.of(ofKnown);
    for (SSTableReader sstable : known) {
      long id = outlines.size() + 1L;
      if (idle.contains(sstable)) {
        claimable.put(sstable, sstable);
      }
      boolean used = !idle.contains(sstable) || from.held.contains(sstable);
      boolean claimed = used || from.aside.contains(sstable);
      outlines.add(outline(id, sstable, claimed, density));
      if (used || !claimed) {
        planned.add(outlines.get(outlines.size() - 1));
      }
      ids.put(sstable, id);
      readers.put(id, sstable);
      if (!claimed) {
        free.put(id, sstable);
      }
    }
    List<ShapeBuilder.Job> ranked = ranked(underWay, ids);
    Shape shape = ShapeBuilder.draw(planned, ranked);
    Shape whole = planned.size() == outlines.size() ? shape : ShapeBuilder.draw(outlines, ranked);
    return new Snapshot(shape, whole, outlines, readers, free, claimable);
  }

  /** Returns the outline of an unclaimed SSTable without its entries and deletions. */
  public static SSTableOutline<DecoratedKey> outline(long id, SSTableReader sstable) {
    return outline(id, sstable, false, new SSTableCounts.Deletions(0, 0, 0));
  }

  private SSTableOutline<DecoratedKey> outline(
      long id, SSTableReader sstable, boolean claimed, SSTableCounts.Density density) {
    return outline(
        id,
        sstable,
        claimed,
        counts
            .get(sstable.descriptor)
            .map(own -> own.deletions(density))
            .orElseGet(() -> new SSTableCounts.Deletions(sstable.estimatedKeys(), 0, 0)));
  }

  private static SSTableOutline<DecoratedKey> outline(
      long id, SSTableReader sstable, boolean claimed, SSTableCounts.Deletions deletions) {
    return new SSTableOutline<>(
        id,
        sstable.getFirst(),
        sstable.getLast(),
        level(sstable),
        sstable.onDiskLength(),
        deletions.entries(),
        deletions.deletions(),
        claimed,
        deletions.hidden());
  }

  /**
   * Returns the level in the metadata, capped at the deepest level of these strategies, because
   * other strategies may set a deeper one.
   */
  public static int level(SSTableReader sstable) {
    return Math.min(sstable.getSSTableLevel(), ShapeBuilder.DEEPEST_LEVEL);
  }

  /** Returns the deepest level of some SSTables, 0 without any. */
  public static int deepest(Collection<SSTableReader> sstables) {
    int level = 0;
    for (SSTableReader sstable : sstables) {
      level = Math.max(level, level(sstable));
    }
    return level;
  }

  private static List<ShapeBuilder.Job> ranked(List<Job> jobs, Map<SSTableReader, Long> ids) {
    List<ShapeBuilder.Job> ranked = new ArrayList<>();
    for (Job job : jobs) {
      Set<Long> inputs = new HashSet<>();
      for (SSTableReader input : job.inputs) {
        Long id = ids.get(input);
        if (id != null) {
          inputs.add(id);
        }
      }
      ranked.add(new ShapeBuilder.Job(job.level, inputs));
    }
    return ranked;
  }

  /**
   * Adds a plan whose inputs have been claimed. It ends by itself once none of them is compacting.
   *
   * @param level the level of its outputs
   * @param inputs the claimed SSTables, which are copied
   */
  public void started(int level, Collection<SSTableReader> inputs) {
    changes++;
    jobs.add(new Job(level, Set.copyOf(inputs)));
  }
}
