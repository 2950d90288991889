// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.CursorModel;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.ListCursor;
import io.coppice.entry.ListCursor.Entry;
import io.coppice.entry.RangeDeletions;
import io.coppice.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeDeletionCursorTest {

  @Test
  void appliesVisibleDeletionsInBothDirections() {
    Seeds.forEach(
        60,
        random -> {
          List<Entry> entries = new ArrayList<>();
          for (int i = 0; i < 60; i++) {
            entries.add(CursorModel.randomEntry(random, 10 + i));
          }
          entries.sort(
              Comparator.comparing(Entry::keyBytes, Arrays::compareUnsigned)
                  .thenComparing(Entry::sequence, Comparator.reverseOrder()));
          RangeDeletions own = deletions(random, random.nextInt(6), 10, 70);
          List<RangeDeletions> newer = new ArrayList<>();
          for (int i = random.nextInt(3); i > 0; i--) {
            newer.add(deletions(random, 1 + random.nextInt(4), 100, 130));
          }
          long sequence = random.nextBoolean() ? 10 + random.nextInt(60) : 100 + random.nextInt(30);
          List<Entry> shown =
              entries.stream()
                  .filter(entry -> !isHidden(entry, newer, sequence))
                  .map(entry -> isDeleted(entry, own, sequence) ? deletion(entry) : entry)
                  .toList();
          EntryCursor cursor =
              RangeDeletionCursor.of(new ListCursor(entries), newer, own, sequence);
          CursorModel.check(cursor, shown, random, 200);
        });
  }

  private static RangeDeletions deletions(Random random, int count, int from, int to) {
    List<RangeDeletions> all = new ArrayList<>();
    while (all.size() < count) {
      byte[] low = CursorModel.randomKey(random);
      byte[] high = CursorModel.randomKey(random);
      if (Arrays.compareUnsigned(low, high) < 0) {
        all.add(RangeDeletions.of(low, high, from + random.nextInt(to - from)));
      }
    }
    return RangeDeletions.union(all);
  }

  private static boolean isHidden(Entry entry, List<RangeDeletions> newer, long sequence) {
    byte[] key = entry.keyBytes();
    for (RangeDeletions deletions : newer) {
      if (deletions.newestCovering(key, 0, key.length, sequence) >= 0) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDeleted(Entry entry, RangeDeletions own, long sequence) {
    byte[] key = entry.keyBytes();
    return own.newestCovering(key, 0, key.length, sequence) > entry.sequence();
  }

  private static Entry deletion(Entry entry) {
    return Entry.of(entry.keyBytes(), entry.sequence(), EntryKind.DELETE, Bytes.EMPTY);
  }

  @Test
  void passesAHundredThousandDeletedKeysInOneStep() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      entries.add(Entry.of(key(i), i, EntryKind.PUT, Bytes.EMPTY));
    }
    CountingCursor inner = new CountingCursor(new ListCursor(entries));
    EntryCursor cursor =
        RangeDeletionCursor.of(
            inner,
            List.of(RangeDeletions.of(key(5), key(99_990), 200_000)),
            RangeDeletions.NONE,
            300_000);
    cursor.seek(key(5), 0, 4);
    assertThat(Entry.at(cursor).keyBytes()).isEqualTo(key(99_990));
    cursor.prev();
    assertThat(Entry.at(cursor).keyBytes()).isEqualTo(key(4));
    cursor.next();
    assertThat(Entry.at(cursor).keyBytes()).isEqualTo(key(99_990));
    assertThat(inner.moves).isLessThan(12);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }
}
