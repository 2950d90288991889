// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.load;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * Operations on several families, drawn in advance: batches over one or more of them, families that
 * come and go, names that are used again. What a store shows after any prefix of them can be told.
 */
public final class FamilyLoad {

  /** An operation. */
  sealed interface Op {}

  /** A put, or a delete if the value is null. */
  record Change(String family, byte[] key, byte[] value) {}

  record Batch(List<Change> changes) implements Op {}

  record Create(String family) implements Op {}

  record Drop(String family) implements Op {}

  /** The contents of each living family, by name. */
  public static final class State extends TreeMap<String, NavigableMap<byte[], byte[]>> {
    private static final long serialVersionUID = 1;

    public State() {
      put("default", new TreeMap<>(Arrays::compareUnsigned));
    }

    public boolean same(State other) {
      return keySet().equals(other.keySet())
          && entrySet().stream()
              .allMatch(
                  family -> NumberedWrites.same(family.getValue(), other.get(family.getKey())));
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      forEach(
          (name, contents) -> text.append(name).append(':').append(contents.size()).append(' '));
      return text.toString();
    }
  }

  private static final List<String> NAMES = List.of("users", "orders", "x 1,\n\"\u202e日本\"");

  /** The policies that families get in turn. */
  private static final List<String> POLICIES =
      List.of(
          "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1",
          "tiered,trigger=4,table_size=4KiB,cleaning_threshold=1",
          "split-forest,fanout=2,table_size=8KiB,cleaning_threshold=2");

  private final List<Op> ops = new ArrayList<>();

  /**
   * Draws a load.
   *
   * @param keys of each family
   * @param maxValueBytes of values, besides their numbers
   */
  public FamilyLoad(Random random, int count, int keys, int maxValueBytes) {
    List<String> living = new ArrayList<>(List.of("default"));
    for (int i = 0; i < count; i++) {
      String name = NAMES.get(random.nextInt(NAMES.size()));
      int dice = random.nextInt(300);
      if (dice < 4 && living.contains(name)) {
        living.remove(name);
        ops.add(new Drop(name));
      } else if (dice < 12 && !living.contains(name)) {
        living.add(name);
        ops.add(new Create(name));
      } else {
        ops.add(batch(random, living, i, keys, maxValueBytes));
      }
    }
  }

  private FamilyLoad() {}

  /**
   * Draws a load of many families that stay. Each third batch puts its key into all of them.
   *
   * @param keys of each family
   * @param maxValueBytes of values, besides their numbers
   */
  public static FamilyLoad ofMany(
      Random random, int families, int count, int keys, int maxValueBytes) {
    FamilyLoad load = new FamilyLoad();
    List<String> living = new ArrayList<>(List.of("default"));
    for (int i = 0; i < families; i++) {
      living.add("f" + i);
      load.ops.add(new Create("f" + i));
    }
    for (int i = 0; i < count; i++) {
      load.ops.add(batch(random, living, i, keys, maxValueBytes));
    }
    return load;
  }

  /** Draws a load of the default family alone. */
  public static FamilyLoad ofOne(Random random, int count, int keys, int maxValueBytes) {
    FamilyLoad load = new FamilyLoad();
    for (int i = 0; i < count; i++) {
      load.ops.add(batch(random, List.of("default"), i, keys, maxValueBytes));
    }
    return load;
  }

  /** Every family gets the same key, so that half a batch shows. */
  private static Batch batch(
      Random random, List<String> living, int number, int keys, int maxValueBytes) {
    List<Change> changes = new ArrayList<>();
    for (int left = 1 + random.nextInt(2); left > 0; left--) {
      byte[] key = NumberedWrites.key(random.nextInt(keys));
      boolean everywhere = random.nextInt(3) == 0;
      boolean delete = random.nextInt(4) == 0;
      String text = number + "x".repeat(random.nextInt(maxValueBytes + 1));
      byte[] value = delete ? null : text.getBytes(StandardCharsets.US_ASCII);
      String one = living.get(random.nextInt(living.size()));
      for (String family : everywhere ? living : List.of(one)) {
        changes.add(new Change(family, key, value));
      }
    }
    return new Batch(changes);
  }

  public int count() {
    return ops.size();
  }

  /** How many of the operations drop a family. */
  public long familiesThatGo() {
    return ops.stream().filter(op -> op instanceof Drop).count();
  }

  /** True if the operation is durable on return, whatever durability is asked for. */
  public boolean synced(int number) {
    return !(ops.get(number) instanceof Batch);
  }

  public void carryOut(Store store, int number, Durability durability) {
    Op op = ops.get(number);
    if (op instanceof Create create) {
      store.createFamily(create.family(), POLICIES.get(number % POLICIES.size()));
    } else if (op instanceof Drop drop) {
      store.dropFamily(drop.family());
    } else if (op instanceof Batch batch) {
      WriteBatch written = new WriteBatch();
      for (Change change : batch.changes()) {
        Family family = store.family(change.family());
        if (change.value() == null) {
          written.delete(family, change.key());
        } else {
          written.put(family, change.key(), change.value());
        }
      }
      store.write(written, durability);
    }
  }

  public void apply(State state, int number) {
    Op op = ops.get(number);
    if (op instanceof Create create) {
      state.put(create.family(), new TreeMap<>(Arrays::compareUnsigned));
    } else if (op instanceof Drop drop) {
      state.remove(drop.family());
    } else if (op instanceof Batch batch) {
      for (Change change : batch.changes()) {
        NavigableMap<byte[], byte[]> family = state.get(change.family());
        if (change.value() == null) {
          family.remove(change.key());
        } else {
          family.put(change.key(), change.value());
        }
      }
    }
  }

  /** What is there after the first so many operations. */
  public State after(int count) {
    State state = new State();
    for (int i = 0; i < count; i++) {
      apply(state, i);
    }
    return state;
  }

  /** What a store shows. */
  public static State contents(Store store) {
    State state = new State();
    for (Family family : store.families()) {
      state.put(family.name(), contents(family.cursor(KeyRange.all())));
    }
    return state;
  }

  public static NavigableMap<byte[], byte[]> contents(Cursor all) {
    NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
    try (Cursor cursor = all) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        shown.put(cursor.key(), cursor.value());
      }
    }
    return shown;
  }

  /** A copy that further operations do not change. */
  public static State copy(State state) {
    State copy = new State();
    for (Map.Entry<String, NavigableMap<byte[], byte[]>> family : state.entrySet()) {
      NavigableMap<byte[], byte[]> contents = new TreeMap<>(Arrays::compareUnsigned);
      contents.putAll(family.getValue());
      copy.put(family.getKey(), contents);
    }
    return copy;
  }
}
