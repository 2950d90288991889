// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.OlderRanks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Contents that remember when each key was written, for a given load: the sequence number of the
 * newest version by key, negative for a deletion. A merge takes the first version that it meets, so
 * a store that lines slices up wrongly loses a newer one. An entry is one byte.
 */
class Versions implements ContentModel<NavigableMap<Integer, Long>> {

  private final int tableEntries;
  private final Iterator<int[]> memtables;
  private final NavigableMap<Integer, Long> newest = new TreeMap<>();
  private long sequence;

  /**
   * A load.
   *
   * @param memtables the keys of each flush in the order in which they are written; {@code ~key}
   *     deletes a key
   */
  Versions(int tableEntries, List<int[]> memtables) {
    this.tableEntries = tableEntries;
    this.memtables = memtables.iterator();
  }

  /** What a lookup of each key written so far must find. */
  NavigableMap<Integer, Long> newest() {
    return newest;
  }

  /** Cuts entries into tables. */
  List<NavigableMap<Integer, Long>> cut(NavigableMap<Integer, Long> entries) {
    List<NavigableMap<Integer, Long>> tables = new ArrayList<>();
    entries.forEach(
        (key, version) -> {
          if (tables.isEmpty() || tables.get(tables.size() - 1).size() == tableEntries) {
            tables.add(new TreeMap<>());
          }
          tables.get(tables.size() - 1).put(key, version);
        });
    return tables;
  }

  @Override
  public List<NavigableMap<Integer, Long>> flush() {
    NavigableMap<Integer, Long> entries = new TreeMap<>();
    if (memtables.hasNext()) {
      for (int number : memtables.next()) {
        sequence++;
        entries.put(SimulatedDecisions.written(number), number < 0 ? -sequence : sequence);
      }
    }
    newest.putAll(entries);
    newest.values().removeIf(version -> version < 0);
    return cut(entries);
  }

  @Override
  public final List<NavigableMap<Integer, Long>> merge(
      List<NavigableMap<Integer, Long>> newestFirst, OlderRanks older) {
    return cut(union(newestFirst, older));
  }

  @Override
  public final NavigableMap<Integer, Long> union(
      List<NavigableMap<Integer, Long>> newestFirst, OlderRanks older) {
    NavigableMap<Integer, Long> merged = new TreeMap<>();
    for (NavigableMap<Integer, Long> content : newestFirst) {
      content.forEach(merged::putIfAbsent);
    }
    merged.entrySet().removeIf(entry -> entry.getValue() < 0 && !older.covers(entry.getKey()));
    return merged;
  }

  @Override
  public NavigableMap<Integer, Long> window(
      NavigableMap<Integer, Long> content, int low, int high) {
    NavigableMap<Integer, Long> window = content.subMap(low, true, high, true);
    return window.isEmpty() ? null : new TreeMap<>(window);
  }

  @Override
  public int[] cuts(List<NavigableMap<Integer, Long>> contents, int parts) {
    int[] keys =
        contents.stream()
            .flatMap(content -> content.keySet().stream())
            .mapToInt(Integer::intValue)
            .sorted()
            .toArray();
    int highest = keys[keys.length - 1];
    int[] cuts = new int[parts - 1];
    for (int i = 1; i < parts; i++) {
      cuts[i - 1] = keys[(int) ((long) keys.length * i / parts)];
    }
    return Arrays.stream(cuts).filter(cut -> cut < highest).distinct().toArray();
  }

  @Override
  public long bytes(NavigableMap<Integer, Long> content) {
    return content.size();
  }

  @Override
  public double entries(NavigableMap<Integer, Long> content) {
    return content.size();
  }

  @Override
  public final int low(NavigableMap<Integer, Long> content) {
    return content.firstKey();
  }

  @Override
  public final int high(NavigableMap<Integer, Long> content) {
    return content.lastKey();
  }

  @Override
  public final long ranks() {
    return Integer.MAX_VALUE;
  }

  @Override
  public final long userEntries() {
    return sequence;
  }

  @Override
  public final double liveEntries() {
    return newest.size();
  }

  /** A key written so far, each once in turn. */
  @Override
  public int lookup() {
    Integer next = newest.higherKey((int) (sequence * 31 % Integer.MAX_VALUE));
    return next == null ? newest.firstKey() : next;
  }

  @Override
  public final boolean finds(NavigableMap<Integer, Long> content, int rank) {
    return content.containsKey(rank);
  }
}
