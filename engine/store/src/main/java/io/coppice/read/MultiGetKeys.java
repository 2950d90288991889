// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryKind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Keys of a multi-get in key order, with the results. A key is done with the first entry found, so
 * sources are searched newest first. Used once, by one thread.
 */
final class MultiGetKeys {

  private record Wanted(byte[] key, int index) {}

  /** Prefetch of a source for several keys, done before the first of them is looked up. */
  interface Ahead {

    /** Starts a new set of keys. */
    void begin();

    /** Adds a key to the set. Returns whether there was room; the key is in the set only then. */
    boolean add(byte[] key);

    /**
     * Starts the reads of the blocks for the added keys, and does not wait. A single block is left
     * to its lookup. Called once after the last {@link #add}.
     */
    void request();
  }

  private final Wanted[] pending;
  private final byte[][] values;
  private int left;
  private long nowMillis;
  private Function<byte[], byte[]> multiVersion;

  MultiGetKeys(List<byte[]> keys) {
    values = new byte[keys.size()][];
    pending = new Wanted[values.length];
    for (byte[] key : keys) {
      pending[left] = new Wanted(key, left);
      left++;
    }
    Arrays.sort(pending, Comparator.comparing(Wanted::key, Bytes.ORDER));
  }

  /**
   * Sets how entries found by {@link #lookUp} are judged.
   *
   * @param now the time for the expiry of entries, in milliseconds since 1970
   * @param multiVersion looks up a key with operands in all sources, and returns its value or null
   */
  void judgeBy(long now, Function<byte[], byte[]> multiVersion) {
    nowMillis = now;
    this.multiVersion = multiVersion;
  }

  /**
   * Looks up every key separately. Returns the values in the order of the given keys, with null for
   * an absent key.
   */
  byte[][] lookUpAll(Function<byte[], byte[]> multiVersion) {
    for (Wanted wanted : pending) {
      values[wanted.index()] = multiVersion.apply(wanted.key());
    }
    return values;
  }

  /**
   * Looks up every key that is not done in one source.
   *
   * @param source returns the kind of the newest visible entry, with its value in {@code state};
   *     null if the source has none
   * @param ahead prefetches for the keys that follow, or null to prefetch nothing
   */
  void lookUp(Function<byte[], EntryKind> source, LookupState state, Ahead ahead) {
    int kept = 0;
    int prepared = ahead == null ? left : 0;
    for (int i = 0; i < left; i++) {
      if (i == prepared) {
        prepared = prepare(ahead, i);
      }
      Wanted wanted = pending[i];
      EntryKind kind = source.apply(wanted.key());
      if (kind == null) {
        pending[kept++] = wanted;
      } else if (kind == EntryKind.MERGE) {
        values[wanted.index()] = multiVersion.apply(wanted.key());
      } else if (kind == EntryKind.PUT || (kind == EntryKind.EXPIRING && state.lives(nowMillis))) {
        values[wanted.index()] = state.value();
      }
    }
    left = kept;
  }

  /**
   * Starts a prefetch for keys from an index on. Returns the index of the first key without room,
   * which is at least one more.
   */
  private int prepare(Ahead ahead, int from) {
    ahead.begin();
    int to = from;
    while (to < left && ahead.add(pending[to].key())) {
      to++;
    }
    ahead.request();
    return Math.max(to, from + 1);
  }

  /** Returns the number of keys without a value. */
  int missing() {
    int missing = 0;
    for (byte[] value : values) {
      missing += value == null ? 1 : 0;
    }
    return missing;
  }

  /**
   * Returns the values in the order of the given keys, with null for an absent key. The caller owns
   * the array.
   */
  byte[][] values() {
    return values;
  }
}
