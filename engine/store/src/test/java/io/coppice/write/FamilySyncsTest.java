// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.io.DiskOp;
import io.coppice.io.MemDisk;
import io.coppice.io.RecordingDisk;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts the syncs that creating and dropping a family wait for, and cuts the power after them. */
class FamilySyncsTest {

  private static final byte[] KEY = {1};

  private final MemDisk memory = new MemDisk();
  private RecordingDisk disk;
  private Store store;

  private void open() throws IOException {
    disk = new RecordingDisk(memory, () -> 0, () -> 0);
    store = TestStores.open(disk, StoreOptions.builder().policy("leveled").build());
    store.awaitIdle();
  }

  /** The endings of the names of what an action syncs; "" for the directory. */
  private List<String> syncs(Runnable action) {
    int before = disk.count();
    action.run();
    return disk.ops().stream()
        .skip(before)
        .filter(op -> op.kind() == DiskOp.Kind.SYNC || op.kind() == DiskOp.Kind.SYNC_DIRECTORY)
        .map(op -> op.name().replaceFirst("[0-9]+", ""))
        .toList();
  }

  @Test
  void aNewFamilyCostsOneSync() throws IOException {
    open();
    try (Store open = store) {
      for (int i = 0; i < 5; i++) {
        String name = "f" + i;
        assertThat(syncs(() -> open.createFamily(name))).containsExactly(".manifest");
        assertThat(names(memory.crash())).contains(name);
      }
      open.write(new WriteBatch().put(open.family("f0"), KEY, KEY), Durability.BUFFERED);
      assertThat(syncs(() -> open.createFamily("after"))).containsExactly(".wal", ".manifest");
      assertThat(names(memory.crash())).contains("after");
    }
  }

  @Test
  void theFirstEntryOfNewFamiliesWaitsUntilCurrentTellsOfThem() throws IOException {
    open();
    try (Store open = store) {
      open.createFamily("a");
      Family first = open.createFamily("b");
      Family second = open.createFamily("c");
      open.put(KEY, KEY);
      assertThat(syncs(() -> open.put(KEY, KEY))).as("of another family").containsExactly(".wal");
      assertThat(syncs(() -> first.put(KEY, KEY))).containsExactly("CURRENT.new", "", ".wal");
      assertThat(syncs(() -> second.put(KEY, KEY))).containsExactly(".wal");
    }
  }

  @Test
  void aNameThatNeedsANewerFormatStartsAManifestOnce() throws IOException {
    open();
    try (Store open = store) {
      assertThat(syncs(() -> open.createFamily("Größe")))
          .containsExactly(".manifest", "", "CURRENT.new", "", ".manifest");
      assertThat(names(memory.crash())).contains("Größe");
      assertThat(syncs(() -> open.createFamily("a b"))).containsExactly(".manifest");
      assertThat(names(memory.crash())).contains("Größe", "a b");
    }
  }

  @Test
  void aDropCostsTheEditAndItsWitness() throws IOException {
    open();
    try (Store open = store) {
      open.createFamily("empty");
      open.createFamily("full").put(KEY, KEY);
      assertThat(syncs(() -> open.dropFamily("empty")))
          .containsExactly(".manifest", "CURRENT.new", "");
      assertThat(syncs(() -> open.dropFamily("full")))
          .containsExactly(".manifest", "CURRENT.new", "");
      assertThat(names(memory.crash())).containsExactly("default");
    }
  }

  private static List<String> names(MemDisk crashed) throws IOException {
    try (Store store = TestStores.open(crashed, StoreOptions.defaults())) {
      return store.families().stream().map(Family::name).toList();
    }
  }
}
