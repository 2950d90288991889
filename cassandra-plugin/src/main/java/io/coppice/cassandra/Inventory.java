// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

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
import java.util.function.Predicate;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.db.lifecycle.View;
import org.apache.cassandra.io.sstable.SSTableIdFactory;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * The SSTables of one strategy instance and the plans under way among them. Cassandra may report an
 * SSTable twice, or again as another reader of the same file; both leave one entry, the newest
 * reader. A plan is under way while one of its inputs is being compacted, so nobody has to report
 * its end. Guarded by its strategy.
 */
final class Inventory {

  /** A plan under way: the level of its outputs, and what it uses. */
  private record Job(int level, Set<SSTableReader> inputs) {}

  /**
   * One instant of the table.
   *
   * @param shape all SSTables that are live or being compacted, but for suspect ones and those put
   *     aside: what plans are made from
   * @param whole the same with those put aside, as if they were being compacted
   * @param outlines what it was drawn from; slices carry their ids
   * @param readers by id, oldest first, what the outlines were drawn from
   * @param free by id, oldest first, the reader by which an SSTable that nothing uses can be
   *     claimed
   * @param idle all readers that could be claimed, those of chains between two steps included, by
   *     themselves
   */
  record Snapshot(
      Shape shape,
      Shape whole,
      List<Outline<DecoratedKey>> outlines,
      Map<Long, SSTableReader> readers,
      Map<Long, SSTableReader> free,
      Map<SSTableReader, SSTableReader> idle) {

    /** The same instant with what reads asked for. */
    Snapshot asking(Set<Long> requests) {
      return requests.isEmpty()
          ? this
          : new Snapshot(
              asking(shape, requests), asking(whole, requests), outlines, readers, free, idle);
    }

    private static Shape asking(Shape shape, Set<Long> requests) {
      return new Shape(shape.rule(), shape.levels(), shape.jobs(), requests);
    }

    /** The readers of SSTables, in the order of the ids; empty if one of them is not free. */
    Optional<List<SSTableReader>> readers(List<Long> ids) {
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
   * What a snapshot is drawn from, beside the view.
   *
   * @param changes of what was reported so far
   * @param merges that have begun and not ended
   * @param held what they use or made
   * @param aside what plans should leave alone, though nothing uses it
   */
  private record Ground(
      long changes, List<Job> merges, Set<SSTableReader> held, Set<SSTableReader> aside) {}

  private final Map<SSTableReader, SSTableReader> sstables = new HashMap<>();
  private final List<Job> jobs = new ArrayList<>();

  /** Goes on with each report. */
  private long changes;

  /**
   * Of the snapshot that was drawn last. A view stays the same object until something in it
   * changes; held weakly, as it would keep memtables in memory that were flushed.
   */
  private WeakReference<View> seen = new WeakReference<>(null);

  /** The same; null before the first. */
  private Ground ground;

  private Snapshot drawn;

  void add(SSTableReader sstable) {
    changes++;
    // A map keeps the old key when an equal one is put.
    sstables.remove(sstable);
    sstables.put(sstable, sstable);
  }

  /** Takes another reader of an SSTable that it has; others are passed over. */
  void renew(SSTableReader sstable) {
    if (sstables.containsKey(sstable)) {
      add(sstable);
    }
  }

  void remove(SSTableReader sstable) {
    changes++;
    sstables.remove(sstable);
  }

  boolean has(SSTableReader sstable) {
    return sstables.containsKey(sstable);
  }

  /** Exactly the SSTables that were added and not removed. */
  Set<SSTableReader> all() {
    return new HashSet<>(sstables.keySet());
  }

  /**
   * Looks at one instant of the table and draws it, unless it is as it was the last time: Cassandra
   * asks several questions in a row.
   *
   * @param chains merges that have begun and not ended; what they use or made counts as claimed
   * @param aside says what plans should leave alone, though nothing uses it
   */
  Snapshot snapshot(View view, List<Chain> chains, Predicate<SSTableReader> aside) {
    List<Job> merges = new ArrayList<>();
    Set<SSTableReader> held = new HashSet<>();
    for (Chain chain : chains) {
      merges.add(new Job(chain.order().level(), chain.inputs()));
      held.addAll(chain.members());
    }
    Set<SSTableReader> leftAlone = new HashSet<>();
    for (SSTableReader sstable : sstables.keySet()) {
      if (aside.test(sstable)) {
        leftAlone.add(sstable);
      }
    }
    Ground now = new Ground(changes, merges, held, leftAlone);
    if (!seen.refersTo(view) || !now.equals(ground) || anySuspect(drawn)) {
      drawn = draw(view, now);
      ground = now;
      seen = new WeakReference<>(view);
    }
    return drawn;
  }

  /** A drawing has none of them; who finds an SSTable damaged tells only the SSTable. */
  private static boolean anySuspect(Snapshot drawn) {
    for (SSTableReader sstable : drawn.readers.values()) {
      if (sstable.isMarkedSuspect()) {
        return true;
      }
    }
    return false;
  }

  private Snapshot draw(View view, Ground from) {
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
      // What is compacted may be live as a clone that starts later; only ours shows all of it.
      SSTableReader reader = idle.contains(sstable) ? live.get(sstable) : sstable;
      if (reader != null && !reader.isMarkedSuspect()) {
        known.add(reader);
      }
    }
    known.sort(OLDEST_FIRST);
    List<Outline<DecoratedKey>> outlines = new ArrayList<>();
    List<Outline<DecoratedKey>> planned = new ArrayList<>();
    Map<Long, SSTableReader> readers = new LinkedHashMap<>();
    Map<Long, SSTableReader> free = new LinkedHashMap<>();
    Map<SSTableReader, Long> ids = new HashMap<>();
    for (SSTableReader sstable : known) {
      long id = outlines.size() + 1L;
      if (idle.contains(sstable)) {
        claimable.put(sstable, sstable);
      }
      boolean used = !idle.contains(sstable) || from.held.contains(sstable);
      boolean claimed = used || from.aside.contains(sstable);
      outlines.add(outline(id, sstable, claimed));
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

  /** What a drawing has of an SSTable. */
  static Outline<DecoratedKey> outline(long id, SSTableReader sstable, boolean claimed) {
    double tombstones = sstable.getSSTableMetadata().getDroppableTombstonesBefore(Long.MAX_VALUE);
    return new Outline<>(
        id,
        sstable.getFirst(),
        sstable.getLast(),
        level(sstable),
        sstable.onDiskLength(),
        Math.max(0, sstable.getTotalRows()),
        Math.round(tombstones),
        claimed);
  }

  /** The level in its metadata, which no other strategy makes deeper than ours can. */
  static int level(SSTableReader sstable) {
    return Math.min(sstable.getSSTableLevel(), ShapeBuilder.DEEPEST_LEVEL);
  }

  /** The deepest level among some. */
  static int deepest(Collection<SSTableReader> sstables) {
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

  /** Notes a plan whose inputs have been claimed. */
  void started(int level, Collection<SSTableReader> inputs) {
    changes++;
    jobs.add(new Job(level, Set.copyOf(inputs)));
  }
}
