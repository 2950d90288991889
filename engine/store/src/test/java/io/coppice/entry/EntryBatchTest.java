// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.testing.Seeds;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EntryBatchTest {

  private final EntryBatch batch = new EntryBatch();
  private final EntryBatchReader reader = new EntryBatchReader();

  private void fill() {
    batch.put(new byte[] {9, 1, 2}, 1, 2, new byte[] {5, 6, 7}, 0, 3);
    batch.delete(new byte[] {1}, 0, 1);
    batch.put(new byte[0], 0, 0, new byte[300], 0, 300);
  }

  @Test
  void entriesAreReadInTheOrderInWhichTheyWereAdded() {
    fill();
    assertThat(batch.count()).isEqualTo(3);
    batch.read(reader);
    assertThat(reader.next()).isTrue();
    assertThat(reader.kind()).isEqualTo(EntryKind.PUT);
    assertThat(key()).containsExactly(1, 2);
    assertThat(value()).containsExactly(5, 6, 7);
    assertThat(reader.next()).isTrue();
    assertThat(reader.kind()).isEqualTo(EntryKind.DELETE);
    assertThat(key()).containsExactly(1);
    assertThat(value()).isEmpty();
    assertThat(reader.next()).isTrue();
    assertThat(key()).isEmpty();
    assertThat(value()).hasSize(300);
    assertThat(reader.next()).isFalse();
  }

  private byte[] key() {
    int from = reader.keyFrom();
    return Arrays.copyOfRange(reader.array(), from, from + reader.keyLength());
  }

  private byte[] value() {
    int from = reader.valueFrom();
    return Arrays.copyOfRange(reader.array(), from, from + reader.valueLength());
  }

  @Test
  void aClearedBatchIsEmpty() {
    fill();
    batch.clear(16);
    assertThat(batch.count()).isZero();
    assertThat(batch.bytes().array()).hasSize(16);
    batch.read(reader);
    assertThat(reader.next()).isFalse();
  }

  @Test
  void itsRoomEndsAtTheLargestBatch() {
    assertThat(batch.hasRoomFor(Limits.MAX_KEY_BYTES, Limits.MAX_VALUE_BYTES)).isTrue();
    assertThat(batch.hasRoomFor(0, Limits.MAX_BATCH_BYTES)).isFalse();
    assertThat(batch.hasRoomFor(Integer.MAX_VALUE, Integer.MAX_VALUE)).isFalse();
  }

  @Test
  void everyCutInsideAnEntryIsDamage() {
    fill();
    byte[] whole = batch.bytes().toByteArray();
    int whole1 = 2 + 3 + 4;
    int whole2 = whole1 + 2 + 2;
    for (int length = 1; length < whole.length; length++) {
      reader.reset("000001.wal", 50, whole, 0, length);
      if (length == whole1 || length == whole2) {
        continue;
      }
      assertThatThrownBy(
              () -> {
                while (reader.next()) {
                  assertThat(reader.keyLength()).isLessThan(3);
                }
              })
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("000001.wal");
    }
  }

  @Test
  void unknownKindsAreDamage() {
    byte[][] wrong = {{0, 5, 0, 0}, {0, 3, 0, 0}, {0, 4, 0, 0}, {0, -1, 0, 0}};
    for (byte[] bytes : wrong) {
      reader.reset("f", 0, bytes, 0, bytes.length);
      assertThatThrownBy(reader::next).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void eachEntryHasTheFamilyThatWasNamedLast() {
    EntryBatch batch = new EntryBatch();
    batch.delete(new byte[1], 0, 1);
    batch.in(300).put(new byte[2], 0, 2, new byte[3], 0, 3);
    batch.in(0).delete(new byte[4], 0, 4);
    batch.read(reader);

    for (int[] expected : new int[][] {{0, 1}, {300, 2}, {0, 4}}) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.family()).isEqualTo(expected[0]);
      assertThat(reader.keyLength()).isEqualTo(expected[1]);
    }
    assertThat(reader.next()).isFalse();
  }

  @Test
  void randomBytesAreReadOrReportedButNeverTrusted() {
    Seeds.forEach(
        20,
        random -> {
          for (int i = 0; i < 500; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            for (int j = 0; j < bytes.length; j++) {
              bytes[j] = (byte) (random.nextBoolean() ? random.nextInt(4) : random.nextInt());
            }
            reader.reset("f", 0, bytes, 0, bytes.length);
            try {
              while (reader.next()) {
                assertThat(reader.keyFrom() + reader.keyLength()).isBetween(0, bytes.length);
                assertThat(reader.valueFrom() + reader.valueLength()).isBetween(0, bytes.length);
              }
            } catch (CorruptionException e) {
              assertThat(e.offset()).isBetween(0L, (long) bytes.length);
            }
          }
        });
  }
}
