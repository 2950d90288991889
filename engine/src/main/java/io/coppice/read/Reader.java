// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.ClosedException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import io.coppice.entry.MergeCursor;
import io.coppice.manifest.ColumnCursor;
import io.coppice.manifest.Lease;
import io.coppice.manifest.Level;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.Memtables;
import io.coppice.table.KeyHash;
import io.coppice.table.Lookup;
import io.coppice.table.OpenTables;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Looks keys up. Safe to share between threads; takes no lock.
 *
 * <p>The memtables are taken before the version: a flush that is installed in between is then seen
 * twice, never missed. The sequence number is read after both, so that all it covers is in them. A
 * read holds its memtables to the end, which is what closing the store waits for.
 */
public final class Reader {

  /** Stands for the newest sequence number in a read without a snapshot. */
  public static final long NEWEST = -1;

  private final Memtables memtables;
  private final Manifest manifest;
  private final OpenTables tables;
  private final LongSupplier visible;
  private final ReadRequests requests;
  private final ThreadLocal<Search> searches = ThreadLocal.withInitial(Search::new);

  /** What a thread's lookups use again and again. */
  private static final class Search {
    final Lookup lookup = new Lookup();

    /** Of the first segment met that is to be merged; 0 if there was none. */
    long group;
  }

  /**
   * Reads from these.
   *
   * @param visible gives the newest sequence number that may be seen
   * @param requests is asked to merge what makes lookups dear: the first such segment that a lookup
   *     meets, after its answer; scans ask for nothing
   */
  public Reader(
      Memtables memtables,
      Manifest manifest,
      OpenTables tables,
      LongSupplier visible,
      ReadRequests requests) {
    this.memtables = memtables;
    this.manifest = manifest;
    this.tables = tables;
    this.visible = visible;
    this.requests = requests;
  }

  /**
   * The value of a key at a sequence number, as a copy; null if it is absent.
   *
   * @param sequence of an open snapshot, or {@link #NEWEST}
   */
  public byte[] get(byte[] key, long sequence) {
    Memtable[] set = acquire();
    try {
      long at = sequence == NEWEST ? visible.getAsLong() : sequence;
      for (Memtable memtable : set) {
        int place = memtable.find(key, 0, key.length, at);
        if (place != 0) {
          return memtable.kind(place) == Kind.PUT ? value(memtable, place) : null;
        }
      }
      try (Lease lease = manifest.lease()) {
        // What was visible before the lease may since have been merged into something newer.
        return get(lease.version(), key, sequence == NEWEST ? visible.getAsLong() : sequence);
      }
    } finally {
      Memtables.release(set);
    }
  }

  private byte[] get(Version version, byte[] key, long sequence) {
    Search search = searches.get();
    search.group = 0;
    boolean found = find(version, search, key, sequence);
    byte[] value = found && search.lookup.kind() == Kind.PUT ? search.lookup.value() : null;
    if (search.group != 0) {
      requests.ask(search.group);
    }
    return value;
  }

  private boolean find(Version version, Search search, byte[] key, long sequence) {
    long hash = KeyHash.of(key, 0, key.length);
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        Segment segment = run.find(key, 0, key.length);
        if (segment == null) {
          continue;
        }
        if (search.group == 0 && requests.wants(segment) && segment.spans(key, 0, key.length)) {
          search.group = segment.group();
        }
        for (Slice slice : segment.slices()) {
          if (slice.get(tables, search.lookup, key, 0, key.length, hash, sequence)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static byte[] value(Memtable memtable, int place) {
    byte[] value = new byte[memtable.valueLength(place)];
    memtable.copyValue(place, value, 0);
    return value;
  }

  /**
   * A cursor over the visible keys of a range, unpositioned.
   *
   * @param sequence of an open snapshot, or {@link #NEWEST}
   * @param low the first key, inclusive, or null
   * @param high the end, exclusive, or null
   */
  public View view(long sequence, byte[] low, byte[] high) {
    Memtable[] set = acquire();
    Lease lease = manifest.lease();
    try {
      long at = sequence == NEWEST ? visible.getAsLong() : sequence;
      List<EntryCursor> cursors = new ArrayList<>();
      for (Memtable memtable : set) {
        cursors.add(memtable.cursor());
      }
      for (Level level : lease.version().levels()) {
        for (Run run : level.runs()) {
          cursors.addAll(ColumnCursor.of(tables, run));
        }
      }
      return new View(
          new VisibleCursor(new MergeCursor(cursors), at, low, high),
          () -> {
            lease.close();
            Memtables.release(set);
          });
    } catch (RuntimeException | Error e) {
      lease.close();
      Memtables.release(set);
      throw e;
    }
  }

  /**
   * A cursor and what it stands on.
   *
   * @param release gives the memtables and the lease back, after the cursor was closed
   */
  public record View(VisibleCursor cursor, Runnable release) {}

  private Memtable[] acquire() {
    Memtable[] set = memtables.acquire();
    if (set.length == 0) {
      throw new ClosedException("the store");
    }
    return set;
  }
}
