// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteTextTest {

  @ParameterizedTest
  @CsvSource({
    "128, 128",
    "128B, 128",
    "64kB, 64000",
    "64 KB, 64000",
    "64MB, 64000000",
    "64MiB, 67108864",
    "1.5GB, 1500000000",
    "1TB, 1000000000000",
    "1tib, 1099511627776",
    "1PB, 1000000000000000",
    "2PiB, 2251799813685248",
    "1E, 1000000000000000000"
  })
  void readsDecimalAndBinaryAmounts(String text, long bytes) {
    assertThat(ByteText.parse(text)).isEqualTo(OptionalLong.of(bytes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "MB", "-1", "1XB", "1.5", "0.3B", "10EB", "1e3", "1 MB x"})
  void refusesWhatIsNoWholeNumberOfBytes(String text) {
    assertThat(ByteText.parse(text)).isEmpty();
  }

  @Test
  void printsThreeDigits() {
    assertThat(ByteText.format(0)).isEqualTo("0 B");
    assertThat(ByteText.format(999)).isEqualTo("999 B");
    assertThat(ByteText.format(1000)).isEqualTo("1.00 kB");
    assertThat(ByteText.format(99_949)).isEqualTo("99.9 kB");
    assertThat(ByteText.format(99_950)).isEqualTo("100 kB");
    assertThat(ByteText.format(999_600)).isEqualTo("1.00 MB");
    assertThat(ByteText.format(1.02e12)).isEqualTo("1.02 TB");
    assertThat(ByteText.format(Long.MAX_VALUE)).isEqualTo("9.22 EB");
  }
}
