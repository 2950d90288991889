// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Entries in order as a plain list: what a table must show, searched without any cleverness. */
public final class Entries {

  public record Entry(byte[] key, long sequence, EntryKind kind, byte[] value) {
    static final Comparator<Entry> ORDER =
        (a, b) -> {
          int order = Bytes.compare(a.key, b.key);
          return order != 0 ? order : Long.compare(b.sequence, a.sequence);
        };
  }

  /** How entries are drawn. */
  public record Mix(
      int entries, int keySpace, int maxVersions, int maxKeyBytes, int maxValueBytes) {}

  public final List<Entry> list;

  private Entries(List<Entry> list) {
    this.list = list;
  }

  public static Entries of(List<Entry> entries) {
    List<Entry> sorted = new ArrayList<>(entries);
    sorted.sort(Entry.ORDER);
    return new Entries(sorted);
  }

  public static Entries random(Random random, Mix mix) {
    List<Entry> entries = new ArrayList<>();
    Set<Long> sequences = new HashSet<>();
    while (entries.size() < mix.entries) {
      byte[] key = key(random.nextInt(mix.keySpace), mix.maxKeyBytes);
      int versions = 1 + random.nextInt(mix.maxVersions);
      for (int i = 0; i < versions; i++) {
        long sequence = 1 + random.nextInt(1 << 20);
        if (sequences.add(sequence)) {
          boolean delete = random.nextInt(8) == 0;
          byte[] value = new byte[delete ? 0 : random.nextInt(mix.maxValueBytes + 1)];
          random.nextBytes(value);
          entries.add(new Entry(key, sequence, delete ? EntryKind.DELETE : EntryKind.PUT, value));
        }
      }
    }
    return of(entries);
  }

  /** The same keys and versions with values of the same lengths that a codec can shrink. */
  Entries compressible() {
    return of(
        list.stream()
            .map(
                entry -> {
                  byte[] value = new byte[entry.value.length];
                  for (int i = 0; i < value.length; i++) {
                    value[i] = (byte) (entry.sequence + i / 7);
                  }
                  return new Entry(entry.key, entry.sequence, entry.kind, value);
                })
            .toList());
  }

  /** Keys of many lengths, some the prefix of others, some empty, with high bytes among them. */
  static byte[] key(int id, int maxBytes) {
    Random random = new Random(id);
    byte[] key = new byte[random.nextInt(maxBytes + 1)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : i % 3);
    }
    return key;
  }

  public TableWriter addTo(TableWriter writer) throws IOException {
    for (Entry entry : list) {
      writer.add(
          entry.key,
          0,
          entry.key.length,
          entry.sequence,
          entry.kind,
          entry.value,
          0,
          entry.value.length);
    }
    return writer;
  }

  Entry get(byte[] key, long sequence) {
    for (Entry entry : list) {
      if (Bytes.compare(entry.key, key) == 0 && entry.sequence <= sequence) {
        return entry;
      }
    }
    return null;
  }

  /** The index of the first entry with a key of at least this one. */
  int ceiling(byte[] key) {
    int index = 0;
    while (index < list.size() && Bytes.compare(list.get(index).key, key) < 0) {
      index++;
    }
    return index;
  }

  /** The index of the last entry with a key of at most this one, or -1. */
  int floor(byte[] key) {
    int index = list.size() - 1;
    while (index >= 0 && Bytes.compare(list.get(index).key, key) > 0) {
      index--;
    }
    return index;
  }

  Entries within(KeyWindow window) {
    return new Entries(list.stream().filter(e -> window.contains(e.key, 0, e.key.length)).toList());
  }

  static Entry at(EntryCursor cursor) {
    return new Entry(
        Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength()),
        cursor.sequence(),
        cursor.kind(),
        Bytes.copy(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength()));
  }

  static boolean same(Entry a, Entry b) {
    return a.sequence == b.sequence
        && a.kind == b.kind
        && Bytes.compare(a.key, b.key) == 0
        && Bytes.compare(a.value, b.value) == 0;
  }
}
