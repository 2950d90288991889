// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import io.coppice.table.OpenTables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A cursor over slices that follow one another by key. It holds a cursor of one table at a time.
 * The caller leases a version that names the slices for as long as the cursor is used.
 */
public final class ColumnCursor implements EntryCursor {

  private final OpenTables tables;
  private final List<Slice> slices;
  private int index;
  private EntryCursor current;

  /**
   * Makes an unpositioned cursor.
   *
   * @param slices by ascending key, without overlap
   */
  public ColumnCursor(OpenTables tables, List<Slice> slices) {
    this.tables = tables;
    this.slices = slices;
  }

  /**
   * The cursors over a run: one for a run of real tables, more where segments hold several slices.
   * Those of one segment then come newest first.
   */
  public static List<EntryCursor> of(OpenTables tables, Run run) {
    return cursors(tables, run.columns());
  }

  /** As {@link #of(OpenTables, Run)}, from the slices chosen of each segment. */
  public static List<EntryCursor> of(OpenTables tables, List<List<Slice>> segments) {
    return cursors(tables, Run.columns(segments));
  }

  private static List<EntryCursor> cursors(OpenTables tables, List<List<Slice>> columns) {
    List<EntryCursor> cursors = new ArrayList<>();
    columns.forEach(column -> cursors.add(new ColumnCursor(tables, column)));
    return cursors;
  }

  @Override
  public boolean valid() {
    return current != null && current.valid();
  }

  @Override
  public void first() {
    if (open(0)) {
      current.first();
      forwardToEntry();
    }
  }

  @Override
  public void last() {
    if (open(slices.size() - 1)) {
      current.last();
      backwardToEntry();
    }
  }

  @Override
  public void seek(byte[] key, int offset, int length) {
    if (open(ceiling(key, offset, length))) {
      current.seek(key, offset, length);
      forwardToEntry();
    }
  }

  @Override
  public void seekForPrev(byte[] key, int offset, int length) {
    int at = ceiling(key, offset, length);
    if (open(Math.min(at, slices.size() - 1))) {
      current.seekForPrev(key, offset, length);
      backwardToEntry();
    }
  }

  @Override
  public void next() {
    current.next();
    forwardToEntry();
  }

  @Override
  public void prev() {
    current.prev();
    backwardToEntry();
  }

  private void forwardToEntry() {
    while (current != null && !current.valid() && open(index + 1)) {
      current.first();
    }
  }

  private void backwardToEntry() {
    while (current != null && !current.valid() && open(index - 1)) {
      current.last();
    }
  }

  /** Stands on a slice's cursor, unpositioned; false, and standing on none, if there is no such. */
  private boolean open(int at) {
    if (at < 0 || at >= slices.size()) {
      if (current != null) {
        current.close();
        current = null;
      }
      return false;
    }
    if (current == null || index != at) {
      if (current != null) {
        current.close();
        current = null;
      }
      index = at;
      Slice slice = slices.get(at);
      current = tables.get(slice.table().number()).cursor(slice.window());
    }
    return true;
  }

  /** The first slice that ends at or after the key. */
  private int ceiling(byte[] key, int offset, int length) {
    int from = 0;
    int to = slices.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      byte[] high = slices.get(middle).high();
      if (Arrays.compareUnsigned(high, 0, high.length, key, offset, offset + length) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  @Override
  public byte[] keyArray() {
    return current.keyArray();
  }

  @Override
  public int keyOffset() {
    return current.keyOffset();
  }

  @Override
  public int keyLength() {
    return current.keyLength();
  }

  @Override
  public long sequence() {
    return current.sequence();
  }

  @Override
  public Kind kind() {
    return current.kind();
  }

  @Override
  public byte[] valueArray() {
    return current.valueArray();
  }

  @Override
  public int valueOffset() {
    return current.valueOffset();
  }

  @Override
  public int valueLength() {
    return current.valueLength();
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
      current = null;
    }
  }
}
