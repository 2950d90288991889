// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.Kind;
import io.coppice.entry.OperandStack;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.memtable.Memtable;
import io.coppice.table.Table;
import java.util.Arrays;
import java.util.List;

/**
 * Lookups of keys that have more than one version to look at: range deletions may cover them, or
 * operands must be gathered down to what they stand on. Used again and again, by one thread; a
 * lookup that meets no operand allocates nothing.
 *
 * <p>Sources are asked newest first. In each, the newest range deletion that may be seen hides what
 * is older, there and in all older sources. The memtables and the version must be of one instant:
 * an operand that a merge has combined in a table must not be met again in a memtable.
 */
final class Gathering {

  private final Search search;

  // Of the lookup under way: a thread must not keep a store that it once read.
  private Reader reader;
  private byte[] key;
  private int offset;
  private int length;
  private long nowMillis;

  /** Null until the first operand. */
  private OperandStack operands;

  /** The largest sequence number that may still be seen. */
  private long sequence;

  /** Of the first segment met that is to be merged; 0 if there was none. */
  private long group;

  /** True if there is a value below the operands, which is then in the search. */
  private boolean based;

  private boolean decided;

  /**
   * Prepares for lookups.
   *
   * @param search whose memory is used, and which has the value in the end
   */
  Gathering(Search search) {
    this.search = search;
  }

  /**
   * Looks a key up.
   *
   * @param reader whose tables are asked
   * @param newest the newest sequence number that may be seen
   * @return true if the key has a value, which is then in the search; the memtables must be held
   *     until it was copied
   */
  boolean find(
      Reader reader,
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
    nowMillis = reader.extensions().clock().millis();
    group = 0;
    based = false;
    decided = false;
    try {
      askAll(set, version);
      if (group != 0) {
        reader.requests().ask(group);
      }
      return operands == null ? based : combine();
    } finally {
      this.reader = null;
      this.key = null;
      operands = null;
    }
  }

  /** As {@link #find}; a copy of the value, or null if there is none. */
  byte[] value(Reader reader, List<Memtable> set, Version version, byte[] key, long newest) {
    return find(reader, set, version, key, 0, key.length, newest) ? search.value() : null;
  }

  private void askAll(List<Memtable> set, Version version) {
    for (int i = 0; i < set.size() && !decided; i++) {
      if (!version.includes(set.get(i).flushRun())) {
        ask(set.get(i));
      }
    }
    search.seek(key, offset, length, sequence);
    AheadSearch ahead = search.ahead();
    ahead.begin(reader, version);
    try {
      askTables(version, ahead);
    } finally {
      ahead.end();
    }
  }

  private void askTables(Version version, AheadSearch ahead) {
    List<Level> levels = version.levels();
    for (int i = 0; i < levels.size() && !decided; i++) {
      List<Run> runs = levels.get(i).runs();
      for (int j = 0; j < runs.size() && !decided; j++) {
        ask(runs.get(j), ahead);
      }
    }
  }

  private void ask(Memtable memtable) {
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
        search.foundIn(memtable, place);
        meet(memtable.kind(place), found);
      }
    }
  }

  private void ask(Run run, AheadSearch ahead) {
    Segment segment = run.find(key, offset, length);
    if (segment == null) {
      return;
    }
    if (group == 0 && reader.requests().wants(segment) && segment.spans(key, offset, length)) {
      group = segment.group();
    }
    List<Slice> slices = segment.slices();
    for (int i = 0; i < slices.size() && !decided; i++) {
      ask(slices.get(i), ahead);
    }
  }

  private void ask(Slice slice, AheadSearch ahead) {
    long cover = slice.newestCovering(reader.tables(), key, offset, length, sequence);
    Table table = slice.candidate(reader.tables(), key, offset, length, search.hash);
    int block = table == null ? -1 : table.block(key, offset, length);
    search.sequence = sequence;
    boolean any = false;
    while (!decided) {
      if (any) {
        any = search.askOlder(table);
      } else if (table != null) {
        ahead.need(table, block);
        any = search.ask(table, block);
      }
      long found = any ? search.lookup.sequence() : -1;
      if (found < cover) {
        decided = true;
      } else if (!any) {
        return;
      } else {
        search.foundInTable();
        meet(search.lookup.kind(), found);
      }
    }
  }

  /** Takes the entry in that the search has found. */
  private void meet(Kind kind, long found) {
    if (kind == Kind.MERGE) {
      if (operands == null) {
        operands = new OperandStack();
      }
      byte[] operand = search.value();
      if (!operands.add(operand, 0, operand.length)) {
        throw OperandStack.tooLarge();
      }
      sequence = found - 1;
      decided = sequence < 0;
      return;
    }
    decided = true;
    based = kind == Kind.PUT || (kind == Kind.EXPIRING && search.lives(nowMillis));
  }

  /** Combines the operands and what they stand on; true if that is a value. */
  private boolean combine() {
    byte[] base = based ? search.value() : null;
    if (!operands.hasRoomFor(base == null ? 0 : base.length)) {
      throw OperandStack.tooLarge();
    }
    operands.reverse();
    byte[] value =
        operands.fold(
            reader.extensions().operator(), Arrays.copyOfRange(key, offset, offset + length), base);
    search.made(value);
    return value != null;
  }
}
