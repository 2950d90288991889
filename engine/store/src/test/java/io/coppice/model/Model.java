// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The oracle: every version of every key in a sorted map, and snapshots as sequence numbers. It
 * loses nothing, so a crash only ends snapshots and cursors; what a store may lose then is judged
 * by {@link #contents} after each operation.
 */
public final class Model implements Subject {

  /** Until then values without an end live. */
  private static final long FOREVER = Long.MAX_VALUE;

  /**
   * What a key has from a sequence number on.
   *
   * @param base the value that was put; null if there is none
   * @param end from when on there is no base
   * @param operands appended since
   */
  private record Version(long sequence, byte[] base, long end, List<byte[]> operands) {

    byte[] value(long now) {
      byte[] value = end > now ? base : null;
      for (byte[] operand : operands) {
        value = appended(value, operand);
      }
      return value;
    }
  }

  /** The merge operator of all loads. */
  static byte[] appended(byte[] value, byte[] operand) {
    if (value == null) {
      return operand;
    }
    byte[] longer = Arrays.copyOf(value, value.length + operand.length);
    System.arraycopy(operand, 0, longer, value.length, operand.length);
    return longer;
  }

  /** A cursor that stays open: what it shows, and where it stands (null: nowhere). */
  private static final class Held {
    final NavigableMap<byte[], List<Version>> range;
    final long sequence;
    final long now;
    Map.Entry<byte[], List<Version>> place;

    Held(NavigableMap<byte[], List<Version>> range, long sequence, long now) {
      this.range = range;
      this.sequence = sequence;
      this.now = now;
    }

    byte[] value(List<Version> versions) {
      return at(versions, sequence, now);
    }
  }

  private final Keys keys;
  private final NavigableMap<byte[], List<Version>> map = new TreeMap<>(Arrays::compareUnsigned);
  private final long[] snapshots = new long[SLOTS];
  private final Held[] cursors = new Held[SLOTS];
  private long sequence;
  private long contents;
  private long now;

  /** An empty store. */
  public Model(Keys keys) {
    this.keys = keys;
    Arrays.fill(snapshots, Op.NONE);
  }

  /** The sum of {@link Hash#entry} over the entries that there are now. */
  public long contents() {
    return contents;
  }

  @Override
  public void apply(int index, Op op, Answer answer) {
    switch (op.kind()) {
      case WRITE -> op.changes().forEach(this::change);
      case GET -> get(op, answer);
      case GET_ALL -> {
        if (readable(op.slot())) {
          op.changes().forEach(one -> answer.value(value(one.key(), sequenceOf(op.slot()))));
        }
      }
      case CAS -> {
        byte[] present = value(op.changes().get(0).key(), sequence);
        boolean same = Arrays.equals(present, Op.expected(op.number(), present));
        if (same) {
          change(op.changes().get(0));
        }
        answer.truth(same);
      }
      case WALK -> {
        if (readable(op.slot())) {
          walk(new Held(range(op), sequenceOf(op.slot()), now), op, answer);
        }
      }
      case SCAN -> scan(op, answer);
      case SNAPSHOT -> {
        if (snapshots[op.slot()] == Op.NONE) {
          snapshots[op.slot()] = sequence;
        }
      }
      case RELEASE -> snapshots[op.slot()] = Op.NONE;
      case OPEN -> {
        int snapshot = (int) op.number();
        if (cursors[op.slot()] == null && readable(snapshot)) {
          cursors[op.slot()] = new Held(range(op), sequenceOf(snapshot), now);
        }
      }
      case MOVE -> {
        if (cursors[op.slot()] != null) {
          walk(cursors[op.slot()], op, answer);
        }
      }
      case CLOSE -> cursors[op.slot()] = null;
      case TIME -> pass(op.number());
      case REOPEN, OPTIONS, KILL, CRASH -> {
        Arrays.fill(snapshots, Op.NONE);
        Arrays.fill(cursors, null);
      }
      default -> {}
    }
  }

  private boolean readable(int slot) {
    return slot == Op.NONE || snapshots[slot] != Op.NONE;
  }

  private long sequenceOf(int slot) {
    return slot == Op.NONE ? sequence : snapshots[slot];
  }

  private void change(Change change) {
    byte[] key = keys.of(change.key());
    switch (change.type()) {
      case PUT -> {
        long end = change.millis() == Op.NONE ? FOREVER : now + change.millis();
        set(key, new Version(++sequence, change.value().bytes(), end, List.of()));
      }
      case DELETE -> remove(key);
      case CLEAR -> {
        byte[] to = keys.of(change.to());
        if (Arrays.compareUnsigned(key, to) < 0) {
          map.subMap(key, true, to, false).keySet().forEach(this::remove);
        }
      }
      case MERGE -> merge(key, change.value().bytes());
    }
  }

  private void remove(byte[] key) {
    set(key, new Version(++sequence, null, FOREVER, List.of()));
  }

  private void merge(byte[] key, byte[] operand) {
    List<Version> versions = map.get(key);
    Version last = versions == null ? null : versions.get(versions.size() - 1);
    if (last != null && last.base != null && last.end != FOREVER) {
      List<byte[]> operands = new ArrayList<>(last.operands);
      operands.add(operand);
      set(key, new Version(++sequence, last.base, last.end, operands));
    } else {
      byte[] value = appended(last == null ? null : last.value(now), operand);
      set(key, new Version(++sequence, value, FOREVER, List.of()));
    }
  }

  private void set(byte[] key, Version version) {
    List<Version> versions = map.computeIfAbsent(key, x -> new ArrayList<>(1));
    count(key, at(versions, sequence - 1, now), -1);
    count(key, version.value(now), 1);
    forget(versions);
    versions.add(version);
  }

  private void count(byte[] key, byte[] value, int sign) {
    contents += value == null ? 0 : sign * Hash.entry(key, value);
  }

  /** Values end. */
  private void pass(long millis) {
    now += millis;
    contents = 0;
    map.forEach((key, versions) -> count(key, at(versions, sequence, now), 1));
  }

  /** Versions that nothing can see any more. */
  private void forget(List<Version> versions) {
    long oldest = sequence - 1;
    for (int slot = 0; slot < SLOTS; slot++) {
      oldest = snapshots[slot] == Op.NONE ? oldest : Math.min(oldest, snapshots[slot]);
      oldest = cursors[slot] == null ? oldest : Math.min(oldest, cursors[slot].sequence);
    }
    while (versions.size() > 1 && versions.get(1).sequence <= oldest) {
      versions.remove(0);
    }
  }

  private static byte[] at(List<Version> versions, long sequence, long now) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (versions.get(i).sequence <= sequence) {
        return versions.get(i).value(now);
      }
    }
    return null;
  }

  private void get(Op op, Answer answer) {
    if (readable(op.slot())) {
      answer.value(value(op.key(), sequenceOf(op.slot())));
    }
  }

  private byte[] value(int key, long seen) {
    List<Version> versions = map.get(keys.of(key));
    return versions == null ? null : at(versions, seen, now);
  }

  private NavigableMap<byte[], List<Version>> range(Op op) {
    NavigableMap<byte[], List<Version>> part = map;
    part = op.from() == Op.NONE ? part : part.tailMap(keys.of(op.from()), true);
    byte[] to = op.to() == Op.NONE ? null : keys.of(op.to());
    boolean reversed =
        to != null && op.from() != Op.NONE && Arrays.compareUnsigned(keys.of(op.from()), to) > 0;
    // A range whose end sorts before its first key is taken for an empty one.
    return to == null ? part : part.headMap(reversed ? keys.of(op.from()) : to, false);
  }

  private void scan(Op op, Answer answer) {
    if (!readable(op.slot())) {
      return;
    }
    long seen = sequenceOf(op.slot());
    range(op)
        .forEach(
            (key, versions) -> {
              byte[] value = at(versions, seen, now);
              if (value != null) {
                answer.key(key);
                answer.value(value);
              }
            });
    answer.end();
  }

  private void walk(Held held, Op op, Answer answer) {
    byte[] key = keys.of(op.key());
    held.place =
        switch (op.place()) {
          case FIRST -> forward(held, held.range.firstEntry());
          case LAST -> backward(held, held.range.lastEntry());
          case SEEK -> forward(held, held.range.ceilingEntry(key));
          case BEFORE -> backward(held, held.range.floorEntry(key));
          case HERE -> held.place;
        };
    show(held, answer);
    for (int i = 0; i < op.moves().length() && held.place != null; i++) {
      byte[] at = held.place.getKey();
      held.place =
          op.moves().charAt(i) == 'n'
              ? forward(held, held.range.higherEntry(at))
              : backward(held, held.range.lowerEntry(at));
      show(held, answer);
    }
  }

  private static Map.Entry<byte[], List<Version>> forward(
      Held held, Map.Entry<byte[], List<Version>> from) {
    Map.Entry<byte[], List<Version>> entry = from;
    while (entry != null && held.value(entry.getValue()) == null) {
      entry = held.range.higherEntry(entry.getKey());
    }
    return entry;
  }

  private static Map.Entry<byte[], List<Version>> backward(
      Held held, Map.Entry<byte[], List<Version>> from) {
    Map.Entry<byte[], List<Version>> entry = from;
    while (entry != null && held.value(entry.getValue()) == null) {
      entry = held.range.lowerEntry(entry.getKey());
    }
    return entry;
  }

  private static void show(Held held, Answer answer) {
    if (held.place == null) {
      answer.end();
    } else {
      answer.key(held.place.getKey());
      answer.value(held.value(held.place.getValue()));
    }
  }

  @Override
  public void close() {}
}
