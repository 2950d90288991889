// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.ArrayList;
import java.util.List;

/**
 * Open tables by number: open addressing, at most half full, so that a search ends and takes no
 * boxed key. Filled by one thread, then published and changed only by copying.
 */
final class NumberedTables {

  /** Fewer than one slot in so many taken: a copy has fewer slots. */
  private static final int SPARSE = 16;

  private final Table[] slots;
  private int size;

  NumberedTables(int expected) {
    slots = new Table[Math.max(16, Integer.highestOneBit(Math.max(1, expected)) * 4)];
  }

  /** A copy; no table is looked at, so that one more or less costs little among many. */
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

  /** A copy with as many slots as one more table needs. */
  private NumberedTables sized() {
    NumberedTables copy = new NumberedTables(size + 1);
    for (Table table : all()) {
      copy.put(table);
    }
    return copy;
  }

  /**
   * What lies behind the gap and would not be found any more moves into it (Knuth, TAOCP 6.4, R).
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

  /** Consecutive numbers, which are the rule, fall on places far apart. */
  private static int home(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L) >>> 32);
  }
}
