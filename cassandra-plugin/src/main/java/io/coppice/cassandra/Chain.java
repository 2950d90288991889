// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.TimeUUID;

/**
 * One merge as a chain of steps, each a transaction of its own. Between two steps everything on
 * disk is a state that Cassandra could have come to by itself, so a chain may end at any of them;
 * what is left is planned anew.
 *
 * <p>The chain remembers, in memory only, up to which key its straddlers have been merged: their
 * <em>cursor</em>. A cursor is a promise that all up to there is in the outputs, so it counts only
 * while every output that reaches below it is live and untouched, which the next step makes sure
 * of. A forgotten cursor costs the reading of one SSTable from its start, a wrong one data; hence
 * none is ever written down.
 *
 * <p>Thread-safe. SSTables equal by descriptor are the same here, whichever reader stands for them.
 */
final class Chain {

  /**
   * What a merge is to do.
   *
   * @param level the level of its outputs
   * @param tableBytes outputs are cut once they exceed it; {@link Long#MAX_VALUE} means never
   * @param outputsAStep how many outputs a step should have; 0 means all
   * @param reason why, as part of a sentence
   */
  record Order(int level, long tableBytes, int outputsAStep, String reason) {

    /** The bytes that a step should read. */
    long stepBytes() {
      return Chain.stepBytes(tableBytes, outputsAStep);
    }
  }

  /** What a step of so many outputs reads; {@link Long#MAX_VALUE} where 0 stands for all. */
  static long stepBytes(long tableBytes, int outputsAStep) {
    return outputsAStep == 0 || tableBytes > Long.MAX_VALUE / outputsAStep
        ? Long.MAX_VALUE
        : tableBytes * outputsAStep;
  }

  private static final int MOST_PASSED_OVER = 3;

  // What comes next may be kept though all before was not.
  private static final double LEAST_KEPT = 0.1;

  // What claims an SSTable for longer is likely to rewrite it.
  private static final long MOST_WAITING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * How far an input has been merged.
   *
   * @param at the last key of it that is in outputs; empty if none is
   * @param steps the outputs of the steps that took it there
   */
  private record Cursor(Optional<DecoratedKey> at, Set<SSTableReader> steps) {

    static final Cursor NONE = new Cursor(Optional.empty(), Set.of());

    Cursor moved(DecoratedKey cut, Collection<SSTableReader> written) {
      Set<SSTableReader> all = new HashSet<>(steps);
      all.addAll(written);
      return new Cursor(Optional.of(cut), all);
    }
  }

  private final TimeUUID id = TimeUUID.Generator.nextTimeUUID();
  private final Order order;
  private final Map<SSTableReader, Cursor> cursors = new LinkedHashMap<>();
  private final Set<SSTableReader> outputs = new HashSet<>();

  // Inputs of later rounds.
  private final Set<SSTableReader> aside = new HashSet<>();
  private int steps;
  private volatile int shards = -1;
  private long readBytes;

  // Data on disk that steps between cuts have read and written.
  private long mergedBytes;
  private long keptBytes;
  private long filledBytes;
  private boolean running;
  private boolean givenUp;

  // How often other plans went first since its last step.
  private int passedOver;

  // Since when it has been waiting for what something else has claimed.
  private Long waitingSinceNanos;
  private Throwable failure;

  // How often tasks of what it began with had failed.
  private int earlierFailures;

  // The largest limit of space so far, and the options that it comes from.
  private Object limitedBy = "";
  private long limit;

  Chain(Order order, Collection<SSTableReader> inputs) {
    this.order = order;
    inputs.forEach(input -> cursors.put(input, Cursor.NONE));
  }

  TimeUUID id() {
    return id;
  }

  Order order() {
    return order;
  }

  /** Inputs that no step has consumed. */
  synchronized Set<SSTableReader> inputs() {
    Set<SSTableReader> inputs = new HashSet<>(cursors.keySet());
    inputs.addAll(aside);
    return inputs;
  }

  /** Returns whether the round under way reads the input. */
  synchronized boolean takes(SSTableReader input) {
    return cursors.containsKey(input);
  }

  /** Leaves inputs that no step has read to a later round, see {@link Rounds}. */
  synchronized void putAside(Collection<SSTableReader> inputs) {
    cursors.keySet().removeAll(inputs);
    aside.addAll(inputs);
  }

  /** Returns whether rounds follow the one under way. */
  synchronized boolean hasLaterRounds() {
    return !aside.isEmpty();
  }

  /**
   * Begins the next round if the one under way has ended: its outputs are inputs now, as is what
   * was put aside.
   *
   * @return false if the round has not ended or is the last
   */
  synchronized boolean beginsNextRound() {
    if (!cursors.isEmpty() || aside.isEmpty()) {
      return false;
    }
    outputs.forEach(output -> cursors.put(output, Cursor.NONE));
    aside.forEach(input -> cursors.put(input, Cursor.NONE));
    outputs.clear();
    aside.clear();
    return true;
  }

  /** True if any of its inputs is so; asks no further than the first. */
  synchronized boolean hasAny(Predicate<SSTableReader> so) {
    return inputs().stream().anyMatch(so);
  }

  /** Everything that plans should leave alone until the chain ends; nothing once it has. */
  synchronized Set<SSTableReader> members() {
    Set<SSTableReader> members = inputs();
    if (!members.isEmpty()) {
      members.addAll(outputs);
    }
    return members;
  }

  synchronized Optional<DecoratedKey> cursor(SSTableReader input) {
    return cursors.getOrDefault(input, Cursor.NONE).at;
  }

  /** The outputs that a cursor relies on: those of its steps that may hold keys of the input. */
  synchronized List<SSTableReader> witnesses(SSTableReader input) {
    List<SSTableReader> witnesses = new ArrayList<>();
    for (SSTableReader output : cursors.getOrDefault(input, Cursor.NONE).steps) {
      if (input.getFirst().compareTo(output.getLast()) <= 0) {
        witnesses.add(output);
      }
    }
    return witnesses;
  }

  /** Its next step will read the input from its start, and relies on no earlier output. */
  synchronized void forget(SSTableReader input) {
    cursors.replace(input, Cursor.NONE);
  }

  /** Something else has the input. */
  synchronized void leave(SSTableReader input) {
    cursors.remove(input);
    aside.remove(input);
  }

  /** A step is about to commit these; until it has they are nobody else's either. */
  synchronized void expect(Collection<SSTableReader> written) {
    outputs.addAll(written);
  }

  /** A step has been committed. */
  synchronized void stepped(
      DecoratedKey cut,
      Collection<SSTableReader> consumed,
      Collection<SSTableReader> straddlers,
      Collection<SSTableReader> written,
      long bytes) {
    cursors.keySet().removeAll(consumed);
    straddlers.forEach(
        straddler -> cursors.computeIfPresent(straddler, (same, at) -> at.moved(cut, written)));
    outputs.addAll(written);
    stepped(bytes);
  }

  /**
   * What a step between two cuts has come to on disk.
   *
   * @param read data that it has read
   * @param written data that it has written
   */
  synchronized void weighed(long read, long written) {
    mergedBytes += read;
    keptBytes += written;
  }

  /** A step has written files of so many bytes and let go of so many. */
  synchronized void filled(long written, long freed) {
    filledBytes += written - freed;
  }

  /** By how much it has filled the disk; below 0 if more has gone than come. */
  synchronized long filledBytes() {
    return filledBytes;
  }

  /** Which share of what they read its steps have written, above 0; 1 before the first. */
  synchronized double kept() {
    return mergedBytes == 0
        ? 1
        : Math.min(1, Math.max(LEAST_KEPT, (double) keptBytes / mergedBytes));
  }

  private void stepped(long bytes) {
    readBytes += bytes;
    steps++;
    passedOver = 0;
    waitingSinceNanos = null;
  }

  /**
   * The rest of an input has been rewritten, and that has been committed.
   *
   * @param pieces are inputs from now on
   */
  synchronized void trimmed(SSTableReader input, Collection<SSTableReader> pieces, long bytes) {
    cursors.remove(input);
    pieces.forEach(piece -> cursors.put(piece, Cursor.NONE));
    outputs.removeAll(pieces);
    stepped(bytes);
  }

  /**
   * The largest limit of space since its options last changed.
   *
   * @param options what the limit follows from, besides the bytes that are live
   */
  synchronized long atLeast(Object options, long now) {
    limit = options.equals(limitedBy) ? Math.max(limit, now) : now;
    limitedBy = options;
    return limit;
  }

  /**
   * Something else has claimed an input, or an output that a cursor relies on.
   *
   * @return false once it has waited for that long enough
   */
  synchronized boolean waits(long nowNanos) {
    if (waitingSinceNanos == null) {
      waitingSinceNanos = nowNanos;
    }
    return nowNanos - waitingSinceNanos < MOST_WAITING_NANOS;
  }

  /** It waits for nothing now: what it waits for next it waits for anew. */
  synchronized void waitsNoMore() {
    waitingSinceNanos = null;
  }

  /**
   * Into how many shards its outputs are cut; counted once, so that all its steps agree. For the
   * step under way, of which there is one.
   */
  int shards(ToIntFunction<Order> count) {
    // Counting reads files, and whoever plans for the table asks all merges something.
    if (shards < 0) {
      shards = count.applyAsInt(order);
    }
    return shards;
  }

  synchronized int steps() {
    return steps;
  }

  /** What its steps have read, uncompressed. */
  synchronized long readBytes() {
    return readBytes;
  }

  synchronized boolean finished() {
    return cursors.isEmpty() && aside.isEmpty();
  }

  synchronized boolean running() {
    return running;
  }

  synchronized void run(boolean now) {
    running = now;
  }

  /** Ends it at the next boundary. */
  synchronized void giveUp() {
    givenUp = true;
  }

  synchronized boolean givenUp() {
    return givenUp;
  }

  /** Ends it because something has gone wrong that is likely to go wrong again. */
  synchronized void fail(Throwable cause) {
    givenUp = true;
    failure = cause;
  }

  /** Before its first step: how often tasks of its inputs have failed. */
  synchronized void failedBefore(int failures) {
    earlierFailures = failures;
  }

  synchronized int earlierFailures() {
    return earlierFailures;
  }

  /** What has gone wrong, if anything; told once. */
  synchronized Optional<Throwable> takeFailure() {
    Optional<Throwable> taken = Optional.ofNullable(failure);
    failure = null;
    return taken;
  }

  /** Something else went first. */
  synchronized void passOver() {
    passedOver++;
  }

  /** True if other things went first so often that it is its turn. */
  synchronized boolean due() {
    return passedOver >= MOST_PASSED_OVER;
  }
}
