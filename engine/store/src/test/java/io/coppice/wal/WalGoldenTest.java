// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

import io.coppice.entry.EntryBatch;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.io.FormatPage;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pages on the envelope and on the log show the bytes that are written. */
class WalGoldenTest {

  @Test
  void theEnvelopeIsAsItsPageShows() throws IOException {
    FormatPage.check("envelope.md", FileHeader.of(FileKind.WAL, 7).encode());
  }

  @Test
  void theLogIsAsItsPageShows() throws IOException {
    FormatPage.check("wal.md", sample());
  }

  /** Two batches in one group, a sync, and a group of one. */
  private static byte[] sample() throws IOException {
    MemDisk disk = new MemDisk();
    EntryBatch first = new EntryBatch();
    put(first, "ash", "grey");
    put(first, "oak", "");
    EntryBatch second = new EntryBatch();
    second.delete(bytes("ash"), 0, 3);
    EntryBatch third = new EntryBatch();
    put(third, "elm", "tall");
    try (WalWriter log = WalWriter.create(disk, 7)) {
      log.append(1000, List.of(first, second));
      log.sync();
      log.append(1003, List.of(third));
    }
    return disk.bytes("000007.wal");
  }

  private static void put(EntryBatch batch, String key, String value) {
    batch.put(bytes(key), 0, key.length(), bytes(value), 0, value.length());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
