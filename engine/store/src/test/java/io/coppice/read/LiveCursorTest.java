// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.model.KindsModel;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Cursors of every kind, moved in both directions over memtables that grow between the moves, show
 * what the store held when they were opened.
 */
class LiveCursorTest {

  private static final int STEPS = 4_000;
  private static final int MAX_OPEN = 8;
  private static final int WRITERS = 3;
  private static final int ROUNDS = 30;
  private static final int MOVES_PER_ROUND = 150;
  private static final int MAX_WRITES_PER_MOVE = 30;

  /** A cursor, the entries of its range when it was opened, and the key on which it stands. */
  private static final class Held {
    private final Cursor cursor;
    private final NavigableMap<byte[], byte[]> shown;
    private final StringBuilder moves = new StringBuilder();
    private byte[] at;

    Held(Cursor cursor, NavigableMap<byte[], byte[]> shown) {
      this.cursor = cursor;
      this.shown = shown;
    }

    void move(Random random, byte[] target) {
      int dice = random.nextInt(at == null ? 4 : 16);
      if (dice == 0) {
        cursor.first();
        is("first", shown.firstEntry());
      } else if (dice == 1) {
        cursor.last();
        is("last", shown.lastEntry());
      } else if (dice == 2) {
        cursor.seek(target);
        is("seek " + text(target), shown.ceilingEntry(target));
      } else if (dice == 3) {
        cursor.seekForPrev(target);
        is("seekForPrev " + text(target), shown.floorEntry(target));
      } else if (dice % 2 == 0) {
        byte[] from = at;
        cursor.next();
        is("next", shown.higherEntry(from));
      } else {
        byte[] from = at;
        cursor.prev();
        is("prev", shown.lowerEntry(from));
      }
    }

    private void is(String move, Map.Entry<byte[], byte[]> expected) {
      at = expected == null ? null : expected.getKey();
      String found = cursor.valid() ? text(cursor.key()) + "=" + text(cursor.value()) : "end";
      moves.append(move).append(" -> ").append(found).append(", ");
      assertThat(found)
          .as(moves.substring(Math.max(0, moves.length() - 400)))
          .isEqualTo(expected == null ? "end" : text(at) + "=" + text(expected.getValue()));
    }
  }

  private static String text(byte[] bytes) {
    return Arrays.toString(bytes);
  }

  private static byte[] key(Random random) {
    int number = random.nextInt(random.nextBoolean() ? 12 : 120);
    byte[] key = new byte[1 + random.nextInt(2)];
    key[0] = (byte) (number * 37);
    return key;
  }

  private static StoreOptions.Builder options() {
    return StoreOptions.builder()
        .memory(MemoryBudget.ofMebibytes(64))
        .memtableBytes(64 << 10)
        .durability(Durability.BUFFERED)
        .mergeOperator(KindsModel.APPEND);
  }

  /**
   * A range as it is built, and the bounds that it must have.
   *
   * @param from null for none, as the others
   */
  private record Bounds(KeyRange range, byte[] from, byte[] prefix, byte[] to) {

    static Bounds draw(Random random) {
      byte[] low = key(random);
      byte[] high = key(random);
      if (random.nextBoolean()) {
        return random.nextBoolean()
            ? new Bounds(KeyRange.all(), null, null, null)
            : new Bounds(KeyRange.all().to(high), null, null, high);
      }
      boolean prefix = random.nextInt(3) == 0;
      KeyRange range = prefix ? KeyRange.prefix(low) : KeyRange.from(low);
      boolean cut = random.nextBoolean() && Arrays.compareUnsigned(low, high) <= 0;
      return new Bounds(cut ? range.to(high) : range, low, prefix ? low : null, cut ? high : null);
    }

    private boolean contains(byte[] key) {
      return (from == null || Arrays.compareUnsigned(from, key) <= 0)
          && (prefix == null
              || Arrays.mismatch(prefix, key) < 0
              || Arrays.mismatch(prefix, key) == prefix.length)
          && (to == null || Arrays.compareUnsigned(key, to) < 0);
    }

    NavigableMap<byte[], byte[]> of(NavigableMap<byte[], byte[]> all) {
      NavigableMap<byte[], byte[]> part = new TreeMap<>(all);
      part.keySet().removeIf(key -> !contains(key));
      return part;
    }
  }

  @Test
  void nextGoesOnAfterATurnAlthoughSmallerKeysWerePut() throws IOException {
    try (Store store = TestStores.open(new MemDisk(), options().build())) {
      store.put(new byte[] {'a'}, new byte[1]);
      store.put(new byte[] {'c'}, new byte[1]);
      store.put(new byte[] {'e'}, new byte[1]);
      try (Cursor last = store.cursor(KeyRange.all());
          Cursor middle = store.cursor(KeyRange.all());
          Cursor back = store.cursor(KeyRange.all())) {
        last.last();
        middle.seekForPrev(new byte[] {'c'});
        back.last();
        back.prev();
        store.put(new byte[] {'b'}, new byte[1]);
        store.put(new byte[] {'d'}, new byte[1]);
        last.next();
        assertThat(last.valid()).isFalse();
        middle.next();
        assertThat(middle.key()).isEqualTo(new byte[] {'e'});
        back.next();
        assertThat(back.key()).isEqualTo(new byte[] {'e'});
      }
    }
  }

  @Test
  void everyCursorKeepsItsViewBetweenWrites() {
    Seeds.forEachOfMany(6, random -> new Alone(random).run());
  }

  /** One thread that writes and moves cursors in turns. */
  private static final class Alone {
    private final Random random;
    private final List<KindsModel> models = List.of(new KindsModel(), new KindsModel());
    private final List<Held> open = new ArrayList<>();
    private List<Family> families;
    private Store store;
    private long now = 1;
    private int values;
    private Snapshot snapshot;
    private List<KindsModel> seen;

    Alone(Random random) {
      this.random = random;
    }

    void run() throws IOException {
      StoreOptions options =
          TestStores.clock(options(), () -> now)
              .family("f", "tiered,trigger=4")
              .mergeOperator("f", KindsModel.APPEND)
              .build();
      try (Store opened = TestStores.open(new MemDisk(), options)) {
        store = opened;
        families = List.of(store.family("default"), store.family("f"));
        int patience = 1 + random.nextInt(4);
        families.forEach(family -> TestStores.reader(family).cursorPatience(patience));
        for (int i = 0; i < STEPS; i++) {
          step();
        }
      }
    }

    private void step() {
      int dice = random.nextInt(1000);
      if (dice < 450) {
        write(random.nextInt(2));
      } else if (dice < 900 && !open.isEmpty()) {
        open.get(random.nextInt(open.size())).move(random, key(random));
      } else if (dice < 950) {
        open();
      } else if (dice < 975 && !open.isEmpty()) {
        open.remove(random.nextInt(open.size())).cursor.close();
      } else if (dice < 985) {
        now += random.nextInt(5);
      } else if (dice < 990) {
        store.flush();
      } else if (dice < 991) {
        store.compact();
      } else if (snapshot == null) {
        snapshot = store.snapshot();
        seen = models.stream().map(KindsModel::copy).toList();
      } else {
        snapshot.close();
        snapshot = null;
      }
    }

    private void write(int which) {
      KindsModel model = models.get(which);
      Family family = families.get(which);
      byte[] key = key(random);
      byte[] value = ByteBuffer.allocate(4).putInt(++values).array();
      int dice = random.nextInt(20);
      if (dice < 10) {
        family.put(key, value);
        model.put(key, value, KindsModel.FOREVER);
      } else if (dice < 12) {
        long end = now + random.nextInt(20);
        WriteBatch batch = new WriteBatch();
        batch.putUntil(family, key, value, Instant.ofEpochMilli(end));
        store.write(batch);
        model.put(key, value, end);
      } else if (dice < 14) {
        family.merge(key, value);
        model.merge(key, value);
      } else if (dice < 19) {
        family.delete(key);
        model.delete(key);
      } else {
        byte[] to = key(random);
        if (Arrays.compareUnsigned(key, to) < 0) {
          family.deleteRange(key, to);
          model.deleteRange(key, to);
        }
      }
    }

    private void open() {
      if (open.size() == MAX_OPEN) {
        open.remove(random.nextInt(MAX_OPEN)).cursor.close();
      }
      int which = random.nextInt(2);
      Bounds range = Bounds.draw(random);
      boolean old = snapshot != null && random.nextBoolean();
      Cursor cursor =
          old
              ? snapshot.cursor(families.get(which), range.range())
              : which == 0 && random.nextBoolean()
                  ? store.cursor(range.range())
                  : families.get(which).cursor(range.range());
      KindsModel model = old ? seen.get(which) : models.get(which);
      open.add(new Held(cursor, range.of(model.at(now))));
    }
  }

  @Test
  void everyCursorKeepsItsViewWhileThreadsWrite() throws Exception {
    long seed = Seeds.first();
    try (Store store = TestStores.open(new MemDisk(), options().build())) {
      TestStores.reader(store.family("default")).cursorPatience(2);
      new Together(store, seed).run();
    } catch (Throwable e) {
      throw new AssertionError(Seeds.replay(getClass(), seed), e);
    }
  }

  /** Threads that write, some writes for each move of a cursor, and one that moves cursors. */
  private static final class Together {
    private static final int SPACE_BITS = 24;

    private final Store store;
    private final Random random;
    private final List<NavigableMap<byte[], byte[]>> parts = new ArrayList<>();
    private final List<Future<?>> writers = new ArrayList<>();
    private final Semaphore permits = new Semaphore(0);
    private final AtomicLong written = new AtomicLong();
    private long permitted;
    private volatile boolean stopped;

    /** The key on which the cursor stands that moves next. */
    private volatile int near;

    Together(Store store, long seed) {
      this.store = store;
      this.random = Seeds.random(seed, WRITERS);
    }

    void run() throws Exception {
      ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
      try {
        for (int i = 0; i < WRITERS; i++) {
          NavigableMap<byte[], byte[]> part = new TreeMap<>(Arrays::compareUnsigned);
          Random own = new Random(random.nextLong());
          byte number = (byte) i;
          parts.add(part);
          writers.add(threads.submit(() -> write(own, number, part)));
        }
        for (int i = 0; i < ROUNDS; i++) {
          moveWhileOthersWrite();
        }
      } finally {
        stopped = true;
        permits.release(WRITERS);
        threads.shutdown();
      }
      for (Future<?> writer : writers) {
        writer.get(60, TimeUnit.SECONDS);
      }
    }

    /** Puts keys that were never there, most of them in front of a cursor, and deletes some. */
    private void write(Random own, byte number, NavigableMap<byte[], byte[]> part) {
      for (int i = 0; ; i++) {
        permits.acquireUninterruptibly();
        if (stopped) {
          return;
        }
        int before = near - own.nextInt(1 << own.nextInt(SPACE_BITS));
        int place = own.nextInt(4) > 0 && before > 0 ? before : own.nextInt(1 << SPACE_BITS);
        byte[] key = ByteBuffer.allocate(5).putInt(place).put(number).array();
        byte[] older = part.ceilingKey(key);
        if (older != null && own.nextInt(3) == 0) {
          store.delete(older);
          part.remove(older);
        } else {
          byte[] value = ByteBuffer.allocate(4).putInt(i).array();
          store.put(key, value);
          part.put(key, value);
        }
        written.incrementAndGet();
      }
    }

    /** Nothing is being written at the begin and at the end. */
    private void moveWhileOthersWrite() throws Exception {
      NavigableMap<byte[], byte[]> all = new TreeMap<>(Arrays::compareUnsigned);
      parts.forEach(all::putAll);
      Bounds range = bounds();
      Bounds other = bounds();
      try (Snapshot snapshot = store.snapshot();
          Cursor opened = store.cursor(range.range());
          Cursor old = snapshot.cursor(other.range())) {
        List<Held> held = List.of(new Held(opened, range.of(all)), new Held(old, other.of(all)));
        for (int i = 0; i < MOVES_PER_ROUND; i++) {
          Held one = held.get(random.nextInt(2));
          near =
              one.at == null ? random.nextInt(1 << SPACE_BITS) : ByteBuffer.wrap(one.at).getInt();
          int writes = random.nextInt(MAX_WRITES_PER_MOVE);
          permitted += writes;
          permits.release(writes);
          if (random.nextBoolean()) {
            awaitWrites();
          }
          one.move(random, key());
          awaitWrites();
        }
      }
    }

    private Bounds bounds() {
      byte[] low = key();
      return random.nextBoolean()
          ? new Bounds(KeyRange.all(), null, null, null)
          : new Bounds(KeyRange.from(low), low, null, null);
    }

    private byte[] key() {
      return ByteBuffer.allocate(4).putInt(random.nextInt(1 << SPACE_BITS)).array();
    }

    private void awaitWrites() throws Exception {
      while (written.get() < permitted) {
        for (Future<?> writer : writers) {
          if (writer.isDone()) {
            writer.get();
          }
        }
        Thread.yield();
      }
    }
  }
}
