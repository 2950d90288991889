// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.frozen;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryKind;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.manifest.ManifestDump;
import io.coppice.manifest.ManifestReader;
import io.coppice.model.KindsModel;
import io.coppice.table.TableOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Small stores that are kept for later versions to open: together they hold every kind of file,
 * entry and edit, and every codec. How each came to be is here; its bytes are in the resources.
 */
enum FrozenStore {
  /** One family, closed in order: overwritten, deleted, empty, long and binary. */
  CLOSED("leveled,fanout=2,l0_trigger=1,table_size=4KiB", "none") {
    @Override
    void live(Life life) throws IOException {
      Family family = life.family("default");
      for (int round = 0; round < 3; round++) {
        for (int i = round * 20; i < 130; i++) {
          life.contents.put(family, key(i * 7 % 130), value(i, round));
        }
        life.flushAndSettle();
      }
      life.contents.put(family, new byte[] {0}, new byte[0]);
      life.contents.put(family, new byte[] {0, (byte) 0xFF, 0}, new byte[] {0, -1, '%', '\t'});
      life.contents.put(family, new byte[] {(byte) 0xFF}, value(0, 0));
      life.contents.put(family, key(500), "long ".repeat(900).getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < 130; i += 9) {
        life.contents.delete(family, key(i));
      }
      life.flushAndSettle();
    }
  },
  /** Families and every kind of entry, in tables and in a log with a torn end; it was killed. */
  KINDS("split-forest,fanout=2,table_size=4KiB", "none") {
    @Override
    void live(Life life) throws IOException {
      Store store = life.store.store();
      Family main = life.family("default");
      Family users = store.createFamily("users", "tiered,trigger=3,table_size=4KiB");
      Family gone = store.createFamily("gone");
      for (Family family : List.of(main, users)) {
        for (int i = 0; i < 70; i++) {
          life.contents.put(family, key(i), value(i, 0));
        }
        life.contents.put(gone, key(1), value(1, 1));
        life.store.store().flush();
        everyKind(life, family, 0);
        life.store.store().flush();
        everyKind(life, family, 20);
        life.contents.merge(family, key(3), new byte[] {'!'});
      }
      store.compact();
      store.dropFamily("gone");
      life.contents.drop("gone");
      everyKind(life, users, 40);
      store.flush();
      store.policy("leveled,fanout=3,table_size=4KiB");
      everyKind(life, main, 30);
      everyKind(life, users, 32);
      life.store.settle();
      store.sync();
    }

    @Override
    MemDisk end(Life life) throws IOException {
      // Never synced, so it may be lost, and cut off it must be.
      Family main = life.family("default");
      TestStores.storeOf(main)
          .write(new WriteBatch().put(main, key(1), value(1, 9)), Durability.BUFFERED);
      MemDisk killed = life.store.kill();
      String log = lastLog(killed);
      byte[] bytes = killed.bytes(log);
      killed.setBytes(log, Arrays.copyOf(bytes, bytes.length - 5));
      return killed;
    }
  },
  /** A codec for each level, and filters of other sizes. */
  CODECS("leveled,fanout=2,l0_trigger=2,base_size=8KiB,table_size=8KiB", "lz4,zstd") {
    @Override
    void live(Life life) throws IOException {
      Family family = life.family("default");
      for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 50; i++) {
          life.contents.put(family, key(i * 11 + round), value(i, 0));
        }
        life.flushAndSettle();
      }
      for (int i = 0; i < 30; i++) {
        life.contents.put(family, key(i), value(i, 7));
      }
      life.store.store().flush();
    }
  },
  /** Killed in the middle of a merge that runs in parts, with a log. */
  HALF_MERGED("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=2", "none") {
    @Override
    void live(Life life) throws IOException {
      Family family = life.family("default");
      for (int round = 0; round < 2; round++) {
        for (int i = 5 * round; i < 103; i++) {
          byte[] value = Arrays.copyOf(value(i, round), 310 + 40 * round);
          life.contents.put(family, key(i), value);
        }
        life.store.store().flush();
      }
      life.stepUntil(
          lines ->
              lines.stream().anyMatch(line -> line.contains("CutSegment"))
                  && lines.stream().filter(line -> line.contains("trim slice")).count() > 1);
      life.contents.deleteRange(family, key(40), key(60));
      life.contents.put(family, key(50), value(50, 5));
      life.store.store().sync();
    }

    @Override
    MemDisk end(Life life) {
      return life.store.kill();
    }
  },
  /** Killed after delays, whose segments are of slices of several tables. */
  DELAYED(
      "delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=8,vsmt=2,"
          + "max_pinned_ratio=50",
      "none") {
    @Override
    void live(Life life) throws IOException {
      Family family = life.family("default");
      for (int round = 0; round < 4; round++) {
        for (int i = round; i < 130; i += 2) {
          life.contents.put(family, key(i), value(i, round));
        }
        life.store.store().flush();
      }
      life.stepUntil(lines -> lines.stream().anyMatch(line -> line.contains("regroup")));
      // A manifest that begins with what the edits of the first one made.
      life.reopen(options());
      family = life.family("default");
      for (int i = 0; i < 130; i += 3) {
        life.contents.put(family, key(i), value(i, 8));
      }
      life.store.store().flush();
      life.stepUntil(lines -> lines.stream().anyMatch(line -> line.contains("regroup")));
      life.contents.delete(family, key(5));
      life.store.store().sync();
    }

    @Override
    MemDisk end(Life life) {
      return life.store.kill();
    }
  },
  /** Families whose names need a manifest of format 2, in its snapshot and in its edits; killed. */
  NAMES("leveled,fanout=2,l0_trigger=1,table_size=4KiB", "none") {
    @Override
    void live(Life life) throws IOException {
      for (String name : List.of("Users", "a b", "a.b", "x".repeat(255))) {
        life.contents.put(life.store.store().createFamily(name), key(1), value(1, 0));
      }
      life.flushAndSettle();
      life.reopen(options());
      Store store = life.store.store();
      life.contents.put(store.createFamily("日本,\"*?\n"), key(2), value(2, 0));
      store.createFamily("\u202e<b>");
      store.dropFamily("a b");
      life.contents.drop("a b");
      life.contents.put(store.family("a.b"), key(3), value(3, 0));
      life.store.settle();
      store.sync();
    }

    @Override
    MemDisk end(Life life) {
      return life.store.kill();
    }
  },
  /** Blocks that end with pages, made so by padding. */
  PAGES("leveled,fanout=2,l0_trigger=1,table_size=16KiB", "none") {
    @Override
    void live(Life life) throws IOException {
      Family family = life.family("default");
      for (int i = 0; i < 130; i++) {
        life.contents.put(family, key(i), value(i, i));
      }
      life.flushAndSettle();
    }
  };

  static final String CONTENTS = "contents.txt";

  private static final int STEPS = 10_000;
  private static final int RESERVE_BYTES = 600;

  private final String policy;
  private final String compression;

  FrozenStore(String policy, String compression) {
    this.policy = policy;
    this.compression = compression;
  }

  /** Fills a store, and leaves it as it is to be found. */
  abstract void live(Life life) throws IOException;

  /** Ends its process; by default the store is closed. */
  MemDisk end(Life life) throws IOException {
    life.store.close();
    return life.memory.reopen();
  }

  /** A store while it is made. */
  static final class Life {
    final FrozenContents contents = new FrozenContents();
    MemDisk memory = new MemDisk();
    DeterministicStore store;

    private Life(StoreOptions options) throws IOException {
      store = DeterministicStore.open(memory, options, 1);
    }

    /** Dies and opens again. */
    void reopen(StoreOptions options) throws IOException {
      memory = store.kill();
      store = DeterministicStore.open(memory, options, 1);
    }

    Family family(String name) {
      return store.store().family(name);
    }

    void flushAndSettle() {
      store.store().flush();
      store.settle();
    }

    /** Runs background steps until the manifest says this. */
    void stepUntil(Predicate<List<String>> enough) throws IOException {
      for (int i = 0; i < STEPS; i++) {
        if (enough.test(edits(memory))) {
          return;
        }
        if (!store.step()) {
          break;
        }
      }
      throw new AssertionError("it never came to this:\n" + String.join("\n", edits(memory)));
    }
  }

  /** The manifest in force as lines. */
  private static List<String> edits(MemDisk disk) throws IOException {
    String name = ManifestReader.read(disk).file();
    List<String> lines = new ArrayList<>();
    ManifestDump.write(disk, FileKind.MANIFEST.numberOf(name).orElseThrow(), lines::add);
    return lines;
  }

  /** Its options, of which later openings need the operators only. */
  StoreOptions options() {
    return TestStores.tables(
            StoreOptions.builder().policy(policy).compression(compression),
            this == PAGES ? TableOptions.DEFAULT : new TableOptions(512, 4))
        .directReads(this == PAGES)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(1 << 20)
        .filterBits(this == CODECS ? 14 : 10)
        .compactionSlots(3)
        .mergeOperator(KindsModel.APPEND)
        .mergeOperator("users", KindsModel.APPEND)
        .build();
  }

  /** Makes the store and writes it to a directory of its name, with its contents beside it. */
  void write(Path root) throws IOException {
    Life life = new Life(options());
    live(life);
    life.contents.check(life.store.store());
    MemDisk disk = end(life);
    Path directory = Files.createDirectories(root.resolve(toString()));
    for (String name : disk.list()) {
      byte[] bytes = disk.bytes(name);
      if (name.equals(FileKind.RESERVE.fileName(0))) {
        // Of any size, and random.
        bytes = Arrays.copyOf(bytes, RESERVE_BYTES);
      }
      Files.write(directory.resolve(name), bytes);
    }
    Files.write(root.resolve(toString() + "." + CONTENTS), life.contents.lines());
  }

  private static String lastLog(MemDisk disk) {
    return disk.list().stream()
        .filter(name -> FileKind.WAL.numberOf(name).isPresent())
        .max(String::compareTo)
        .orElseThrow();
  }

  private static void everyKind(Life life, Family family, int from) {
    for (EntryKind kind : EntryKind.values()) {
      switch (kind) {
        case PUT -> life.contents.put(family, key(from), value(from, 2));
        case DELETE -> life.contents.delete(family, key(from + 1));
        case MERGE -> {
          life.contents.merge(family, key(from), new byte[] {'+', '1'});
          life.contents.merge(family, key(from + 200), new byte[] {'+', '2'});
        }
        case EXPIRING -> {
          life.contents.putUntil(family, key(from + 2), value(1, 1), Instant.ofEpochMilli(1));
          Instant late = Instant.parse("9000-01-01T00:00:00Z");
          life.contents.putUntil(family, key(from + 3), value(from, 4), late);
        }
        case DELETE_RANGE -> life.contents.deleteRange(family, key(from + 4), key(from + 9));
        default -> throw new AssertionError(kind);
      }
    }
  }

  private static byte[] key(int number) {
    return String.format("key%04d", number).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(int number, int round) {
    return ("value " + number + " of round " + round + " " + "ab".repeat(number % 17))
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** The name of its directory. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
