// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChecksumTest {

  private static final byte[] DIGITS = "123456789".getBytes(StandardCharsets.US_ASCII);

  @Test
  void isPersistedAndNeverChanges() {
    int plain = 0xE3069283;
    assertThat(Checksum.of(0, 0, DIGITS, 0, 9) ^ plain).isEqualTo(0xB71D5699);
    assertThat(Checksum.of(7, 4096, DIGITS, 0, 9) ^ plain).isEqualTo(0xC84B4100);
  }

  @Test
  void dependsOnFileAndOffset() {
    Set<Integer> sums = new HashSet<>();
    for (long file = 0; file < 100; file++) {
      for (long offset = 0; offset < 100; offset++) {
        sums.add(Checksum.of(file, offset * 4096, DIGITS, 0, 9));
      }
    }
    assertThat(sums).hasSize(10_000);
  }

  @Test
  void aSumOfPartsIsTheSumOfTheWhole() {
    Checksum checksum = new Checksum();
    checksum.add(DIGITS, 0, 1);
    checksum.reset().add(DIGITS, 0, 4).add(DIGITS, 4, 0).add(DIGITS, 4, 5);
    assertThat(checksum.value(3, 5)).isEqualTo(Checksum.of(3, 5, DIGITS, 0, 9));
  }
}
