// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Chooses which inputs of a merge are merged first: all of them, or as many runs as space and
 * memory allow. The outputs of that round and the other inputs can be merged in a later one.
 *
 * <p>A step of a merge needs at most the bytes of one SSTable of each run, because a cut is the end
 * of an SSTable and a step reads no other SSTable of a run up to there. So a round whose widest
 * SSTables fit together ends within the limit, whatever cuts its steps take; and each round that
 * merges two runs leaves one run less. Merges therefore end, and nothing is written that no later
 * step can use.
 */
final class Rounds {

  /** Most runs that a merge reads at once: each takes buffers for an open SSTable. */
  static final int MOST_RUNS = 64;

  /** An SSTable; bytes on disk. */
  interface Sized<K> {
    K first();

    K last();

    long bytes();
  }

  private record Run<T>(List<T> members, long widest, long bytes) {}

  private Rounds() {}

  /**
   * Returns the inputs of the first round.
   *
   * @param limitBytes by how much the round may fill the disk, its files included
   * @param outputBytes the size of its outputs
   * @param whole true if the round has to be one step
   * @return empty if not even two runs fit, or a single run does not
   */
  static <K extends Comparable<? super K>, T extends Sized<K>> Optional<List<T>> take(
      List<T> inputs, long limitBytes, long outputBytes, boolean whole) {
    List<T> fitting = inputs.stream().filter(input -> input.bytes() <= limitBytes).toList();
    List<Run<T>> runs = runs(fitting);
    List<T> taken = new ArrayList<>();
    long bytes = 0;
    int count = 0;
    for (Run<T> run : runs) {
      long more = bytes + (whole ? run.bytes : run.widest);
      if (count == MOST_RUNS || needed(more, outputBytes) > limitBytes) {
        break;
      }
      taken.addAll(run.members);
      bytes = more;
      count++;
    }
    return count > 1 || taken.size() == inputs.size() ? Optional.of(taken) : Optional.empty();
  }

  /** Returns the limit that the smallest round of the inputs needs. */
  static <K extends Comparable<? super K>, T extends Sized<K>> long least(
      List<T> inputs, long outputBytes, boolean whole) {
    long bytes = 0;
    for (Run<T> run : runs(inputs).stream().limit(2).toList()) {
      bytes += whole ? run.bytes : run.widest;
    }
    return needed(bytes, outputBytes);
  }

  private static long needed(long bytes, long outputBytes) {
    return bytes + StepLimit.files(bytes, outputBytes) + StepLimit.FILES_BYTES;
  }

  /** Runs by ascending width. Any two of them overlap. */
  private static <K extends Comparable<? super K>, T extends Sized<K>> List<Run<T>> runs(
      List<T> inputs) {
    Map<Long, T> byId = new TreeMap<>();
    List<Outline<K>> outlines = new ArrayList<>();
    for (T input : inputs) {
      long id = byId.size();
      byId.put(id, input);
      outlines.add(new Outline<>(id, input.first(), input.last(), 0, 0, 0, 0, true));
    }
    List<Run<T>> runs = new ArrayList<>();
    for (List<Outline<K>> run : ShapeBuilder.colour(outlines)) {
      List<T> members = run.stream().map(outline -> byId.get(outline.id())).toList();
      long widest = members.stream().mapToLong(Sized::bytes).max().orElse(0);
      long bytes = members.stream().mapToLong(Sized::bytes).sum();
      runs.add(new Run<>(members, widest, bytes));
    }
    runs.sort(Comparator.comparingLong((Run<T> run) -> run.widest).thenComparingLong(Run::bytes));
    return runs;
  }
}
