// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BytesTest {

  @Test
  void orderIsUnsignedAndAPrefixComesFirst() {
    byte[][] ascending = {{}, {0}, {0, 0}, {0, 1}, {1}, {127}, {-128}, {-1}, {-1, -1}};
    for (int i = 0; i < ascending.length; i++) {
      for (int j = 0; j < ascending.length; j++) {
        assertThat(Integer.signum(Bytes.compare(ascending[i], ascending[j])))
            .isEqualTo(Integer.compare(i, j));
      }
    }
  }

  @Test
  void rangesAreComparedNotArrays() {
    byte[] a = {9, 1, 2, 9};
    byte[] b = {1, 2, 3};
    assertThat(Bytes.compare(a, 1, 2, b, 0, 2)).isZero();
    assertThat(Bytes.equal(a, 1, 2, b, 0, 2)).isTrue();
    assertThat(Bytes.equal(a, 1, 3, b, 0, 3)).isFalse();
    assertThat(Bytes.commonPrefix(a, 1, 3, b, 0, 3)).isEqualTo(2);
    assertThat(Bytes.commonPrefix(a, 1, 2, b, 0, 2)).isEqualTo(2);
    assertThat(Bytes.copy(a, 1, 2)).containsExactly(1, 2);
  }

  @Test
  void differentPrefixesOrderTheirRanges() {
    Seeds.forEach(20, BytesTest::comparePrefixes);
  }

  private static void comparePrefixes(Random random) {
    for (int i = 0; i < 2_000; i++) {
      byte[] a = new byte[random.nextInt(12)];
      byte[] b = new byte[random.nextInt(12)];
      for (byte[] bytes : new byte[][] {a, b}) {
        for (int j = 0; j < bytes.length; j++) {
          bytes[j] = (byte) (random.nextInt(3) - 1);
        }
      }
      int order = Long.compareUnsigned(Bytes.prefix(a, 0, a.length), Bytes.prefix(b, 0, b.length));
      if (order != 0) {
        assertThat(Integer.signum(order)).isEqualTo(Integer.signum(Bytes.compare(a, b)));
      } else if (a.length >= 8 && b.length >= 8) {
        assertThat(Bytes.commonPrefix(a, 0, a.length, b, 0, b.length)).isGreaterThanOrEqualTo(8);
      }
    }
  }
}
