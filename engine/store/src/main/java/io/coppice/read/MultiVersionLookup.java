// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.EntryKind;
import io.coppice.entry.OperandStack;
import io.coppice.memtable.Memtable;
import io.coppice.table.Table;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.util.Arrays;
import java.util.List;

/**
 * Lookup of a key with several relevant versions: range deletions may cover it, or merge operands
 * must be collected down to their base value. Reused by one thread; a lookup without operands
 * allocates nothing.
 *
 * <p>Sources are searched newest first. In each, the newest visible range deletion hides older
 * entries there and in all older sources. The memtables and the version must be of one instant: an
 * operand that a merge has already combined in a table must not appear again in a memtable.
 */
final class MultiVersionLookup {

  private final LookupState state;

  // State of the current lookup; cleared afterwards, since a thread must not keep a store that it
  // once read.
  private FamilyReader reader;
  private byte[] key;
  private int offset;
  private int length;
  private long nowMillis;

  /** Collected operands, or null before the first one. */
  private OperandStack operands;

  /** Largest sequence number that is still visible. */
  private long sequence;

  /**
   * Group of the first virtual segment that the lookup has reached and that has enough parents to
   * be merged on request, or 0 if there is none.
   */
  private long group;

  /** Whether there is a value below the operands; the lookup state then holds it. */
  private boolean hasBaseValue;

  /** Whether older sources can no longer change the result. */
  private boolean decided;

  /**
   * Creates a reusable lookup.
   *
   * @param state provides memory and receives the value
   */
  MultiVersionLookup(LookupState state) {
    this.state = state;
  }

  /**
   * Looks up a key.
   *
   * @param reader provides the tables
   * @param set memtables, newest first, of the same instant as the version
   * @param newest the newest visible sequence number
   * @return whether the key has a value, which the lookup state then holds; the memtables must be
   *     held until it is copied
   * @throws io.coppice.base.CorruptionException if an entry that it needs is damaged
   */
  boolean find(
      FamilyReader reader,
      List<Memtable> set,
      Version version,
      byte[] key,
      int offset,
      int length,
      long newest) {
    this.reader = reader;
    this.key = key;
    this.offset = offset;
    this.length = length;
    sequence = newest;
    nowMillis = reader.hooks().clock().millis();
    group = 0;
    hasBaseValue = false;
    decided = false;
    try {
      searchAll(set, version);
      if (group != 0) {
        reader.requests().ask(group);
      }
      return operands == null ? hasBaseValue : combine();
    } finally {
      this.reader = null;
      this.key = null;
      operands = null;
    }
  }

  /** Returns a copy of the value of a key, found as by {@link #find}, or null if it is absent. */
  byte[] value(FamilyReader reader, List<Memtable> set, Version version, byte[] key, long newest) {
    return find(reader, set, version, key, 0, key.length, newest) ? state.value() : null;
  }

  private void searchAll(List<Memtable> set, Version version) {
    for (int i = 0; i < set.size() && !decided; i++) {
      if (!version.includes(set.get(i).flushRun())) {
        search(set.get(i));
      }
    }
    state.seek(key, offset, length, sequence);
    LookupPrefetcher ahead = state.ahead();
    ahead.begin(reader, version);
    try {
      searchTables(version, ahead);
    } finally {
      ahead.end();
    }
  }

  private void searchTables(Version version, LookupPrefetcher ahead) {
    List<Level> levels = version.levels();
    for (int i = 0; i < levels.size() && !decided; i++) {
      List<Run> runs = levels.get(i).runs();
      for (int j = 0; j < runs.size() && !decided; j++) {
        search(runs.get(j), ahead);
      }
    }
  }

  private void search(Memtable memtable) {
    long cover = memtable.newestCovering(key, offset, length, sequence);
    int place = 0;
    while (!decided) {
      place =
          place == 0
              ? memtable.find(key, offset, length, sequence)
              : memtable.findOlder(place, key, offset, length);
      long found = place == 0 ? -1 : memtable.sequence(place);
      if (found < cover) {
        decided = true;
      } else if (place == 0) {
        return;
      } else {
        state.foundIn(memtable, place);
        addVersion(memtable.kind(place), found);
      }
    }
  }

  private void search(Run run, LookupPrefetcher ahead) {
    Segment segment = run.find(key, offset, length);
    if (segment == null) {
      return;
    }
    if (group == 0 && reader.requests().wants(segment) && segment.spans(key, offset, length)) {
      group = segment.group();
    }
    List<Slice> slices = segment.slices();
    for (int i = 0; i < slices.size() && !decided; i++) {
      search(slices.get(i), ahead);
    }
  }

  private void search(Slice slice, LookupPrefetcher ahead) {
    long cover = slice.newestCovering(reader.tables(), key, offset, length, sequence);
    Table table = slice.candidate(reader.tables(), state.key);
    int block = table == null ? -1 : table.block(state.key);
    state.key.sequence(sequence);
    boolean any = false;
    while (!decided) {
      if (any) {
        any = state.moveToOlder(table);
      } else if (table != null) {
        ahead.need(table, block);
        any = state.searchBlock(table, block);
      }
      long found = any ? state.lookup.sequence() : -1;
      if (found < cover) {
        decided = true;
      } else if (!any) {
        return;
      } else {
        state.foundInTable();
        addVersion(state.lookup.kind(), found);
      }
    }
  }

  /**
   * Processes the entry found by the search: keeps an operand, or ends the search with a base value
   * or a deletion.
   */
  private void addVersion(EntryKind kind, long found) {
    if (kind == EntryKind.MERGE) {
      if (operands == null) {
        operands = new OperandStack();
      }
      byte[] operand = state.value();
      if (!operands.add(operand, 0, operand.length)) {
        throw OperandStack.tooLarge();
      }
      sequence = found - 1;
      decided = sequence < 0;
      return;
    }
    decided = true;
    hasBaseValue = kind == EntryKind.PUT || (kind == EntryKind.EXPIRING && state.lives(nowMillis));
  }

  /**
   * Combines the operands with the base value and keeps the result. Returns true, because a merge
   * operator without a result fails with {@link io.coppice.base.UserCodeException}.
   */
  private boolean combine() {
    byte[] base = hasBaseValue ? state.value() : null;
    if (!operands.hasRoomFor(base == null ? 0 : base.length)) {
      throw OperandStack.tooLarge();
    }
    operands.reverse();
    byte[] value =
        operands.fold(
            reader.hooks().operator(), Arrays.copyOfRange(key, offset, offset + length), base);
    state.made(value);
    return value != null;
  }
}
