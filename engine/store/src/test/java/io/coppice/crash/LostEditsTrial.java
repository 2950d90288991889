// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashViolation.Kind;
import io.coppice.io.Disk;
import io.coppice.io.DiskImage;
import io.coppice.io.DiskImage.State;
import io.coppice.io.DiskOp;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.MemDisk.Stored;
import io.coppice.io.RecordLogReader;
import io.coppice.io.RecordingDisk;
import io.coppice.io.TornTail;
import io.coppice.manifest.CurrentFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Cuts the power while a recovery brings several logs into tables, and then the manifest, which
 * loses its last edits. A store that opens nevertheless must show every acknowledged write: the
 * logs go in an order by which the loss is noticed.
 */
public final class LostEditsTrial {

  private static final int WRITES = 14;
  private static final int VALUE_BYTES = 5_000;

  private final UnaryOperator<Disk> between;
  private final Random random;
  private final int statesPerPoint;
  private final Set<Long> states = new HashSet<>();
  private final NavigableMap<byte[], byte[]> acknowledged = new TreeMap<>(Arrays::compareUnsigned);

  /**
   * Prepares it.
   *
   * @param between put between the recovering store and its disk
   */
  public LostEditsTrial(UnaryOperator<Disk> between, Random random, int statesPerPoint) {
    this.between = between;
    this.random = random;
    this.statesPerPoint = statesPerPoint;
  }

  private static Store open(Disk disk) throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=64,table_size=64KiB")
            .memory(MemoryBudget.ofMebibytes(24))
            .memtableBytes(24 << 10)
            .build();
    return TestStores.open(disk, options, new SeededWorkers(1));
  }

  public void run() throws IOException {
    Map<String, Stored> files = killed();
    RecordingDisk recorded = new RecordingDisk(new MemDisk(files), () -> 0, () -> 0);
    Store store;
    try {
      store = open(between.apply(recorded));
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(Kind.UNOPENABLE, "a store that was killed: " + e, e);
    }
    recorded.stop();
    store.close();
    DiskImage image = new DiskImage(files);
    for (DiskOp op : recorded.ops()) {
      check(image);
      image.apply(op);
    }
    check(image);
  }

  /** Three logs that are not in tables, the last with half a record at its end. */
  private Map<String, Stored> killed() throws IOException {
    MemDisk memory = new MemDisk();
    MemDisk found;
    try (Store store = open(memory)) {
      for (int i = 0; i < WRITES; i++) {
        byte[] key = String.format("k%02d", i).getBytes(StandardCharsets.US_ASCII);
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        boolean last = i == WRITES - 1;
        store.write(new WriteBatch().put(key, value), last ? Durability.BUFFERED : Durability.SYNC);
        if (!last) {
          acknowledged.put(key, value);
        }
      }
      found = memory.kill();
    }
    Map<String, Stored> files = new TreeMap<>();
    String newest = "";
    int logs = 0;
    for (String name : found.list()) {
      files.put(name, new Stored(found.bytes(name)));
      if (FileKind.WAL.numberOf(name).isPresent()) {
        newest = name.compareTo(newest) > 0 ? name : newest;
        logs++;
      }
    }
    assert logs > 2 : logs;
    Stored whole = files.get(newest);
    files.put(newest, new Stored(whole.array(), whole.length() - VALUE_BYTES / 2));
    return files;
  }

  private void check(DiskImage image) throws IOException {
    List<State> found = new ArrayList<>(List.of(image.allLost(), image.allKept()));
    for (int i = 0; i < statesPerPoint; i++) {
      found.add(image.random(random));
    }
    for (State state : found) {
      if (states.add(state.hash())) {
        cut(state.files());
      }
    }
  }

  private void cut(Map<String, Stored> files) throws IOException {
    MemDisk whole = new MemDisk(files);
    long number = CurrentFile.read(whole).manifest();
    String name = FileKind.MANIFEST.fileName(number);
    List<Integer> ends = new ArrayList<>();
    try (RecordLogReader log =
        RecordLogReader.open(whole, FileKind.MANIFEST, number, TornTail.DROP)) {
      while (log.next()) {
        ends.add((int) log.payloadOffset() + log.payloadLength());
      }
    }
    for (int end : ends) {
      Map<String, Stored> cut = new TreeMap<>(files);
      cut.put(name, new Stored(files.get(name).array(), end));
      check(new MemDisk(cut), name + " cut at " + end);
    }
  }

  private void check(MemDisk disk, String how) throws IOException {
    NavigableMap<byte[], byte[]> shown;
    try (Store store = open(disk)) {
      shown = CrashDriver.contents(store);
    } catch (CorruptionException e) {
      return;
    }
    acknowledged.forEach(
        (key, value) -> {
          if (!Arrays.equals(value, shown.get(key))) {
            throw new CrashViolation(Kind.LOST, how + ": a write is missing, and nobody says so");
          }
        });
  }
}
