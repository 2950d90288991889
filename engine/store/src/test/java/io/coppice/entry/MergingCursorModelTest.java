// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.entry.ListCursor.Entry;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergingCursorModelTest {

  @Test
  void showsAllEntriesInOrderWhicheverWayItIsMoved() {
    Seeds.forEach(
        150,
        random -> {
          int sources = random.nextInt(7);
          List<List<Entry>> parts = new ArrayList<>();
          for (int i = 0; i < sources; i++) {
            parts.add(new ArrayList<>());
          }
          List<Entry> all = new ArrayList<>();
          int count = sources == 0 ? 0 : random.nextInt(60);
          for (int sequence = 0; sequence < count; sequence++) {
            Entry entry = CursorModel.randomEntry(random, sequence);
            all.add(entry);
            parts.get(random.nextInt(sources)).add(entry);
          }
          all.sort(ListCursor::order);
          List<ListCursor> cursors = new ArrayList<>();
          for (List<Entry> part : parts) {
            part.sort(ListCursor::order);
            cursors.add(new ListCursor(part));
          }
          MergingCursor merge = new MergingCursor(cursors);
          assertThat(merge.valid()).isFalse();
          CursorModel.check(merge, all, random, 400);
          merge.close();
          merge.close();
          assertThat(cursors).allMatch(ListCursor::isClosed);
        });
  }

  @Test
  void amongEqualEntriesTheFirstSourceComesFirst() {
    Entry newer = Entry.of(new byte[] {1}, 5, EntryKind.PUT, new byte[] {1});
    Entry older = Entry.of(new byte[] {1}, 5, EntryKind.PUT, new byte[] {2});
    MergingCursor merge =
        new MergingCursor(List.of(new ListCursor(List.of(newer)), new ListCursor(List.of(older))));
    merge.first();
    assertThat(Entry.at(merge)).isEqualTo(newer);
    merge.next();
    assertThat(Entry.at(merge)).isEqualTo(older);
    merge.prev();
    assertThat(Entry.at(merge)).isEqualTo(newer);
  }
}
