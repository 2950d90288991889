// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.ArrayList;
import java.util.List;

/**
 * Hash map from number to open table, with open addressing and at most half of the slots used. A
 * search always ends, and needs no boxed key. One thread fills a map; after publication only copies
 * are changed.
 */
final class NumberedTables {

  /** A copy shrinks if fewer than one slot in this many is used. */
  private static final int SPARSE = 16;

  private final Table[] slots;
  private int size;

  NumberedTables(int expected) {
    slots = new Table[Math.max(16, Integer.highestOneBit(Math.max(1, expected)) * 4)];
  }

  /** Copies a map by its array alone, so that a change is cheap even among many tables. */
  private NumberedTables(NumberedTables other) {
    slots = other.slots.clone();
    size = other.size;
  }

  Table get(long number) {
    int mask = slots.length - 1;
    for (int i = home(number) & mask; ; i = (i + 1) & mask) {
      Table table = slots[i];
      if (table == null || table.meta().number() == number) {
        return table;
      }
    }
  }

  void put(Table table) {
    assert 2 * (size + 1) <= slots.length : size + " of " + slots.length;
    int mask = slots.length - 1;
    int i = home(table.meta().number()) & mask;
    while (slots[i] != null) {
      assert slots[i].meta().number() != table.meta().number() : table + " is open already";
      i = (i + 1) & mask;
    }
    slots[i] = table;
    size++;
  }

  NumberedTables with(Table table) {
    NumberedTables copy = 2 * (size + 1) <= slots.length ? new NumberedTables(this) : sized();
    copy.put(table);
    return copy;
  }

  NumberedTables without(long number) {
    NumberedTables copy = SPARSE * size < slots.length ? sized() : new NumberedTables(this);
    copy.remove(number);
    return copy;
  }

  /** Returns a copy sized for one more table. */
  private NumberedTables sized() {
    NumberedTables copy = new NumberedTables(size + 1);
    for (Table table : all()) {
      copy.put(table);
    }
    return copy;
  }

  /**
   * Removes a table and moves the entries after the gap that would no longer be found (Knuth, TAOCP
   * 6.4, algorithm R).
   */
  private void remove(long number) {
    int mask = slots.length - 1;
    int gap = home(number) & mask;
    while (slots[gap] != null && slots[gap].meta().number() != number) {
      gap = (gap + 1) & mask;
    }
    if (slots[gap] == null) {
      return;
    }
    size--;
    for (int i = (gap + 1) & mask; slots[i] != null; i = (i + 1) & mask) {
      int home = home(slots[i].meta().number()) & mask;
      if (((i - home) & mask) >= ((i - gap) & mask)) {
        slots[gap] = slots[i];
        gap = i;
      }
    }
    slots[gap] = null;
  }

  List<Table> all() {
    List<Table> all = new ArrayList<>(size);
    for (Table table : slots) {
      if (table != null) {
        all.add(table);
      }
    }
    return all;
  }

  int size() {
    return size;
  }

  /**
   * Returns the first slot for a number. Consecutive numbers, which are the rule, get distant
   * slots.
   */
  private static int home(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L) >>> 32);
  }
}
