// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.RecordLogReader;
import io.coppice.io.TapDisk;
import io.coppice.io.TornTail;
import io.coppice.load.FamilyLoad;
import io.coppice.manifest.CurrentFile;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Manifests of stores that were closed, killed or lost power, cut off at every record: what opens
 * shows every acknowledged write, and what does not open is left as it was and can be repaired. A
 * new family that is still empty may be missing: nothing tells of it but the manifest. {@code
 * -Dcuts=N} sets how many moments of a life are looked at.
 */
class TruncatedManifestCheckTest {

  private static final int STATES = Integer.getInteger("cuts", 10);

  /** How a manifest ends that was cut off. */
  private enum End {
    AT_A_RECORD,
    IN_A_RECORD,
    ZEROS,
    GARBAGE
  }

  /** A disk as it was found, and how many operations were certain and begun by then. */
  private record Found(MemDisk disk, int least, int most) {}

  private final long seed = Seeds.seed(11);
  private final Random random = Seeds.random(seed, 1);
  private final List<Found> states = Collections.synchronizedList(new ArrayList<>());
  private int opened;
  private int refused;
  private FamilyLoad load;

  @Test
  void ofOneFamilyEveryAcknowledgedWriteIsThereOrTheCutIsNoticed() throws IOException {
    load = FamilyLoad.ofOne(Seeds.random(seed, 2), 1_500, 120, 250);
    live("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1", 1 << 20, 10_000);
    cutAll();
  }

  @Test
  void ofFamiliesThatComeAndGoNoChangeIsLostUnnoticed() throws IOException {
    load = new FamilyLoad(Seeds.random(seed, 3), 1_200, 60, 200);
    live("delayed,table_size=4KiB,cleaning_threshold=1", 4 << 10, 12_000);
    cutAll();
  }

  private static StoreOptions options(String policy, long manifestBytes) {
    return TestStores.manifestBytes(StoreOptions.builder(), manifestBytes)
        .policy(policy)
        .memory(MemoryBudget.ofMebibytes(24))
        .memtableBytes(24 << 10)
        .build();
  }

  private static StoreOptions options() {
    return options("tiered", 1 << 20);
  }

  /** Two sessions, each closed in the end; states are gathered before operations of the disk. */
  private void live(String policy, long manifestBytes, int operations) throws IOException {
    MemDisk memory = new MemDisk();
    AtomicInteger finished = new AtomicInteger();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger taps = new AtomicInteger();
    int every = Math.max(1, operations / STATES);
    Runnable tap =
        () -> {
          if (taps.incrementAndGet() % every == 0) {
            int least = finished.get();
            MemDisk disk = image(memory);
            states.add(new Found(disk, least, begun.get()));
          }
        };
    for (int session = 1; session <= 2; session++) {
      try (Store store =
          TestStores.open(new TapDisk(memory.reopen(), tap), options(policy, manifestBytes))) {
        while (finished.get() < session * load.count() / 2) {
          begun.incrementAndGet();
          load.carryOut(store, finished.get(), Durability.SYNC);
          finished.incrementAndGet();
        }
        states.add(new Found(memory.kill(), finished.get(), finished.get()));
        store.flush();
        store.awaitIdle();
        states.add(new Found(memory.kill(), finished.get(), finished.get()));
      }
      states.add(new Found(memory.kill(), finished.get(), finished.get()));
    }
  }

  private MemDisk image(MemDisk memory) {
    synchronized (random) {
      return switch (random.nextInt(3)) {
        case 0 -> memory.kill();
        case 1 -> memory.crash();
        default -> memory.crash(random);
      };
    }
  }

  private void cutAll() throws IOException {
    int last = states.size() - 1;
    for (int i = 0; i <= last; i++) {
      Found found = states.get(i);
      if (!found.disk.list().contains("CURRENT")) {
        continue;
      }
      check(found.disk.kill(), found, "state " + i + " uncut", true);
      for (long[] record : records(found.disk)) {
        for (End end : List.of(End.AT_A_RECORD, End.values()[1 + random.nextInt(3)])) {
          String said = "state " + i + " of " + last + " cut at " + record[0] + " " + end;
          MemDisk cut = found.disk.kill();
          cut(cut, (int) record[0], (int) record[1], end);
          check(cut, found, said + ", " + Seeds.replay(getClass(), seed), false);
        }
      }
    }
    System.out.printf(
        "cut manifests: %d refused and repaired, %d harmless, of %d states%n",
        refused, opened - states.size(), states.size());
    assertThat(refused).as("cuts that were noticed").isGreaterThan(states.size());
    assertThat(opened).as("states and cuts that did no harm").isGreaterThan(states.size());
  }

  /** Where each whole record of the manifest in force begins and ends. */
  private static List<long[]> records(MemDisk disk) throws IOException {
    List<long[]> records = new ArrayList<>();
    long number = CurrentFile.read(disk).manifest();
    try (RecordLogReader log =
        RecordLogReader.open(disk, FileKind.MANIFEST, number, TornTail.DROP)) {
      while (log.next()) {
        records.add(new long[] {log.recordOffset(), log.payloadOffset() + log.payloadLength()});
      }
    }
    return records;
  }

  private void cut(MemDisk disk, int from, int to, End end) throws IOException {
    String name = FileKind.MANIFEST.fileName(CurrentFile.read(disk).manifest());
    byte[] bytes = disk.bytes(name);
    byte[] left = Arrays.copyOf(bytes, from);
    switch (end) {
      case AT_A_RECORD -> {}
      case IN_A_RECORD -> left = Arrays.copyOf(bytes, from + 1 + random.nextInt(to - from - 1));
      case ZEROS -> left = Arrays.copyOf(left, bytes.length);
      case GARBAGE -> {
        left = Arrays.copyOf(left, bytes.length);
        byte[] garbage = new byte[bytes.length - from];
        random.nextBytes(garbage);
        System.arraycopy(garbage, 0, left, from, garbage.length);
      }
      default -> throw new AssertionError(end);
    }
    disk.setBytes(name, left);
  }

  private void check(MemDisk disk, Found found, String said, boolean whole) throws IOException {
    Map<String, ByteBuffer> before = bytes(disk);
    boolean sound = !StoreVerifier.verify(disk.reopen()).damaged();
    MemDisk reading = disk.kill();
    try (Store store = TestStores.openReadOnly(reading, options())) {
      assertShown(FamilyLoad.contents(store), found, said + ", opened for reading", whole);
    } catch (CorruptionException e) {
      assertThat(sound).as("%s verified, but for reading: %s", said, e).isFalse();
    }
    assertThat(bytes(reading.reopen())).as(said).isEqualTo(before);
    try (Store store = TestStores.open(disk.reopen(), options())) {
      assertThat(sound).as(said + " is sound").isTrue();
      assertShown(FamilyLoad.contents(store), found, said, whole);
      opened++;
      return;
    } catch (CorruptionException e) {
      assertThat(whole).as("%s: %s", said, e).isFalse();
      assertThat(sound).as(said + " is found by verification").isFalse();
      assertThat(bytes(disk.reopen())).as(said + " is untouched").isEqualTo(before);
    }
    refused++;
    RepairReport repair = Repairer.repair(disk.reopen());
    assertThat(repair.after().damaged()).as("%s: %s", said, repair).isFalse();
    assertThat(Repairer.repair(disk.reopen()).done()).as(said + " again").isEmpty();
    try (Store store = TestStores.open(disk.reopen(), options())) {
      assertRepaired(FamilyLoad.contents(store), repair, found, said + ": " + repair);
    }
  }

  private static Map<String, ByteBuffer> bytes(MemDisk disk) throws IOException {
    Map<String, ByteBuffer> bytes = new TreeMap<>();
    for (String name : disk.list()) {
      bytes.put(name, ByteBuffer.wrap(disk.bytes(name)));
    }
    return bytes;
  }

  private void assertShown(FamilyLoad.State shown, Found found, String said, boolean whole) {
    FamilyLoad.State model = load.after(found.least);
    boolean same = shows(shown, model, whole);
    for (int i = found.least; i < found.most && !same; i++) {
      load.apply(model, i);
      same = shows(shown, model, whole);
    }
    assertThat(same).as("%s: %s, not %s", said, shown, model).isTrue();
  }

  private static boolean shows(FamilyLoad.State shown, FamilyLoad.State model, boolean whole) {
    FamilyLoad.State wanted = FamilyLoad.copy(model);
    wanted
        .entrySet()
        .removeIf(one -> !whole && one.getValue().isEmpty() && !shown.containsKey(one.getKey()));
    return shown.same(wanted);
  }

  /** Nothing is missing, and what should not be there was announced. */
  private void assertRepaired(
      FamilyLoad.State shown, RepairReport repair, Found found, String said) {
    FamilyLoad.State least = load.after(found.least);
    FamilyLoad.State most = load.after(found.most);
    int extra = 0;
    List<NavigableMap<byte[], byte[]>> nameless = new ArrayList<>();
    for (String name : shown.keySet()) {
      if (name.startsWith("recovered-")) {
        nameless.add(shown.get(name));
      } else if (!least.containsKey(name) && !most.containsKey(name)) {
        extra++;
      }
    }
    for (String name : least.keySet()) {
      // Of an empty family only the manifest tells.
      if (!most.containsKey(name) || least.get(name).isEmpty()) {
        continue;
      }
      List<NavigableMap<byte[], byte[]>> places = nameless;
      if (shown.containsKey(name)) {
        places = new ArrayList<>(nameless);
        places.add(shown.get(name));
      }
      NavigableMap<byte[], byte[]> first = least.get(name);
      NavigableMap<byte[], byte[]> second = most.get(name);
      assertThat(places)
          .as("%s: of %s: %s", said, name, shown.keySet())
          .anyMatch(place -> holds(place, first, second));
      extra += shown.containsKey(name) ? Math.max(0, shown.get(name).size() - first.size() - 1) : 0;
    }
    if (extra > 0) {
      assertThat(repair.deletedMayReturn()).as(said).isTrue();
    }
  }

  /** True if all keys of both states have the value of one of them. */
  private static boolean holds(
      NavigableMap<byte[], byte[]> shown,
      NavigableMap<byte[], byte[]> first,
      NavigableMap<byte[], byte[]> second) {
    return first.entrySet().stream()
        .filter(entry -> second.containsKey(entry.getKey()))
        .allMatch(
            entry -> {
              byte[] value = shown.get(entry.getKey());
              return Arrays.equals(value, entry.getValue())
                  || Arrays.equals(value, second.get(entry.getKey()));
            });
  }
}
