// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import io.coppice.table.BlocksAhead;
import io.coppice.table.OpenTables;
import io.coppice.table.Stretch;
import io.coppice.table.Table;
import io.coppice.table.Window;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A cursor over slices that follow one another by key. It holds a cursor of one table at a time.
 * The caller leases a version that names the slices for as long as the cursor is used. Used by one
 * thread at a time.
 */
public final class ColumnCursor implements EntryCursor {

  private final OpenTables tables;
  private final List<Slice> slices;

  /** Null if blocks are read when it comes to them. */
  private final BlocksAhead ahead;

  private final Stretch stretch = new Stretch();

  private int index;
  private EntryCursor current;

  /**
   * Makes an unpositioned cursor.
   *
   * @param slices by ascending key, without overlap
   */
  public ColumnCursor(OpenTables tables, List<Slice> slices) {
    this(tables, slices, null);
  }

  private ColumnCursor(OpenTables tables, List<Slice> slices, BlocksAhead ahead) {
    this.tables = tables;
    this.slices = slices;
    this.ahead = ahead;
  }

  /**
   * The cursors over a run: one for a run of real tables, more where segments hold several slices.
   * Those of one segment then come newest first.
   */
  public static List<EntryCursor> of(OpenTables tables, Run run) {
    return cursors(tables, run.columns());
  }

  /** As above; they take blocks from there that are there. */
  public static List<ColumnCursor> of(OpenTables tables, Run run, BlocksAhead ahead) {
    return run.columns().stream().map(column -> new ColumnCursor(tables, column, ahead)).toList();
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

  /**
   * Adds the block that this reads first when it moves to a key, or to an end, unless it is at
   * hand. A table that cannot be used is left to the move.
   *
   * @param key null for the first or the last entry
   * @param forward true for a move to a key or behind it, false to one or in front of it
   */
  public void addFirstBlock(byte[] key, int offset, int length, boolean forward) {
    int last = slices.size() - 1;
    int at = forward ? 0 : last;
    if (key != null) {
      at = ceiling(key, offset, length);
    }
    if (at > last && forward) {
      return;
    }
    Slice slice = slices.get(Math.min(at, last));
    Window window = slice.window();
    byte[] bound = forward ? window.low() : window.high();
    try {
      Table table = tables.get(slice.table().number());
      boolean inside =
          key != null
              && (forward
                  ? window.isAboveLow(key, offset, length)
                  : window.isWithinHigh(key, offset, length));
      if (inside) {
        table.addFirstBlock(ahead, key, offset, length, forward);
      } else {
        table.addFirstBlock(ahead, bound, 0, bound == null ? 0 : bound.length, forward);
      }
    } catch (CorruptionException | UncheckedIOException e) {
      // Nothing is read ahead; whoever moves the cursor there is told.
    }
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
  public void seek(byte[] key, int offset, int length, long sequence) {
    if (open(ceiling(key, offset, length))) {
      current.seek(key, offset, length, sequence);
      forwardToEntry();
    }
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    int at = ceiling(key, offset, length);
    if (open(Math.min(at, slices.size() - 1))) {
      current.seekBefore(key, offset, length, sequence);
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
      current = tables.get(slice.table().number()).cursor(slice.window(), ahead, stretch);
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
    stretch.drop();
  }
}
