// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.ForwardingCursor;
import io.coppice.io.ReadBatch;
import io.coppice.table.BlockPrefetch;
import io.coppice.version.ConcatenatingCursor;
import java.util.List;
import java.util.function.Supplier;

/**
 * Merging cursor whose seeks read the first block of every run at once, unless the search scheme is
 * serial: a seek needs all of them, wherever its key is. Source: SifrDB, section 3.4.
 */
final class SeekPrefetchCursor extends ForwardingCursor {

  private final List<ConcatenatingCursor> columns;
  private final BlockPrefetch ahead;
  private final LookupContext context;
  private final Supplier<LookupState> ofThread;

  /**
   * Creates a cursor that owns the merging cursor.
   *
   * @param columns the sources that read tables
   * @param ahead prefetch that supplies the columns with blocks
   * @param ofThread supplies the calling thread's lookup state
   */
  SeekPrefetchCursor(
      EntryCursor merge,
      List<ConcatenatingCursor> columns,
      BlockPrefetch ahead,
      LookupContext context,
      Supplier<LookupState> ofThread) {
    super(merge);
    this.columns = columns;
    this.ahead = ahead;
    this.context = context;
    this.ofThread = ofThread;
  }

  @Override
  public void first() {
    move(null, 0, 0, true, inner::first);
  }

  @Override
  public void last() {
    move(null, 0, 0, false, inner::last);
  }

  @Override
  public void seek(byte[] key, int offset, int length, long sequence) {
    move(key, offset, length, true, () -> inner.seek(key, offset, length, sequence));
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long sequence) {
    move(key, offset, length, false, () -> inner.seekBefore(key, offset, length, sequence));
  }

  private void move(byte[] key, int offset, int length, boolean forward, Runnable move) {
    if (columns.size() < 2 || context.scheme() == SearchScheme.SERIAL) {
      move.run();
      return;
    }
    for (int i = 0; i < columns.size(); i++) {
      columns.get(i).addFirstBlock(key, offset, length, forward);
    }
    if (ahead.size() < 2) {
      ahead.clear();
      move.run();
      return;
    }
    LookupState state = ofThread.get();
    ReadBatch batch = state.batch();
    try {
      ahead.request(batch);
      move.run();
    } finally {
      state.countBatch(ahead);
      ahead.clear();
    }
  }
}
