// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import io.coppice.base.Durability;
import io.coppice.model.Op.Kind;
import io.coppice.model.Op.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Draws loads: the same seed, the same load, on every machine and JDK. */
public final class Generator {

  private static final int MAX_CHANGES = 12;
  private static final int MAX_MOVES = 12;
  private static final int NEAR = 8;

  /** Range deletions of the one large batch of a load. */
  private static final int MAX_CLEARS = 20_000;

  /** One of so many writes of {@link Profile#HOT} is that batch, on average. */
  private static final int CLEARS_EACH = 200;

  private final Profile profile;
  private final Random random;
  private final Kind[] kinds = Kind.values();
  private final int total;
  private int lastKey;
  private long values;

  /** Of {@link Profile#SIZES}: values until the next sizes are drawn, and these. */
  private int sizesLeft;

  private int maxBytes;
  private int percentCompressed;

  /** Operations until snapshots and cursors may be opened again, or may not. */
  private int phase;

  private boolean holding;

  /** True once the load has its batch of many range deletions. */
  private boolean cleared;

  private Generator(Profile profile, Random random) {
    this.profile = profile;
    this.random = random;
    int sum = 0;
    for (Kind kind : kinds) {
      sum += profile.weight(kind);
    }
    this.total = sum;
  }

  /** So many operations. */
  public static Load load(Profile profile, long seed, int count) {
    Generator generator = new Generator(profile, new Random(seed * 31 + profile.ordinal()));
    List<Op> ops = new ArrayList<>(count);
    while (ops.size() < count) {
      generator.add(ops);
    }
    generator.end(ops);
    return new Load(profile + "-" + seed, Keys.BINARY, ops);
  }

  /** Nothing is held open for long, so that a crash beside the load finds its time. */
  private void add(List<Op> ops) {
    if (phase-- == 0) {
      holding = !holding;
      phase = 50 + random.nextInt(holding ? 600 : 200);
      if (!holding) {
        letGo(ops);
      }
    }
    Kind kind = kind();
    if (holding && kind == Kind.MOVE && profile == Profile.READS && random.nextBoolean()) {
      turn(ops);
      return;
    }
    if (holding || (kind != Kind.SNAPSHOT && kind != Kind.OPEN)) {
      ops.add(op(kind));
    }
  }

  /** Keys are put beside an open cursor, which then turns. */
  private void turn(List<Op> ops) {
    boolean back = random.nextBoolean();
    int slot = slot();
    int key = key();
    if (random.nextBoolean()) {
      // An older cursor lacks the memtable that takes the keys, if that began later.
      ops.add(Op.slot(Kind.CLOSE, slot));
      ops.add(Op.open(slot, Op.NONE, Op.NONE, Op.NONE));
    }
    ops.add(Op.move(slot, back ? Place.BEFORE : Place.SEEK, key, ""));
    for (int i = random.nextInt(3); i >= 0; i--) {
      int beside = key + (back ? -random.nextInt(NEAR) : random.nextInt(NEAR));
      Change put = Change.put(Math.floorMod(beside, profile.keys), value());
      ops.add(Op.write(List.of(put), durability()));
    }
    ops.add(Op.move(slot, Place.HERE, 0, (back ? "n" : "p") + moves()));
  }

  private static void letGo(List<Op> ops) {
    for (int slot = 0; slot < Subject.SLOTS; slot++) {
      ops.add(Op.slot(Kind.RELEASE, slot));
      ops.add(Op.slot(Kind.CLOSE, slot));
    }
  }

  /** At the end all is looked at. */
  private void end(List<Op> ops) {
    ops.add(Op.scan(Op.NONE, Op.NONE, Op.NONE));
    ops.add(Op.of(Kind.REOPEN));
    ops.add(Op.scan(Op.NONE, Op.NONE, Op.NONE));
  }

  private Op op(Kind kind) {
    return switch (kind) {
      case WRITE -> write();
      case GET -> Op.get(snapshotToRead(), key());
      case GET_ALL ->
          Op.getAll(
              snapshotToRead(),
              Stream.generate(this::key).limit(random.nextInt(MAX_CHANGES)).toList());
      case CAS -> Op.cas(random.nextInt(3), plainChange(), durability());
      case WALK -> {
        int[] range = range();
        yield Op.walk(snapshotToRead(), range[0], range[1], place(), key(), moves());
      }
      case SCAN -> {
        int[] range = range();
        yield Op.scan(snapshotToRead(), range[0], range[1]);
      }
      case OPEN -> {
        int[] range = range();
        yield Op.open(slot(), snapshotToRead(), range[0], range[1]);
      }
      case MOVE ->
          random.nextBoolean()
              ? Op.move(slot(), Place.HERE, 0, moves())
              : Op.move(slot(), place(), key(), moves());
      case SNAPSHOT, RELEASE, CLOSE -> Op.slot(kind, slot());
      case STEP -> Op.of(kind, 1 + random.nextInt(random.nextInt(10) == 0 ? 20 : 2));
      case POLICY -> Op.of(kind, random.nextInt(6));
      case PAUSE -> Op.of(kind, random.nextInt(2));
      case TIME -> Op.of(kind, random.nextInt(random.nextInt(4) == 0 ? 500 : 20));
      case OPTIONS, CRASH -> Op.of(kind, random.nextInt(1 << 20));
      default -> Op.of(kind);
    };
  }

  private Kind kind() {
    int dice = random.nextInt(total);
    for (Kind kind : kinds) {
      dice -= profile.weight(kind);
      if (dice < 0) {
        return kind;
      }
    }
    throw new AssertionError("weights sum up to " + total);
  }

  private Op write() {
    if (profile == Profile.HOT && !cleared && random.nextInt(CLEARS_EACH) == 0) {
      cleared = true;
      return manyClears();
    }
    int count = random.nextInt(10) > 0 ? 1 : random.nextInt(MAX_CHANGES);
    List<Change> changes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      changes.add(change());
    }
    return Op.write(changes, durability());
  }

  /** Deletes overlapping ranges, with some other changes between them. */
  private Op manyClears() {
    int count = (int) Math.exp(random.nextDouble() * Math.log(MAX_CLEARS));
    List<Change> changes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      boolean other = random.nextInt(50) == 0;
      changes.add(other ? change() : Change.clear(key(), random.nextInt(Keys.MAX)));
    }
    return Op.write(changes, durability());
  }

  private Change change() {
    int dice = random.nextInt(100);
    if (dice < profile.percentDeletes) {
      return random.nextInt(100) < profile.percentClears ? clear() : Change.delete(key());
    }
    if (dice > 100 - profile.percentMerges) {
      return Change.merge(key(), value());
    }
    return random.nextInt(100) < profile.percentEnds
        ? Change.put(key(), value(), random.nextInt(random.nextBoolean() ? 30 : 1000))
        : Change.put(key(), value());
  }

  private Change plainChange() {
    return random.nextInt(100) < profile.percentDeletes
        ? Change.delete(key())
        : Change.put(key(), value());
  }

  private Change clear() {
    int from = key();
    return Change.clear(from, random.nextInt(3) == 0 ? key() : Math.min(from + 16, Keys.MAX - 1));
  }

  private Durability durability() {
    int dice = random.nextInt(100);
    if (dice < 4 || (dice < 25 && profile == Profile.CRASHES)) {
      return Durability.SYNC;
    }
    return dice > 60 && profile == Profile.LARGE ? Durability.NONE : Durability.BUFFERED;
  }

  private Value value() {
    if (profile == Profile.SIZES) {
      return sizedValue();
    }
    int dice = random.nextInt(100);
    int size =
        dice == 0 ? 0 : random.nextInt(dice < 3 ? 10 * profile.valueBytes : profile.valueBytes);
    return new Value(++values, size);
  }

  /** A value like those before it for a while, as equal sizes make the shapes that recur. */
  private Value sizedValue() {
    if (sizesLeft-- == 0) {
      sizesLeft = 60;
      maxBytes = random.nextBoolean() ? anySize() : profile.valueBytes >> random.nextInt(4);
      percentCompressed = 50 * random.nextInt(3);
    }
    int bytes = random.nextInt(8) == 0 ? anySize() : maxBytes - random.nextInt(1 + maxBytes / 2);
    long number = ++values;
    return new Value(random.nextInt(100) < percentCompressed ? -number : number, bytes);
  }

  private int anySize() {
    return (int) Math.exp(random.nextDouble() * Math.log(profile.valueBytes));
  }

  private int key() {
    if (random.nextInt(100) < profile.percentSame) {
      lastKey = Math.floorMod(lastKey + random.nextInt(2 * NEAR) - NEAR, profile.keys);
    } else {
      lastKey = random.nextInt(profile.keys);
    }
    return lastKey;
  }

  private int slot() {
    return random.nextInt(Subject.SLOTS);
  }

  private int snapshotToRead() {
    return random.nextInt(5) == 0 ? slot() : Op.NONE;
  }

  private int[] range() {
    int from = random.nextBoolean() ? Op.NONE : key();
    int to = random.nextBoolean() ? Op.NONE : key();
    return new int[] {from, to};
  }

  private Place place() {
    return Place.values()[random.nextInt(Place.HERE.ordinal())];
  }

  private String moves() {
    int count = random.nextInt(MAX_MOVES);
    StringBuilder moves = new StringBuilder();
    int forward = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      moves.append(random.nextInt(3) < forward ? 'n' : 'p');
    }
    return moves.toString();
  }
}
