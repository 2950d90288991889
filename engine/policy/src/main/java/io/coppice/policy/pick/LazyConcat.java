// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lazy concatenation of streams. It makes each stream only when those before it are exhausted.
 * {@link Stream#flatMap} is lazy at the top level but not inside another one: there it drains the
 * inner stream for its first element. A request for the next plan would then compute every
 * candidate plan of a level. Consumed by one thread.
 */
public final class LazyConcat<T> extends AbstractSpliterator<CandidatePlan> {

  private final Spliterator<T> items;
  private final Function<T, Stream<CandidatePlan>> candidates;
  private @Nullable Spliterator<CandidatePlan> current;

  private LazyConcat(Spliterator<T> items, Function<T, Stream<CandidatePlan>> candidates) {
    super(Long.MAX_VALUE, ORDERED | NONNULL);
    this.items = items;
    this.candidates = candidates;
  }

  /** Returns the candidate plans of each item, in the order of the items. */
  public static <T> Stream<CandidatePlan> of(
      Stream<T> items, Function<T, Stream<CandidatePlan>> candidates) {
    return StreamSupport.stream(new LazyConcat<>(items.spliterator(), candidates), false);
  }

  @Override
  public boolean tryAdvance(Consumer<? super CandidatePlan> action) {
    while (current == null || !current.tryAdvance(action)) {
      if (!items.tryAdvance(item -> current = candidates.apply(item).spliterator())) {
        return false;
      }
    }
    return true;
  }
}
