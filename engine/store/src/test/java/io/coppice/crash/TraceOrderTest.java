// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.DiskOp;
import io.coppice.io.SpoiltDisk;
import io.coppice.io.SpoiltDisk.Manner;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An unlink requires the durable record, which requires durable outputs; and what else is so. */
class TraceOrderTest {

  @ParameterizedTest
  @EnumSource(CrashLoad.class)
  void aFileGoesAfterTheDurableRecordAndThatComesAfterDurableOutputs(CrashLoad load)
      throws IOException {
    assertThat(TraceOrder.broken(load.record(new Random(42)).ops())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "SYNC, .tbl, TableWriter, is not durable",
    "SYNC, .wal, RecordLogWriter, while",
    "SYNC, .manifest, RecordLogWriter, although no durable record says",
    "SYNC, CURRENT.new, CurrentFile, although its bytes are not durable",
    "SYNC_DIRECTORY, '', RollingTableWriter, although the name of",
    "SYNC_DIRECTORY, '', FlushOutputs, although the name of",
    "SYNC_DIRECTORY, '', Manifest, although the name of",
    "SYNC_DIRECTORY, '', CurrentFile, although it is in force",
  })
  void aSyncThatIsRemovedBreaksTheOrder(
      DiskOp.Kind kind, String ending, String type, String expected) throws IOException {
    List<String> broken =
        TraceOrder.broken(
            CrashLoad.NO_ROOM
                .record(
                    new Random(42),
                    disk ->
                        new SpoiltDisk(
                            disk,
                            Manner.DROPPED,
                            (k, name, site) ->
                                k == kind && name.endsWith(ending) && site.type().equals(type)))
                .ops());
    assertThat(broken).anyMatch(line -> line.contains(expected));
  }

  @Test
  void aTableThatGoesBeforeTheSyncOfTheRecordBreaksTheOrder() throws IOException {
    List<String> broken =
        TraceOrder.broken(
            CrashLoad.HALF_MERGES
                .record(
                    new Random(42),
                    disk ->
                        new SpoiltDisk(
                            disk,
                            Manner.SWAPPED,
                            (kind, name, site) ->
                                kind == DiskOp.Kind.SYNC && name.endsWith(".manifest")))
                .ops());
    assertThat(broken).anyMatch(line -> line.startsWith("DELETE") && line.contains(".tbl"));
  }
}
