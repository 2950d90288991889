// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FileKindTest {

  @Test
  void namesAndCodesArePersistedAndNeverChange() {
    assertThat(FileKind.WAL.fileName(7)).isEqualTo("000007.wal");
    assertThat(FileKind.TABLE.fileName(1_234_567)).isEqualTo("1234567.tbl");
    assertThat(FileKind.MANIFEST.fileName(0)).isEqualTo("000000.manifest");
    assertThat(FileKind.FILTERS.fileName(0)).isEqualTo("filters.slots");
    assertThat(FileKind.CURRENT.fileName(0)).isEqualTo("CURRENT");
    assertThat(FileKind.RESERVE.fileName(0)).isEqualTo("RESERVE");
    assertThat(List.of(FileKind.values()))
        .extracting(FileKind::code)
        .containsExactly(1, 2, 3, 4, 5, 6);
  }

  @Test
  void aNameGivesItsNumberBack() {
    long[] numbers = {0, 9, 999_999, 1L << 50, FileKind.MAX_NUMBER};
    for (FileKind kind : FileKind.values()) {
      for (long number : kind.numbered() ? numbers : new long[1]) {
        assertThat(kind.numberOf(kind.fileName(number))).hasValue(number);
      }
    }
  }

  @Test
  void onlyExactNamesCount() {
    List<String> others =
        List.of(
            "",
            "7.wal",
            "0000007.wal",
            "000007.wal.tmp",
            "000007.WAL",
            "-00007.wal",
            "+00007.wal",
            ".wal",
            "99999999999999999999.wal",
            "CURRENT",
            "٠٠٠٠٠٧.wal");
    for (String name : others) {
      assertThat(FileKind.WAL.numberOf(name)).as(name).isEmpty();
    }
    assertThat(FileKind.CURRENT.numberOf("CURRENT.tmp")).isEmpty();
  }
}
