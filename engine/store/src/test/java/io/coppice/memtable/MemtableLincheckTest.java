// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.Interleavings;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * One thread adds entries and tells up to which sequence number they count, others read up to that:
 * what they find, and the order in which they walk it, is that of one moment.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:3")
public class MemtableLincheckTest {

  private static final int KEY_BYTES = 2;
  private static final byte[] VALUE = new byte[3];

  /** Nobody tells when a run ends; its memory goes back so many runs later. */
  private static final int KEPT_TABLES = 16;

  private static final MemoryBudget BUDGET = MemoryBudget.ofMebibytes(2 * KEPT_TABLES);
  private static final Queue<Memtable> TABLES = new ArrayDeque<>();

  private final Memtable table = create();
  private volatile long visible;

  private static synchronized Memtable create() {
    if (TABLES.size() == KEPT_TABLES) {
      TABLES.remove().release();
    }
    Memtable table = Memtable.tryCreate(new ChunkPool(BUDGET, 0));
    TABLES.add(table);
    return table;
  }

  private static byte[] key(int key) {
    return new byte[] {'k', (byte) key};
  }

  /** Adds a version of a key. */
  @Operation(nonParallelGroup = "writer")
  public long add(@Param(name = "key") int key) {
    long sequence = visible + 1;
    table.add(sequence, EntryKind.PUT, key(key), 0, KEY_BYTES, VALUE, 0, VALUE.length);
    visible = sequence;
    return sequence;
  }

  /** The sequence number of the newest version of a key; 0 if there is none. */
  @Operation
  public long find(@Param(name = "key") int key) {
    int place = table.find(key(key), 0, KEY_BYTES, visible);
    return place == 0 ? 0 : table.sequence(place);
  }

  /** All versions in their order. */
  @Operation
  public List<String> walk() {
    List<String> entries = new ArrayList<>();
    long most = visible;
    try (EntryCursor cursor = table.cursor()) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        note(cursor, most, entries);
      }
    }
    return entries;
  }

  /** All versions from the last to the first. */
  @Operation
  public List<String> walkBack() {
    List<String> entries = new ArrayList<>();
    long most = visible;
    try (EntryCursor cursor = table.cursor()) {
      for (cursor.last(); cursor.valid(); cursor.prev()) {
        note(cursor, most, entries);
      }
    }
    return entries;
  }

  private static void note(EntryCursor cursor, long most, List<String> entries) {
    if (cursor.sequence() <= most) {
      entries.add(version(cursor.keyArray()[cursor.keyOffset() + 1], cursor.sequence()));
    }
  }

  private static String version(int key, long sequence) {
    return key + "@" + sequence;
  }

  /** The same without threads. */
  public static final class Alone {
    private final TreeMap<Integer, Deque<Long>> versions = new TreeMap<>();
    private long last;

    /** Adds a version of a key. */
    public long add(int key) {
      versions.computeIfAbsent(key, x -> new ArrayDeque<>()).addFirst(++last);
      return last;
    }

    /** The newest version of a key. */
    public long find(int key) {
      return versions.containsKey(key) ? versions.get(key).getFirst() : 0;
    }

    /** All versions in their order. */
    public List<String> walk() {
      List<String> entries = new ArrayList<>();
      versions.forEach((key, all) -> all.forEach(one -> entries.add(version(key, one))));
      return entries;
    }

    /** All versions from the last to the first. */
    public List<String> walkBack() {
      List<String> entries = walk();
      Collections.reverse(entries);
      return entries;
    }
  }

  @Test
  void whatThreadsReadIsAsOneAfterTheOther() {
    Interleavings.stress(getClass(), Alone.class);
  }
}
