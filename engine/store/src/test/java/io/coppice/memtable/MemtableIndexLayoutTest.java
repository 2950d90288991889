// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemtableIndexLayoutTest {

  @Test
  void anOrderIsAListOfSlots() {
    Seeds.forEach(
        200,
        random -> {
          long order = MemtableIndexLayout.EMPTY;
          List<Integer> model = new ArrayList<>();
          for (int step = 0; step < 200; step++) {
            if (model.size() == MemtableIndexLayout.SLOTS || random.nextInt(12) == 0) {
              int kept = random.nextInt(model.size() + 1);
              order = MemtableIndexLayout.cut(order, kept);
              model.subList(kept, model.size()).clear();
            } else {
              int place = random.nextInt(model.size() + 1);
              int slot = MemtableIndexLayout.slot(order, model.size());
              assertThat(model).doesNotContain(slot);
              order = MemtableIndexLayout.with(order, place);
              model.add(place, slot);
            }
            check(order, model);
          }
        });
  }

  private static void check(long order, List<Integer> model) {
    assertThat(MemtableIndexLayout.count(order)).isEqualTo(model.size());
    Set<Integer> all = new HashSet<>();
    for (int place = 0; place < MemtableIndexLayout.SLOTS; place++) {
      int slot = MemtableIndexLayout.slot(order, place);
      all.add(slot);
      if (place < model.size()) {
        assertThat(slot).isEqualTo(model.get(place));
      }
    }
    assertThat(all).as("every slot once").hasSize(MemtableIndexLayout.SLOTS).doesNotContain(15);
  }
}
