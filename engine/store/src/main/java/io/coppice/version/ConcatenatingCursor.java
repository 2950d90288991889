// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.table.BlockPrefetch;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.block.ReadaheadBuffer;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Concatenating cursor: a cursor over slices that follow each other by key. It opens one table at a
 * time, and a move throws {@link CorruptionException} or {@link UncheckedIOException} at one that
 * cannot be read. The caller leases a version that names the slices while it uses the cursor. Used
 * by one thread at a time.
 */
public final class ConcatenatingCursor implements EntryCursor {

  private final OpenTables tables;
  private final List<Slice> slices;

  /** Prefetched blocks; null if each block is read on demand. */
  private final BlockPrefetch ahead;

  private final ReadaheadBuffer readahead = new ReadaheadBuffer();

  private int index;
  private EntryCursor current;

  /**
   * Creates an unpositioned cursor.
   *
   * @param slices by ascending key, without overlap
   */
  public ConcatenatingCursor(OpenTables tables, List<Slice> slices) {
    this(tables, slices, null);
  }

  private ConcatenatingCursor(OpenTables tables, List<Slice> slices, BlockPrefetch ahead) {
    this.tables = tables;
    this.slices = slices;
    this.ahead = ahead;
  }

  /**
   * Returns the cursors over a run, which take blocks from a prefetch: one for a run of real
   * tables, more if segments hold several slices. Cursors of newer slices come first within each
   * segment.
   */
  public static List<ConcatenatingCursor> of(OpenTables tables, Run run, BlockPrefetch ahead) {
    return run.columns().stream()
        .map(column -> new ConcatenatingCursor(tables, column, ahead))
        .toList();
  }

  /** Returns such cursors without a prefetch over the chosen slices of each segment. */
  public static List<EntryCursor> of(OpenTables tables, List<List<Slice>> segments) {
    List<EntryCursor> cursors = new ArrayList<>();
    Run.columns(segments).forEach(column -> cursors.add(new ConcatenatingCursor(tables, column)));
    return cursors;
  }

  /**
   * Adds to the cursor's prefetch the block that it reads first when it moves to a key or an end,
   * unless the block is probably in memory. The move itself reports an unusable table.
   *
   * @param key null for the first or the last entry, by the direction
   * @param forward whether the move is to the key or after it; otherwise to the key or before it
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
    KeyWindow window = slice.window();
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
      // The block is not prefetched; the caller that moves the cursor there gets the error.
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

  /**
   * Opens the cursor of the slice at an index, unpositioned. Returns false, with no cursor open, if
   * the index is out of range.
   */
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
      current = tables.get(slice.table().number()).cursor(slice.window(), ahead, readahead);
    }
    return true;
  }

  /**
   * Returns the index of the first slice that ends at or after the key; the number of slices if
   * there is none.
   */
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
  public EntryKind kind() {
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
    readahead.drop();
  }
}
