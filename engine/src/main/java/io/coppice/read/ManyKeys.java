// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.Bytes;
import io.coppice.entry.Kind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The keys of one lookup of many, in key order, and what was found of them. A key drops out with
 * the first entry found, so sources are asked newest first. Used once, by one thread.
 */
final class ManyKeys {

  private record Wanted(byte[] key, int index) {}

  /** Reads what a source needs for several keys before it is asked for the first. */
  interface Ahead {

    /** Starts over. */
    void begin();

    /** Adds a key; false if there is no room for it. */
    boolean add(byte[] key);

    /** Reads for the keys that were added. */
    void request();
  }

  private final Wanted[] pending;
  private final byte[][] values;
  private int left;
  private long nowMillis;
  private Function<byte[], byte[]> gathering;

  ManyKeys(List<byte[]> keys) {
    values = new byte[keys.size()][];
    pending = new Wanted[values.length];
    for (byte[] key : keys) {
      pending[left] = new Wanted(key, left);
      left++;
    }
    Arrays.sort(pending, Comparator.comparing(Wanted::key, Bytes.ORDER));
  }

  /**
   * Prepares {@link #lookUp}.
   *
   * @param now the time by which entries end
   * @param gather looks a key up that has operands, in all sources
   */
  void judgeBy(long now, Function<byte[], byte[]> gather) {
    nowMillis = now;
    gathering = gather;
  }

  /** Looks every key up by itself. */
  byte[][] lookUpAll(Function<byte[], byte[]> gather) {
    for (Wanted wanted : pending) {
      values[wanted.index()] = gather.apply(wanted.key());
    }
    return values;
  }

  /**
   * Asks one source for every key that is still sought.
   *
   * @param source the kind of the entry that decides, its value then being in {@code search}; null
   *     if the source has none
   * @param ahead reads for the keys that follow; null if that is nothing
   */
  void lookUp(Function<byte[], Kind> source, Search search, Ahead ahead) {
    int kept = 0;
    int prepared = ahead == null ? left : 0;
    for (int i = 0; i < left; i++) {
      if (i == prepared) {
        prepared = prepare(ahead, i);
      }
      Wanted wanted = pending[i];
      Kind kind = source.apply(wanted.key());
      if (kind == null) {
        pending[kept++] = wanted;
      } else if (kind == Kind.MERGE) {
        values[wanted.index()] = gathering.apply(wanted.key());
      } else if (kind == Kind.PUT || (kind == Kind.EXPIRING && search.lives(nowMillis))) {
        values[wanted.index()] = search.value();
      }
    }
    left = kept;
  }

  /** Reads for keys from one on; the first for which there was no room. */
  private int prepare(Ahead ahead, int from) {
    ahead.begin();
    int to = from;
    while (to < left && ahead.add(pending[to].key())) {
      to++;
    }
    ahead.request();
    return Math.max(to, from + 1);
  }

  /** How many keys have no value. */
  int missing() {
    int missing = 0;
    for (byte[] value : values) {
      missing += value == null ? 1 : 0;
    }
    return missing;
  }

  /** In the order in which the keys were given; null for a key that is absent. */
  byte[][] values() {
    return values;
  }
}
