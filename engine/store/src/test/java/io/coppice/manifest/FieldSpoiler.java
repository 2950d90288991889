// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.bytes.ByteSink;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the codecs of the manifest call instead of {@link ByteSink}, once they are changed for it:
 * one of the fields they write is not what it should be. Lengths and checksums fit the field. Used
 * by one thread.
 */
public final class FieldSpoiler {

  /** What is written instead. */
  public enum Manner {
    /** What was written the time before. */
    STALE,
    /** One more; of a key the next of its length, of a set with one number more. */
    ONE_MORE,
    /** One less; of a key the one before of its length, of a set without its last number. */
    ONE_LESS
  }

  private static int chosen = -1;
  private static Manner manner;
  private static Runnable effect;
  private static Object before;

  /** By manner, the fields that it would have changed. */
  private static final Map<Manner, BitSet> CHANGEABLE = new EnumMap<>(Manner.class);

  /** What was written into each field last. */
  private static final Map<Integer, Object> LAST = new HashMap<>();

  private FieldSpoiler() {}

  /**
   * Spoils one field from now on; -1 for none.
   *
   * @param onChange runs each time that something else is written
   */
  public static void choose(int field, Manner how, Runnable onChange) {
    chosen = field;
    manner = how;
    effect = onChange;
    before = null;
    CHANGEABLE.clear();
    LAST.clear();
  }

  /** The fields that were written since and that would have been others in such a manner. */
  public static int[] changeable(Manner how) {
    return CHANGEABLE.getOrDefault(how, new BitSet()).stream().toArray();
  }

  /** The fields that were written since. */
  public static Set<Integer> written() {
    return Set.copyOf(LAST.keySet());
  }

  /** Writes a field, as do those below. */
  public static ByteSink u8(ByteSink sink, int value, int field) {
    return sink.u8((int) number(value, field));
  }

  public static ByteSink varint32(ByteSink sink, int value, int field) {
    return sink.varint32((int) number(value, field));
  }

  public static ByteSink varint64(ByteSink sink, long value, int field) {
    return sink.varint64(number(value, field));
  }

  public static ByteSink sized(ByteSink sink, byte[] array, int from, int count, int field) {
    byte[] key = Arrays.copyOfRange(array, from, from + count);
    byte[] spoilt = isChosen(field, key, count == 0) ? key(key) : key;
    return sink.sized(spoilt, 0, spoilt.length);
  }

  public static void text(String text, ByteSink sink, int field) {
    EditCodec.text(isChosen(field, text, text.isEmpty()) ? text(text) : text, sink);
  }

  public static void numbers(Set<Long> numbers, ByteSink sink, int field) {
    Set<Long> copy = Set.copyOf(numbers);
    EditCodec.numbers(isChosen(field, copy, copy.isEmpty()) ? set(copy) : copy, sink);
  }

  private static boolean isChosen(int field, Object value, boolean least) {
    if (chosen >= 0) {
      return field == chosen;
    }
    Object last = LAST.put(field, value);
    for (Manner how : Manner.values()) {
      boolean changes =
          switch (how) {
            case STALE -> last != null && !Objects.deepEquals(last, value);
            case ONE_MORE -> !least || !(value instanceof byte[]);
            case ONE_LESS -> !least;
          };
      if (changes) {
        CHANGEABLE.computeIfAbsent(how, x -> new BitSet()).set(field);
      }
    }
    return false;
  }

  private static long number(long value, int field) {
    if (!isChosen(field, value, value == 0)) {
      return value;
    }
    return switch (manner) {
      case STALE -> stale(value);
      case ONE_MORE -> changed(value, value + 1);
      case ONE_LESS -> value == 0 ? 0 : changed(value, value - 1);
    };
  }

  private static byte[] key(byte[] key) {
    if (manner == Manner.STALE) {
      return stale(key);
    }
    byte[] other = key.clone();
    if (key.length > 0) {
      other[key.length - 1] += manner == Manner.ONE_MORE ? 1 : -1;
    }
    return changed(key, other);
  }

  private static String text(String text) {
    return switch (manner) {
      case STALE -> stale(text);
      case ONE_MORE -> changed(text, text + "1");
      case ONE_LESS -> changed(text, text.substring(0, Math.max(0, text.length() - 1)));
    };
  }

  private static Set<Long> set(Set<Long> numbers) {
    TreeSet<Long> other = new TreeSet<>(numbers);
    if (manner == Manner.ONE_MORE) {
      other.add(numbers.isEmpty() ? 1 : other.last() + 1);
    } else {
      other.pollLast();
    }
    return manner == Manner.STALE ? stale(numbers) : changed(numbers, other);
  }

  @SuppressWarnings("unchecked")
  private static <T> T stale(T value) {
    T old = before == null ? value : (T) before;
    before = value;
    return changed(value, old);
  }

  private static <T> T changed(T value, T other) {
    if (!Objects.deepEquals(value, other)) {
      effect.run();
    }
    return other;
  }
}
