// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryBatch;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.check.PlanCheck;
import io.coppice.read.FamilyReader;
import io.coppice.read.VisibleCursor;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * A store under plans drawn at random, of every kind, of which {@link PlanCheck} alone decides
 * which are carried out: what reads show never changes, at no snapshot, after no crash on the way,
 * and no table is on disk that no slice shows. {@code -Dplans=N} sets how many.
 */
class WildPlansTest {

  private static final int PLANS = Integer.getInteger("plans", 150);
  private static final int KEYS = 400;
  private static final int MAX_LEVEL = 63;

  /** No more flushes while level 0 has as many runs, or writers would wait. */
  private static final int MAX_FRESH = 20;

  private static final Reason REASON = Reason.of("wild", "drawn at random");

  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .policy("leveled,l0_trigger=64,table_size=4KiB")
          .memory(MemoryBudget.ofMebibytes(16))
          .memtableBytes(1 << 20)
          .filterBits(6)
          .build();

  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
  private final Map<Class<?>, Integer> carriedOut = new HashMap<>();
  private final List<MemDisk> crashes = new ArrayList<>();
  private Random random;
  private MemDisk disk;
  private Store store;

  /**
   * Chooses crashes, and keys to look at after them: tables are removed by another thread, on whose
   * turn the number of crashes depends, and which must not change plans.
   */
  private final Random crashRandom = new Random(0);

  /** Of the operations of a plan every so many-th is looked at; 0 for none. */
  private int crashEvery;

  private int virtualReads;
  private int states;

  /** A snapshot and what it must go on showing. */
  private record Held(long sequence, NavigableMap<byte[], byte[]> model) {}

  private Held held;

  @Test
  void noLegalPlanChangesWhatReadsShow() throws IOException {
    long seed = Seeds.seed(20_261_121);
    random = Seeds.random(seed, 3);
    disk = new MemDisk();
    store = open(disk);
    int step = 0;
    try {
      while (carriedOut.values().stream().mapToInt(count -> count).sum() < PLANS) {
        step++;
        step();
      }
    } catch (RuntimeException | AssertionError e) {
      fail("step " + step + "; " + Seeds.replay(getClass(), seed), e);
    } finally {
      store.close();
    }
    assertThat(carriedOut.keySet())
        .containsExactlyInAnyOrder(
            Plan.Move.class, Plan.Delay.class, Plan.Merge.class, Plan.Drop.class);
    assertThat(carriedOut.get(Plan.Delay.class)).as("delays").isGreaterThan(PLANS / 10);
    assertThat(virtualReads).as("segments of several slices seen").isGreaterThan(PLANS / 5);
    assertThat(states).as("crash states opened").isGreaterThan(PLANS);
  }

  private void step() throws IOException {
    int dice = random.nextInt(100);
    int fresh = TestStores.compactor(store).status(0).shape().levels().get(0).runs().size();
    if ((dice < 25 && fresh < MAX_FRESH)
        || TestStores.compactor(store).status(0).shape().bytes() == 0) {
      flush();
    } else if (dice < 29) {
      reopen();
    } else if (dice < 32) {
      hold();
    } else {
      plan();
    }
  }

  /** Some keys of a stretch, or, now and then, a deletion of what was never there. */
  private void flush() throws IOException {
    EntryBatch batch = new EntryBatch();
    int from = random.nextInt(KEYS);
    int width = 1 + random.nextInt(KEYS - from);
    boolean absent = random.nextInt(5) == 0;
    int count = absent ? 1 : 1 + random.nextInt(60);
    for (int i = 0; i < count; i++) {
      byte[] key = key(absent ? KEYS + random.nextInt(KEYS) : from + random.nextInt(width));
      if (absent || random.nextInt(8) == 0) {
        batch.delete(key, 0, key.length);
        model.remove(key);
      } else {
        byte[] value = new byte[random.nextInt(300)];
        random.nextBytes(value);
        batch.put(key, 0, key.length, value, 0, value.length);
        model.put(key, value);
      }
    }
    TestStores.writes(store).commit(batch, Durability.SYNC);
    TestStores.writes(store).flush();
  }

  private void reopen() throws IOException {
    held = null;
    Shape before = TestStores.compactor(store).status(0).shape();
    store.close();
    disk = random.nextBoolean() ? disk.crash() : disk.kill();
    store = open(disk);
    assertThat(TestStores.compactor(store).status(0).shape())
        .as("the shape after reopening")
        .isEqualTo(before);
    check();
  }

  private void hold() {
    if (held != null) {
      TestStores.snapshots(store).close(held.sequence);
    }
    NavigableMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
    copy.putAll(model);
    held = new Held(TestStores.snapshots(store).open(TestStores.writes(store)::visible), copy);
  }

  private void plan() throws IOException {
    Shape shape = TestStores.compactor(store).status(0).shape();
    for (int tries = 0; tries < 40; tries++) {
      Plan plan = draw(shape);
      if (!movesNowhere(shape, plan)
          && PlanCheck.fault(shape, plan, Budget.unlimited(), MAX_LEVEL).isEmpty()) {
        crashRandom.setSeed(random.nextLong());
        crashesEvery(plan instanceof Plan.Merge ? 5 : 1);
        try {
          TestStores.compactor(store).carryOut(0, plan);
        } catch (IllegalArgumentException e) {
          throw new AssertionError(plan + " on " + shape, e);
        }
        crashesEvery(0);
        carriedOut.merge(plan.getClass(), 1, Integer::sum);
        check();
        checkCrashes();
        return;
      }
    }
  }

  /** Every how many disk operations, of whichever thread, one crash is kept; 0 is none. */
  private void crashesEvery(int operations) {
    synchronized (crashes) {
      crashEvery = operations;
    }
  }

  private static boolean movesNowhere(Shape shape, Plan plan) {
    return plan instanceof Plan.Move move
        && shape.levels().stream()
            .flatMap(level -> level.runs().stream())
            .filter(run -> run.id() == move.target().run())
            .flatMap(run -> run.segments().stream())
            .flatMap(segment -> segment.slices().stream())
            .anyMatch(slice -> move.slices().contains(slice.slice()));
  }

  private Plan draw(Shape shape) {
    int kind = random.nextInt(10);
    boolean drop = kind == 0;
    List<Long> slices = drop ? deletions(shape) : near(shape, random.nextInt(6) == 0);
    if (slices.isEmpty()) {
      slices.add(0L);
    }
    Target target = target(shape);
    return switch (kind) {
      case 0 -> new Plan.Drop(slices, REASON);
      case 4 -> cut(shape);
      case 1, 2, 3 -> new Plan.Delay(slices, target, 1 + random.nextInt(5), REASON);
      case 5 -> new Plan.Move(slices.subList(0, 1), target, REASON);
      default -> new Plan.Merge(slices, target, random.nextInt(3), REASON);
    };
  }

  /** A segment, cut where some slice ends, mostly one inside it. */
  private Plan cut(Shape shape) {
    List<Plan> cuts = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    for (int level = 0; level < shape.levels().size(); level++) {
      for (RunFacts run : shape.levels().get(level).runs()) {
        for (SegmentFacts segment : run.segments()) {
          List<Long> whole = segment.slices().stream().map(SliceFacts::slice).toList();
          for (long after : ends) {
            cuts.add(new Plan.Delay(whole, Target.join(level, run.id()), 2, after, REASON));
          }
          ends.clear();
          for (LevelFacts other : shape.levels()) {
            for (RunFacts over : other.runs()) {
              for (SegmentFacts near : over.overlapping(segment.low(), segment.high())) {
                if (near.high() < segment.high() && random.nextInt(4) > 0) {
                  ends.add(near.slices().get(0).slice());
                }
              }
            }
          }
          for (long after : ends) {
            cuts.add(new Plan.Delay(whole, Target.join(level, run.id()), 2, after, REASON));
          }
          ends.removeIf(end -> random.nextInt(8) > 0);
        }
      }
    }
    return cuts.isEmpty()
        ? new Plan.Delay(List.of(0L), target(shape), 2, 1, REASON)
        : cuts.get(random.nextInt(cuts.size()));
  }

  /** One slice, mostly one of deletions only. */
  private List<Long> deletions(Shape shape) {
    List<Long> found = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          for (SliceFacts slice : segment.slices()) {
            if (slice.tombstones() == slice.entries() || random.nextInt(50) == 0) {
              found.add(slice.slice());
            }
          }
        }
      }
    }
    Collections.shuffle(found, random);
    return found.subList(0, Math.min(1, found.size()));
  }

  /** Slices near each other, mostly whole segments. */
  private List<Long> near(Shape shape, boolean torn) {
    int from = random.nextInt(shape.levels().size());
    int to = Math.min(shape.levels().size() - 1, from + random.nextInt(3));
    List<Long> slices = new ArrayList<>();
    int bound = 2 * KEYS;
    int low = random.nextInt(bound);
    int high = random.nextInt(3) == 0 ? bound : low + random.nextInt(bound / 4);
    for (LevelFacts level : shape.levels().subList(from, to + 1)) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          boolean near = segment.low() <= high && low <= segment.high();
          if (near || random.nextInt(100) == 0) {
            segment.slices().stream()
                .filter(slice -> !torn || random.nextBoolean())
                .forEach(slice -> slices.add(slice.slice()));
          }
        }
      }
    }
    return slices;
  }

  private Target target(Shape shape) {
    int level = random.nextInt(Math.min(4, shape.levels().size()) + 1);
    List<RunFacts> there =
        level < shape.levels().size() ? shape.levels().get(level).runs() : List.of();
    return there.isEmpty() || random.nextInt(4) == 0
        ? Target.newest(level)
        : Target.join(level, there.get(random.nextInt(there.size())).id());
  }

  private void check() throws IOException {
    FamilyReader reader = TestStores.reader(store.family("default"));
    for (int number = 0; number < KEYS; number++) {
      byte[] key = key(number);
      assertThat(reader.get(key, FamilyReader.NEWEST)).isEqualTo(model.get(key));
      if (held != null && number % 3 == 0) {
        assertThat(reader.get(key, held.sequence)).isEqualTo(held.model.get(key));
      }
    }
    checkScan(reader, FamilyReader.NEWEST, model);
    if (held != null) {
      checkScan(reader, held.sequence, held.model);
    }
    Shape shape = TestStores.compactor(store).status(0).shape();
    Set<Long> shown = new HashSet<>();
    Map<Long, Long> bytes = new HashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          virtualReads += segment.slices().size() > 1 ? 1 : 0;
          for (SliceFacts slice : segment.slices()) {
            shown.add(slice.table());
            bytes.merge(
                slice.table(), slice.bytes() - slice.tableBytes(), (a, b) -> a + slice.bytes());
          }
        }
      }
    }
    assertThat(bytes.values()).as("bytes shown beyond a table's").allMatch(more -> more <= 0);
    TestStores.clean(store);
    Set<Long> onDisk = tablesOf(disk);
    assertThat(onDisk).as("tables on disk that a slice shows").containsAll(shown);
    onDisk.removeAll(shown);
    assertThat(onDisk).as("tables on disk that no slice shows").isEmpty();
  }

  private static Set<Long> tablesOf(MemDisk disk) {
    Set<Long> tables = new HashSet<>();
    disk.list().forEach(name -> FileKind.TABLE.numberOf(name).ifPresent(tables::add));
    return tables;
  }

  private static void checkScan(
      FamilyReader reader, long sequence, NavigableMap<byte[], byte[]> expected) {
    FamilyReader.View view = reader.view(sequence, null, null);
    try (VisibleCursor cursor = view.cursor()) {
      cursor.first();
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertShows(cursor, entry);
        cursor.next();
      }
      assertThat(cursor.valid()).isFalse();
      cursor.last();
      for (Map.Entry<byte[], byte[]> entry : expected.descendingMap().entrySet()) {
        assertShows(cursor, entry);
        cursor.prev();
      }
      assertThat(cursor.valid()).isFalse();
    } finally {
      view.release().run();
    }
  }

  private static void assertShows(VisibleCursor cursor, Map.Entry<byte[], byte[]> entry) {
    assertThat(cursor.valid()).isTrue();
    byte[] key = cursor.keyArray();
    int from = cursor.keyOffset();
    assertThat(Arrays.copyOfRange(key, from, from + cursor.keyLength())).isEqualTo(entry.getKey());
    int at = cursor.valueOffset();
    assertThat(Arrays.copyOfRange(cursor.valueArray(), at, at + cursor.valueLength()))
        .isEqualTo(entry.getValue());
  }

  /** What the power would have left at each disk operation of the last plan. */
  private void checkCrashes() throws IOException {
    List<MemDisk> found;
    synchronized (crashes) {
      found = List.copyOf(crashes);
      crashes.clear();
    }
    for (MemDisk crash : found) {
      states++;
      Store after = open(crash);
      try {
        checkScan(TestStores.reader(after.family("default")), FamilyReader.NEWEST, model);
        for (int i = 0; i < 20; i++) {
          byte[] key = key(crashRandom.nextInt(KEYS));
          assertThat(TestStores.reader(after.family("default")).get(key, FamilyReader.NEWEST))
              .isEqualTo(model.get(key));
        }
      } finally {
        after.close();
      }
    }
  }

  private Store open(MemDisk target) throws IOException {
    Runnable tap =
        () -> {
          synchronized (crashes) {
            if (crashEvery > 0 && crashRandom.nextInt(crashEvery) == 0) {
              crashes.add(crashRandom.nextBoolean() ? target.crash() : target.crash(crashRandom));
            }
          }
        };
    return TestStores.openPaused(new TapDisk(target, tap), OPTIONS);
  }

  private static byte[] key(int number) {
    byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    return number % 3 == 0 ? Arrays.copyOfRange(key, 2, 4) : key;
  }
}
