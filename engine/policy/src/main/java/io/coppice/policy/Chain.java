// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Streams one after the other, each made only when those before it are used up. {@link
 * Stream#flatMap} is lazy too, but not inside another one: there a stream is used up for its first
 * element, and a question for the next plan would make every wish of a level.
 */
final class Chain<T> extends AbstractSpliterator<Wish> {

  private final Spliterator<T> items;
  private final Function<T, Stream<Wish>> wishes;
  private @Nullable Spliterator<Wish> current;

  private Chain(Spliterator<T> items, Function<T, Stream<Wish>> wishes) {
    super(Long.MAX_VALUE, ORDERED | NONNULL);
    this.items = items;
    this.wishes = wishes;
  }

  /** The wishes of each item in turn. */
  static <T> Stream<Wish> of(Stream<T> items, Function<T, Stream<Wish>> wishes) {
    return StreamSupport.stream(new Chain<>(items.spliterator(), wishes), false);
  }

  @Override
  public boolean tryAdvance(Consumer<? super Wish> action) {
    while (current == null || !current.tryAdvance(action)) {
      if (!items.tryAdvance(item -> current = wishes.apply(item).spliterator())) {
        return false;
      }
    }
    return true;
  }
}
