// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryBatchReader;
import io.coppice.entry.EntryKind;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Keys that logs change, with whether the logs also hold the value or deletion under their merge
 * operands. Entries are added in the order of writing. Used by one thread.
 */
final class LoggedChains {

  /** Predicate that selects the keys to follow. */
  interface Interest {
    /** Returns whether to follow the key of a family. */
    boolean in(int family, byte[] key);
  }

  private final Interest interest;

  /**
   * Selected keys by family number. A key maps to true if the logs hold a value or deletion under
   * its operands.
   */
  private final Map<Integer, NavigableMap<byte[], Boolean>> chains = new HashMap<>();

  /**
   * Ranges deleted by the logs, by family number: from first key, inclusive, to end, exclusive,
   * without overlap.
   */
  private final Map<Integer, NavigableMap<byte[], byte[]>> deleted = new HashMap<>();

  LoggedChains(Interest interest) {
    this.interest = interest;
  }

  void add(EntryBatchReader entry) {
    byte[] key = Bytes.copy(entry.array(), entry.keyFrom(), entry.keyLength());
    if (entry.kind() == EntryKind.DELETE_RANGE) {
      byte[] to = Bytes.copy(entry.array(), entry.valueFrom(), entry.valueLength());
      deleteRange(entry.family(), key, to);
    } else if (interest.in(entry.family(), key)) {
      NavigableMap<byte[], Boolean> own = of(entry.family());
      if (entry.kind() != EntryKind.MERGE) {
        own.put(key, true);
      } else if (!own.containsKey(key)) {
        own.put(key, isDeleted(entry.family(), key));
      }
    }
  }

  private void deleteRange(int family, byte[] first, byte[] end) {
    of(family).subMap(first, true, end, false).replaceAll((key, based) -> true);
    NavigableMap<byte[], byte[]> ranges =
        deleted.computeIfAbsent(family, x -> new TreeMap<>(Bytes.ORDER));
    byte[] from = first;
    byte[] to = end;
    Map.Entry<byte[], byte[]> before = ranges.floorEntry(from);
    if (before != null && Bytes.compare(before.getValue(), from) >= 0) {
      from = before.getKey();
    }
    NavigableMap<byte[], byte[]> joined = ranges.subMap(from, true, to, true);
    for (byte[] other : joined.values()) {
      to = Bytes.compare(other, to) > 0 ? other : to;
    }
    joined.clear();
    ranges.put(from, to);
  }

  private boolean isDeleted(int family, byte[] key) {
    NavigableMap<byte[], byte[]> ranges = deleted.get(family);
    Map.Entry<byte[], byte[]> range = ranges == null ? null : ranges.floorEntry(key);
    return range != null && Bytes.compare(key, range.getValue()) < 0;
  }

  /**
   * Returns the selected keys of a family that the logs change, ascending. A key maps to true if
   * the logs hold a value or deletion under its operands.
   */
  NavigableMap<byte[], Boolean> of(int family) {
    return chains.computeIfAbsent(family, x -> new TreeMap<>(Bytes.ORDER));
  }

  /** Returns whether the logs delete the key in a range, and merge no operand into it later. */
  boolean deletes(int family, byte[] key) {
    return !of(family).containsKey(key) && isDeleted(family, key);
  }
}
