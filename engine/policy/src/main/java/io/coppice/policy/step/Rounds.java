// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Rounds of a merge, and the choice of the inputs of the first one: all of them, or as many runs as
 * space and memory allow. A later round can merge the outputs of this one with the other inputs.
 *
 * <p>A step needs at most the bytes of one SSTable per run. A cut is the end of an SSTable, and up
 * to that key the step reads one SSTable of each run. A round whose largest SSTables fit together
 * therefore ends within the limit, wherever its steps cut. Each round of at least two runs leaves
 * fewer runs. Merges therefore end, and every output is useful to a later step.
 */
public final class Rounds {

  /** Most runs that a merge reads at once, because each needs buffers for an open SSTable. */
  public static final int MAX_RUNS = 64;

  /** An SSTable with its key range, inclusive, and its bytes on disk. Immutable. */
  public interface Sized<K> {
    K first();

    K last();

    long bytes();
  }

  private record Run<T>(List<T> members, long widest, long bytes) {}

  private Rounds() {}

  /**
   * Returns the inputs of the first round.
   *
   * @param limitBytes limit on the transient bytes of the round, including its files
   * @param outputBytes the size of its outputs
   * @param whole whether the round must be one step
   * @return empty unless at least two runs fit, or all inputs do
   */
  public static <K extends Comparable<? super K>, T extends Sized<K>> Optional<List<T>> take(
      List<T> inputs, long limitBytes, long outputBytes, boolean whole) {
    List<T> fitting = inputs.stream().filter(input -> input.bytes() <= limitBytes).toList();
    List<Run<T>> runs = runs(fitting);
    List<T> taken = new ArrayList<>();
    long bytes = 0;
    int count = 0;
    for (Run<T> run : runs) {
      long more = bytes + (whole ? run.bytes : run.widest);
      if (count == MAX_RUNS || needed(more, outputBytes) > limitBytes) {
        break;
      }
      taken.addAll(run.members);
      bytes = more;
      count++;
    }
    return count > 1 || taken.size() == inputs.size() ? Optional.of(taken) : Optional.empty();
  }

  /** Returns the limit that the smallest round of the inputs needs, in bytes. */
  public static <K extends Comparable<? super K>, T extends Sized<K>> long minLimitBytes(
      List<T> inputs, long outputBytes, boolean whole) {
    long bytes = 0;
    for (Run<T> run : runs(inputs).stream().limit(2).toList()) {
      bytes += whole ? run.bytes : run.widest;
    }
    return needed(bytes, outputBytes);
  }

  private static long needed(long bytes, long outputBytes) {
    return bytes + UsableFreeSpace.files(bytes, outputBytes) + UsableFreeSpace.FILES_BYTES;
  }

  /** Returns the runs, ordered by the size of their largest SSTable. Any two of them overlap. */
  private static <K extends Comparable<? super K>, T extends Sized<K>> List<Run<T>> runs(
      List<T> inputs) {
    List<Run<T>> runs = new ArrayList<>();
    for (List<T> members : DisjointRuns.of(inputs, Sized::first, Sized::last)) {
      long widest = members.stream().mapToLong(Sized::bytes).max().orElse(0);
      long bytes = members.stream().mapToLong(Sized::bytes).sum();
      runs.add(new Run<>(members, widest, bytes));
    }
    runs.sort(Comparator.comparingLong((Run<T> run) -> run.widest).thenComparingLong(Run::bytes));
    return runs;
  }
}
