// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tables by number beside a map: what a copy has, and what it left to the one before. */
class NumberedTablesTest {

  private static final long SEED = Long.getLong("seed", 20261122L);
  private static final int CHANGES = 20_000;

  private final Random random = new Random(SEED);
  private final Map<Long, Table> model = new HashMap<>();
  private NumberedTables tables = new NumberedTables(0);

  private static Table table(long number) {
    TableMeta meta =
        new TableMeta(number, 100, 1, 0, 0, new byte[1], new byte[1], 1, 1, TableMeta.NO_FILTER);
    return Table.cold(null, meta, null, null, null, null, null);
  }

  private void check() {
    assertThat(tables.size()).as("seed %d", SEED).isEqualTo(model.size());
    assertThat(tables.all())
        .as("seed %d", SEED)
        .containsExactlyInAnyOrderElementsOf(model.values());
    model.forEach(
        (number, table) ->
            assertThat(tables.get(number)).as("%d, seed %d", number, SEED).isSameAs(table));
  }

  /** Numbers near one another and far apart, many at first, none at the end. */
  @Test
  void copiesAreAsAMap() {
    for (int i = 0; i < CHANGES; i++) {
      long number = random.nextInt(4) == 0 ? random.nextLong() >>> 1 : random.nextInt(3_000);
      boolean adds = random.nextInt(CHANGES) > i;
      NumberedTables before = tables;
      int size = before.size();
      if (adds && !model.containsKey(number)) {
        Table table = table(number);
        tables = tables.with(table);
        model.put(number, table);
        assertThat(before.get(number)).as("seed %d", SEED).isNull();
      } else if (!adds) {
        Table removed = model.remove(number);
        tables = tables.without(number);
        assertThat(tables.get(number)).as("seed %d", SEED).isNull();
        assertThat(before.get(number)).as("seed %d", SEED).isSameAs(removed);
      }
      assertThat(before.size()).as("seed %d", SEED).isEqualTo(size);
      if (i % 500 == 0) {
        check();
      }
    }
    for (long number : model.keySet().stream().mapToLong(Long::longValue).toArray()) {
      tables = tables.without(number);
      model.remove(number);
      assertThat(tables.get(number)).as("seed %d", SEED).isNull();
      if (model.size() % 100 == 0) {
        check();
      }
    }
    check();
  }
}
