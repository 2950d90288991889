// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryKind;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.io.Disk;
import io.coppice.io.Disk.SlotFile;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.table.FinishedTable;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableWriter;
import io.coppice.table.cache.BlockCacheOptions;
import io.coppice.table.filter.FilterOptions;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An update for a version opens a limited number of cold files and measures the rest later. */
class HiddenEntriesUpdateTest {

  private static final int OLDER = 5 * HiddenEntries.OPENS;
  private static final int ENTRIES = 20;
  private static final long[] NO_SNAPSHOTS = {};

  private final MemDisk disk = new MemDisk();

  @Test
  void oneUpdateOpensFewFilesAndTheLastOneKnowsAll() throws IOException {
    List<TableMeta> metas = new ArrayList<>();
    try (OpenTables tables = tables(List.of())) {
      for (int i = 0; i < OLDER; i++) {
        metas.add(older(tables, i));
      }
      metas.add(deletion(tables));
    }
    try (Manifest manifest = Manifest.open(new MemDisk());
        OpenTables tables = tables(metas)) {
      manifest.retireTo(table -> {});
      Version version = version(manifest, metas);
      HiddenEntries hidden = new HiddenEntries(tables);
      int updates = 0;
      for (long rest = 0; rest < Long.MAX_VALUE; rest = hidden.restNanos(), updates++) {
        long before = withIndex(tables, metas);
        hidden.update(version, NO_SNAPSHOTS);
        assertThat(withIndex(tables, metas) - before).isLessThanOrEqualTo(HiddenEntries.OPENS);
        assertThat(updates).isLessThan(10);
      }
      assertThat(updates).isGreaterThan(1);
      // The deleted range ends in the middle of the last table.
      long most = (long) OLDER * ENTRIES;
      assertThat(hidden.hidden().get((long) OLDER + 1)).isBetween(most - ENTRIES, most);
    }
  }

  /** An unreadable table is measured again only after another change. */
  @Test
  void onlyAnotherUpdateTriesAnUnreadableTableAgain() throws IOException {
    List<TableMeta> metas = new ArrayList<>();
    try (OpenTables tables = tables(List.of())) {
      // The deleted range ends inside this table.
      metas.add(older(tables, OLDER - 1));
      metas.add(deletion(tables));
    }
    String name = disk.list().get(0);
    byte[] sound = disk.bytes(name);
    try (Manifest manifest = Manifest.open(new MemDisk());
        OpenTables tables = tables(metas)) {
      manifest.retireTo(table -> {});
      Version version = version(manifest, metas);
      HiddenEntries hidden = new HiddenEntries(tables);
      overwrite(name, new byte[sound.length]);
      hidden.update(version, NO_SNAPSHOTS);
      assertThat(hidden.restNanos()).isEqualTo(Long.MAX_VALUE);
      assertThat(hidden.hidden().get((long) OLDER + 1)).isZero();
      overwrite(name, sound);
      hidden.update(version, NO_SNAPSHOTS);
      assertThat(hidden.restNanos()).isEqualTo(Long.MAX_VALUE);
      assertThat(hidden.hidden().get((long) OLDER + 1)).isBetween(1L, (long) ENTRIES);
    }
  }

  /** A read that fails for another reason may succeed later, without a change of the family. */
  @Test
  void timeTriesAReadAgainThatFailed() throws IOException {
    List<TableMeta> metas = new ArrayList<>();
    try (OpenTables tables = tables(List.of())) {
      metas.add(older(tables, OLDER - 1));
      metas.add(deletion(tables));
    }
    ErrorDisk failing = new ErrorDisk(disk);
    try (Manifest manifest = Manifest.open(new MemDisk());
        OpenTables tables = tables(failing, metas)) {
      manifest.retireTo(table -> {});
      Version version = version(manifest, metas);
      HiddenEntries hidden = new HiddenEntries(tables);
      failing.fail(Fault.EIO, 1, true);
      hidden.update(version, NO_SNAPSHOTS);
      assertThat(hidden.restNanos()).isBetween(1L, Long.MAX_VALUE - 1);
      assertThat(hidden.hidden().get((long) OLDER + 1)).isZero();
      failing.heal();
      hidden.update(version, NO_SNAPSHOTS);
      assertThat(hidden.restNanos()).isEqualTo(Long.MAX_VALUE);
      assertThat(hidden.hidden().get((long) OLDER + 1)).isBetween(1L, (long) ENTRIES);
    }
  }

  private void overwrite(String name, byte[] bytes) throws IOException {
    try (SlotFile file = disk.openSlots(name)) {
      file.write(0, bytes, 0, bytes.length);
    }
  }

  private static long withIndex(OpenTables tables, List<TableMeta> metas) {
    return metas.stream().filter(meta -> tables.get(meta.number()).hasIndex()).count();
  }

  private OpenTables tables(List<TableMeta> live) throws IOException {
    return tables(disk, live);
  }

  private static OpenTables tables(Disk from, List<TableMeta> live) throws IOException {
    return OpenTables.open(
        from,
        MemoryBudget.ofMebibytes(8),
        TableOptions.DEFAULT,
        FilterOptions.OFF,
        BlockCacheOptions.OFF,
        0,
        live);
  }

  private static TableMeta older(OpenTables tables, int place) throws IOException {
    TableWriter writer = tables.create(place + 1);
    byte[] value = new byte[100];
    for (int i = 0; i < ENTRIES; i++) {
      byte[] key = key(place * ENTRIES + i);
      writer.add(key, 0, key.length, 1, EntryKind.PUT, value, 0, value.length);
    }
    return FinishedTable.of(tables, writer);
  }

  private static TableMeta deletion(OpenTables tables) throws IOException {
    TableWriter writer = tables.create(OLDER + 1);
    writer.add(new Fragment(key(0), key(OLDER * ENTRIES - ENTRIES / 2), new long[] {2}));
    return FinishedTable.of(tables, writer);
  }

  private static Version version(Manifest manifest, List<TableMeta> metas) throws IOException {
    VersionEdit.Builder edit =
        VersionEdit.builder().addRun(0, 5000, Set.of()).addRun(1, 5001, Set.of());
    for (TableMeta meta : metas) {
      boolean deletes = meta.rangeDeletions() > 0;
      edit.addTable(deletes ? 0 : 1, deletes ? 5000 : 5001, meta.number(), meta);
    }
    manifest.install(edit.nextNumber(10_000).build());
    return manifest.family().current();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }
}
