// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.ForwardingCursor;
import io.coppice.io.ReadBatch;
import io.coppice.manifest.ColumnCursor;
import io.coppice.table.BlocksAhead;
import java.util.List;
import java.util.function.Supplier;

/**
 * A merge of runs that reads the blocks in which a seek begins, one of each run, at once: all of
 * them are needed, wherever the key lies. Source: SifrDB, section 3.4.
 */
final class SeekingCursor extends ForwardingCursor {

  private final List<ColumnCursor> columns;
  private final BlocksAhead ahead;
  private final Searching searching;
  private final Supplier<Search> ofThread;

  /**
   * Takes the merge over.
   *
   * @param columns those of its sources that read tables
   * @param ahead from which the columns take blocks
   * @param ofThread what the calling thread's lookups use
   */
  SeekingCursor(
      EntryCursor merge,
      List<ColumnCursor> columns,
      BlocksAhead ahead,
      Searching searching,
      Supplier<Search> ofThread) {
    super(merge);
    this.columns = columns;
    this.ahead = ahead;
    this.searching = searching;
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
    if (columns.size() < 2 || searching.scheme() == SearchScheme.SERIAL) {
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
    Search search = ofThread.get();
    ReadBatch batch = search.batch();
    try {
      ahead.request(batch);
      move.run();
    } finally {
      search.countBatch(ahead);
      ahead.clear();
    }
  }
}
