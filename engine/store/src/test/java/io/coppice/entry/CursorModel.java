// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.ListCursor.Entry;
import java.util.List;
import java.util.Random;

/** Walks a cursor at random beside a list of the entries that it should show. */
public final class CursorModel {

  private CursorModel() {}

  /** A short key, so that equal keys, common prefixes and the empty key are frequent. */
  public static byte[] randomKey(Random random) {
    byte[] key = new byte[random.nextInt(4) == 0 ? random.nextInt(21) : random.nextInt(3)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }

  /** Makes so many random moves and compares after each. */
  public static void check(EntryCursor cursor, List<Entry> sorted, Random random, int moves) {
    ListCursor model = new ListCursor(sorted);
    for (int i = 0; i < moves; i++) {
      move(cursor, model, random);
      assertThat(cursor.valid()).isEqualTo(model.valid());
      if (model.valid()) {
        assertThat(Entry.at(cursor)).isEqualTo(Entry.at(model));
      }
    }
  }

  private static void move(EntryCursor cursor, ListCursor model, Random random) {
    int choice = random.nextInt(20);
    if (choice == 0) {
      cursor.first();
      model.first();
    } else if (choice == 1) {
      cursor.last();
      model.last();
    } else if (choice < 4 || !model.valid()) {
      byte[] key = randomKey(random);
      byte[] padded = new byte[key.length + 2];
      System.arraycopy(key, 0, padded, 1, key.length);
      long sequence = random.nextInt(60) - 1;
      switch (random.nextInt(4)) {
        case 0 -> {
          cursor.seek(padded, 1, key.length);
          model.seek(key, 0, key.length);
        }
        case 1 -> {
          cursor.seekForPrev(padded, 1, key.length);
          model.seekForPrev(key, 0, key.length);
        }
        case 2 -> {
          cursor.seek(padded, 1, key.length, sequence);
          model.seek(key, 0, key.length, sequence);
        }
        default -> {
          cursor.seekBefore(padded, 1, key.length, sequence);
          model.seekBefore(key, 0, key.length, sequence);
        }
      }
    } else if (choice < 13) {
      cursor.next();
      model.next();
    } else {
      cursor.prev();
      model.prev();
    }
  }

  /** A random entry with this sequence number. */
  public static Entry randomEntry(Random random, long sequence) {
    EntryKind kind = random.nextInt(5) == 0 ? EntryKind.DELETE : EntryKind.PUT;
    byte[] value = Bytes.EMPTY;
    if (kind == EntryKind.PUT) {
      value = new byte[random.nextInt(12)];
      random.nextBytes(value);
    }
    return Entry.of(randomKey(random), sequence, kind, value);
  }
}
