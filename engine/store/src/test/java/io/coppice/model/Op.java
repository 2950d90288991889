// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import io.coppice.base.Durability;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One operation on a store. Its text is one line, and {@link #parse} reads what {@link #toString}
 * writes. Fields that a kind does not use are at their defaults.
 *
 * @param slot of the snapshot or cursor; for reads the snapshot to be read, or {@link #NONE}
 * @param key the number of a key
 * @param from the number of the first key of a range, or {@link #NONE} for no bound
 * @param to the number of the key that ends a range, exclusive, or {@link #NONE}
 * @param place where a walk begins
 * @param moves of a walk: n for next, p for prev
 * @param changes of a batch in order; of a put or delete the only one
 * @param number a count of steps, an index, or a seed
 */
public record Op(
    Kind kind,
    int slot,
    int key,
    int from,
    int to,
    Place place,
    String moves,
    List<Change> changes,
    Durability durability,
    long number) {

  /** No slot, no bound. */
  public static final int NONE = -1;

  private static final Op EMPTY =
      new Op(Kind.FLUSH, NONE, 0, NONE, NONE, Place.FIRST, "", List.of(), Durability.BUFFERED, 0);

  /** What is done. */
  public enum Kind {
    /** Changes, all or nothing. */
    WRITE,
    /** One key. */
    GET,
    /** Many keys at once; their numbers are those of the changes. */
    GET_ALL,
    /**
     * One change, if the value is what is expected: nothing there (number 0), what is there (1), or
     * something else (2).
     */
    CAS,
    /** A cursor opened, moved and closed. */
    WALK,
    /** Every entry of a range. */
    SCAN,
    /** Opens a snapshot in a free slot. */
    SNAPSHOT,
    /** Closes a snapshot. */
    RELEASE,
    /** Opens a cursor in a free slot, to stay open over further operations. */
    OPEN,
    /** Moves an open cursor. */
    MOVE,
    /** Closes an open cursor. */
    CLOSE,
    /** Memory to tables. */
    FLUSH,
    /** Everything into one run. */
    COMPACT,
    /** Everything durable. */
    SYNC,
    /** So many plans of the policy. */
    STEP,
    /** Background work until there is none left, which takes a bounded number of steps. */
    SETTLE,
    /** No plans of its own accord; merges under way end soon (number 0) or at once (1). */
    PAUSE,
    /** Ends a pause. */
    RESUME,
    /** Another policy. */
    POLICY,
    /** Closes and opens again. */
    REOPEN,
    /** Closes, and opens with other options. */
    OPTIONS,
    /** Time passes, in milliseconds; everything is durable then. */
    TIME,
    /** Opens a copy of what a dying process would leave, for reading, and compares all of it. */
    READ_ONLY,
    /** Makes a checkpoint of a store in memory, and compares all of it. */
    CHECKPOINT,
    /** The process dies. */
    KILL,
    /** The power fails. */
    CRASH;

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Where a walk begins. */
  public enum Place {
    /** At the first key. */
    FIRST,
    /** At the last key. */
    LAST,
    /** At or after a key. */
    SEEK,
    /** At or before a key. */
    BEFORE,
    /** Where an open cursor stands; one that stands nowhere stays there. */
    HERE
  }

  /** Whether it changes the contents. */
  public boolean writes() {
    return kind == Kind.WRITE || kind == Kind.CAS;
  }

  /** What a comparison expects, given the value that is there. */
  public static byte[] expected(long number, byte[] present) {
    if (number == 0) {
      return null;
    }
    return number == 1 ? present : present == null ? new byte[0] : new byte[present.length + 1];
  }

  /** Copies what is given. */
  public Op {
    changes = List.copyOf(changes);
  }

  /** An operation that needs no figures. */
  public static Op of(Kind kind) {
    return of(kind, 0);
  }

  /** An operation with a count, an index or a seed. */
  public static Op of(Kind kind, long number) {
    return EMPTY.with(kind, NONE, number);
  }

  private Op with(Kind newKind, int newSlot, long newNumber) {
    return new Op(newKind, newSlot, key, from, to, place, moves, changes, durability, newNumber);
  }

  /** Changes, all or nothing. */
  public static Op write(List<Change> changes, Durability durability) {
    return new Op(Kind.WRITE, NONE, 0, NONE, NONE, Place.FIRST, "", changes, durability, 0);
  }

  /** One key, of a snapshot or of now. */
  public static Op get(int slot, int key) {
    return EMPTY.with(Kind.GET, slot, 0).at(Place.FIRST, key, "");
  }

  /** Many keys at once, of a snapshot or of now. */
  public static Op getAll(int slot, List<Integer> keys) {
    return EMPTY
        .with(Kind.GET_ALL, slot, 0)
        .withChanges(keys.stream().map(Change::delete).toList());
  }

  /** One change under a condition; see {@link Kind#CAS}. */
  public static Op cas(long number, Change change, Durability durability) {
    return new Op(
        Kind.CAS, NONE, 0, NONE, NONE, Place.FIRST, "", List.of(change), durability, number);
  }

  /** Every entry of a range. */
  public static Op scan(int slot, int from, int to) {
    return EMPTY.with(Kind.SCAN, slot, 0).inside(from, to);
  }

  /** A cursor opened in a range, moved and closed. */
  public static Op walk(int slot, int from, int to, Place place, int key, String moves) {
    return EMPTY.with(Kind.WALK, slot, 0).inside(from, to).at(place, key, moves);
  }

  /** Opens a cursor on a range, of a snapshot ({@code number}, or NONE) into a slot. */
  public static Op open(int slot, int snapshot, int from, int to) {
    return EMPTY.with(Kind.OPEN, slot, snapshot).inside(from, to);
  }

  /** Moves an open cursor. */
  public static Op move(int slot, Place place, int key, String moves) {
    return EMPTY.with(Kind.MOVE, slot, 0).at(place, key, moves);
  }

  /** An operation on a slot alone: snapshot, release, close. */
  public static Op slot(Kind kind, int slot) {
    return EMPTY.with(kind, slot, 0);
  }

  private Op inside(int newFrom, int newTo) {
    return new Op(kind, slot, key, newFrom, newTo, place, moves, changes, durability, number);
  }

  private Op at(Place newPlace, int newKey, String newMoves) {
    return new Op(kind, slot, newKey, from, to, newPlace, newMoves, changes, durability, number);
  }

  /** With other changes. */
  public Op withChanges(List<Change> others) {
    return new Op(kind, slot, key, from, to, place, moves, others, durability, number);
  }

  /** Forms of it that say less, the least first. */
  List<Op> simpler() {
    Op open = inside(NONE, NONE);
    Op still = at(place, key, "");
    Op usual =
        new Op(kind, slot, key, from, to, place, moves, changes, Durability.BUFFERED, least());
    boolean reads = kind == Kind.GET || kind == Kind.WALK || kind == Kind.GET_ALL;
    Op strong = reads ? scan(slot, NONE, NONE) : kind == Kind.STEP ? of(Kind.COMPACT) : this;
    return List.of(strong, open, still, usual);
  }

  private long least() {
    return switch (kind) {
      case OPEN -> NONE;
      case STEP -> 1;
      default -> 0;
    };
  }

  Op withoutTime() {
    return kind == Kind.TIME
        ? of(Kind.SYNC)
        : withChanges(changes.stream().map(Change::withoutEnd).toList());
  }

  /** With values of a byte each, or none. */
  Op withSmallValues() {
    return withChanges(changes.stream().map(Change::withSmallValue).toList());
  }

  /** With each key number replaced; bounds stay in order. */
  Op mapKeys(IntUnaryOperator map) {
    int newFrom = from == NONE ? NONE : map.applyAsInt(from);
    int newTo = to == NONE ? NONE : map.applyAsInt(to);
    List<Change> mapped =
        changes.stream()
            .map(
                change ->
                    change.withKeys(
                        map.applyAsInt(change.key()),
                        change.to() == NONE ? NONE : map.applyAsInt(change.to())))
            .toList();
    return new Op(
        kind, slot, map.applyAsInt(key), newFrom, newTo, place, moves, mapped, durability, number);
  }

  /** Every key number in it. */
  Stream<Integer> keys() {
    Stream<Integer> changed = changes.stream().flatMap(one -> Stream.of(one.key(), one.to()));
    return Stream.concat(Stream.of(key, from, to), changed).filter(number -> number != NONE);
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(" ");
    text.add(kind.word());
    switch (kind) {
      case WRITE ->
          text.add(durability.name().toLowerCase(Locale.ROOT))
              .add(changes.stream().map(Change::toString).collect(Collectors.joining(", ")));
      case GET_ALL -> {
        text.add(String.valueOf(slot));
        changes.forEach(change -> text.add(String.valueOf(change.key())));
      }
      case CAS ->
          text.add(String.valueOf(number))
              .add(durability.name().toLowerCase(Locale.ROOT))
              .add(changes.get(0).toString());
      case GET -> text.add(String.valueOf(slot)).add(String.valueOf(key));
      case SCAN -> text.add(String.valueOf(slot)).add(String.valueOf(from)).add(String.valueOf(to));
      case WALK ->
          text.add(String.valueOf(slot))
              .add(String.valueOf(from))
              .add(String.valueOf(to))
              .add(place.name().toLowerCase(Locale.ROOT))
              .add(String.valueOf(key))
              .add(moves);
      case OPEN ->
          text.add(String.valueOf(slot))
              .add(String.valueOf(number))
              .add(String.valueOf(from))
              .add(String.valueOf(to));
      case MOVE ->
          text.add(String.valueOf(slot))
              .add(place.name().toLowerCase(Locale.ROOT))
              .add(String.valueOf(key))
              .add(moves);
      case SNAPSHOT, RELEASE, CLOSE -> text.add(String.valueOf(slot));
      case STEP, PAUSE, POLICY, OPTIONS, TIME, CRASH -> text.add(String.valueOf(number));
      default -> {}
    }
    return text.toString().trim();
  }

  /** Reads one line. */
  public static Op parse(String line) {
    String[] words = line.trim().split(" ");
    Kind kind = Kind.valueOf(words[0].toUpperCase(Locale.ROOT));
    return switch (kind) {
      case WRITE ->
          write(
              words.length == 2
                  ? List.of()
                  : Stream.of(line.trim().split(" ", 3)[2].split(",")).map(Change::parse).toList(),
              Durability.valueOf(words[1].toUpperCase(Locale.ROOT)));
      case GET_ALL ->
          getAll(integer(words, 1), Stream.of(words).skip(2).map(Integer::valueOf).toList());
      case CAS ->
          cas(
              integer(words, 1),
              Change.parse(line.trim().split(" ", 4)[3]),
              Durability.valueOf(words[2].toUpperCase(Locale.ROOT)));
      case GET -> get(integer(words, 1), integer(words, 2));
      case SCAN -> scan(integer(words, 1), integer(words, 2), integer(words, 3));
      case WALK ->
          walk(
              integer(words, 1),
              integer(words, 2),
              integer(words, 3),
              place(words[4]),
              integer(words, 5),
              words.length > 6 ? words[6] : "");
      case OPEN -> open(integer(words, 1), integer(words, 2), integer(words, 3), integer(words, 4));
      case MOVE ->
          move(
              integer(words, 1),
              place(words[2]),
              integer(words, 3),
              words.length > 4 ? words[4] : "");
      case SNAPSHOT, RELEASE, CLOSE -> slot(kind, integer(words, 1));
      case STEP, PAUSE, POLICY, OPTIONS, TIME, CRASH -> of(kind, Long.parseLong(words[1]));
      default -> of(kind);
    };
  }

  private static int integer(String[] words, int index) {
    return Integer.parseInt(words[index]);
  }

  private static Place place(String word) {
    return Place.valueOf(word.toUpperCase(Locale.ROOT));
  }
}
