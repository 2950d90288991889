// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.base.thread.ShardCounters;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.EntryKind;
import io.coppice.entry.MergingCursor;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.Lease;
import io.coppice.memtable.EmptyRanges;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.MemtableSet;
import io.coppice.read.stats.FamilyReadCounters;
import io.coppice.read.stats.ReadLoad;
import io.coppice.read.stats.SearchWidth;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.version.Level;
import io.coppice.version.ReadCompactionRequests;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Point lookups and cursors of one family. Safe to share between threads. A lookup takes locks only
 * at rare events. These are the first lookup of its thread, opening a file, loading an index or
 * filter, a slow mapped read, and a read of several blocks at once. Apart from them, from building
 * a slice index and from counting a new requested group, it allocates only its result.
 *
 * <p>A read takes the memtables before the version: a flush installed in between is then seen
 * twice, never missed. Tables are searched with a sequence number that was read after the lease,
 * because an earlier merge may have dropped the versions that an older number selects. A plain
 * lookup first searches the memtables, with a number read before the lease. All other reads read
 * the number once, after the lease. A read holds its memtables until it ends; closing the store
 * waits for that.
 *
 * <p>A point lookup searches memtables newest first, then the tables of the version, and stops at
 * its first hit:
 *
 * <pre>
 * get ── find ── memtables, newest first
 *             ├─ findInTables ── {@link SerialSearch}: one block after another, or
 *             │                  {@link ParallelSearch}: several at once
 *             │                       └─ {@link Table#get}: index, block, entry
 *             └─ findMultiVersion, for a key under range deletions or with merge operands:
 *                                {@link MultiVersionLookup}
 * </pre>
 */
public final class FamilyReader {

  /** Sequence number argument of a read without a snapshot: the newest visible one. */
  public static final long NEWEST = -1;

  /**
   * Number of consecutive lookups of one thread in one version after which it builds an index of
   * all slices. Building takes as long as some hundreds of lookups.
   */
  private static final int LOOKUPS_TO_INDEX = 1 << 13;

  private final FamilyMemtables memtables;
  private final FamilyVersions versions;
  private final OpenTables tables;
  private final LongSupplier visible;
  private final EntryHooks hooks;
  private final ReadCompactionRequests requests;
  private final LookupContext context;
  private final SearchWidth width = new SearchWidth();
  private final FamilyReadCounters reads;
  private volatile int lookupsToIndex = LOOKUPS_TO_INDEX;
  private volatile int cursorPatience = VisibleCursor.PATIENCE;

  /**
   * Lookup states of the threads. They must not reference the reader, because a cycle would keep
   * both from the garbage collector.
   */
  private final ThreadLocal<LookupState> states;

  /**
   * Creates the reader of a family.
   *
   * @param memtables the family's memtables, searched first
   * @param visible supplies the newest visible sequence number
   * @param hooks the merge operator and the clock for the expiry of entries
   * @param requests receives a merge request for the first expensive segment that a lookup reaches,
   *     once the lookup has its result; scans request nothing
   * @param context search settings, shared with other families
   */
  public FamilyReader(
      FamilyMemtables memtables,
      FamilyVersions versions,
      OpenTables tables,
      LongSupplier visible,
      EntryHooks hooks,
      ReadCompactionRequests requests,
      LookupContext context) {
    this.memtables = memtables;
    this.versions = versions;
    this.tables = tables;
    this.visible = visible;
    this.hooks = hooks;
    this.requests = requests;
    this.context = context;
    FamilyReadCounters counted = new FamilyReadCounters();
    this.reads = counted;
    this.states = ThreadLocal.withInitial(() -> context.newState(counted));
  }

  /** Returns the read load of the family since the store was opened. */
  public ReadLoad load() {
    return context.load(reads);
  }

  /**
   * Copies hashes of keys looked up since the last call, from a sample of one in 64 and at most the
   * last 256 of each thread. A later call does not return them again.
   *
   * @return the number of copied hashes, at most the length of the target
   */
  public int sampleKeys(long[] target) {
    return context.sampleKeys(reads, target);
  }

  /** Returns the counters of sampled lookups by shard, one lookup in 64; they go on counting. */
  public ShardCounters lookupsIn() {
    return reads.lookupsIn;
  }

  /** Returns the counters of cursor seeks by shard of the target key; they go on counting. */
  public ShardCounters scansIn() {
    return reads.scansIn;
  }

  /**
   * Sets the number of consecutive lookups of one thread in one version that builds an index. For
   * tests, which do few.
   */
  public void indexAfter(int lookups) {
    lookupsToIndex = lookups;
  }

  /**
   * Sets the number of hidden entries that cursors pass one by one before they seek. For tests,
   * which hide few.
   */
  public void cursorPatience(int entries) {
    cursorPatience = entries;
  }

  int lookupsToIndex() {
    return lookupsToIndex;
  }

  OpenTables tables() {
    return tables;
  }

  EntryHooks hooks() {
    return hooks;
  }

  ReadCompactionRequests requests() {
    return requests;
  }

  /** Returns the statistics of adaptive lookups. */
  SearchWidth width() {
    return width;
  }

  /**
   * Returns a copy of the value of a key at a sequence number, or null if it is absent.
   *
   * @param sequence of an open snapshot, or {@link #NEWEST}
   * @throws io.coppice.base.ClosedException if the store is closed or the family was dropped
   * @throws io.coppice.base.CorruptionException if an entry that decides is damaged
   * @throws io.coppice.base.UserCodeException if a merge operator fails or is missing
   * @throws java.io.UncheckedIOException if a block cannot be read
   */
  public byte[] get(byte[] key, int offset, int length, long sequence) {
    LookupState state = states.get();
    long begun = 0;
    MemtableSet set = memtables.acquire();
    try {
      begun = state.begin(key, offset, length);
      if (find(set, state, key, offset, length, sequence)) {
        return state.value();
      }
      state.missed(1);
      return null;
    } finally {
      set.release();
      state.end(begun);
    }
  }

  /**
   * Returns a copy of the value of a key, the whole array, as {@link #get(byte[], int, int, long)}
   * does.
   */
  public byte[] get(byte[] key, long sequence) {
    return get(key, 0, key.length, sequence);
  }

  /**
   * Returns a copy of the value of the key from position to limit of a buffer, as {@link
   * #get(byte[], int, int, long)} does; null if it is absent.
   */
  public byte[] get(ByteBuffer key, long sequence) {
    if (key.hasArray()) {
      return get(key.array(), key.arrayOffset() + key.position(), key.remaining(), sequence);
    }
    return get(states.get().copyOf(key), 0, key.remaining(), sequence);
  }

  /**
   * Copies the value of a key into the target, from its position on, if it fits before the limit.
   * Position and limit stay. Allocates nothing. Errors are those of {@link #get(byte[], int, int,
   * long)}.
   *
   * @return the length of the value, whether it fits or not; -1 if the key is absent
   */
  public int getInto(byte[] key, int offset, int length, long sequence, ByteBuffer target) {
    LookupState state = states.get();
    long begun = 0;
    MemtableSet set = memtables.acquire();
    try {
      begun = state.begin(key, offset, length);
      if (find(set, state, key, offset, length, sequence)) {
        return state.copyInto(target);
      }
      state.missed(1);
      return -1;
    } finally {
      set.release();
      state.end(begun);
    }
  }

  /**
   * Copies the value of the key from position to limit of a buffer, as {@link #getInto(byte[], int,
   * int, long, ByteBuffer)} does.
   */
  public int getInto(ByteBuffer key, long sequence, ByteBuffer target) {
    if (key.hasArray()) {
      int offset = key.arrayOffset() + key.position();
      return getInto(key.array(), offset, key.remaining(), sequence, target);
    }
    return getInto(states.get().copyOf(key), 0, key.remaining(), sequence, target);
  }

  /**
   * Returns whether the key has a value, which {@code state} then holds; false if it is absent,
   * deleted or expired.
   */
  private boolean find(
      MemtableSet set, LookupState state, byte[] key, int offset, int length, long sequence) {
    long at = sequence == NEWEST ? visible.getAsLong() : sequence;
    // Loops by index here and below: a lookup must not allocate, however it is compiled.
    List<Memtable> newestFirst = set.newestFirst();
    for (int i = 0; i < newestFirst.size(); i++) {
      Memtable memtable = newestFirst.get(i);
      if (!memtable.hasNoRangeDeletions()) {
        return findMultiVersion(set, state, key, offset, length, sequence);
      }
      EntryKind kind = findInMemtable(memtable, state, key, offset, length, at);
      if (kind == EntryKind.MERGE) {
        return findMultiVersion(set, state, key, offset, length, sequence);
      }
      if (kind != null) {
        return isValue(kind, state);
      }
    }
    try (Lease lease = versions.leaseWithoutStackCheck()) {
      if (lease.version().mayDeleteRanges()) {
        return findMultiVersion(set, lease.version(), state, key, offset, length, sequence);
      }
      // A merge may have replaced a version that was visible before the lease.
      at = sequence == NEWEST ? visible.getAsLong() : sequence;
      state.requestedGroup = 0;
      state.seek(key, offset, length, at);
      boolean found = findInTables(lease, state);
      requestMerge(state.requestedGroup);
      if (found && state.lookup.kind() == EntryKind.MERGE) {
        state.skipCountedTables();
        return findMultiVersion(set, lease.version(), state, key, offset, length, sequence);
      }
      return found && isValue(state.lookup.kind(), state);
    }
  }

  private boolean isValue(EntryKind kind, LookupState state) {
    return kind == EntryKind.PUT
        || (kind == EntryKind.EXPIRING && state.lives(hooks.clock().millis()));
  }

  private boolean findMultiVersion(
      MemtableSet set, LookupState state, byte[] key, int offset, int length, long sequence) {
    try (Lease lease = versions.leaseWithoutStackCheck()) {
      return findMultiVersion(set, lease.version(), state, key, offset, length, sequence);
    }
  }

  private boolean findMultiVersion(
      MemtableSet set,
      Version version,
      LookupState state,
      byte[] key,
      int offset,
      int length,
      long sequence) {
    // Read after the lease was taken: an earlier merge may have dropped versions that an older
    // number selects.
    long at = sequence == NEWEST ? visible.getAsLong() : sequence;
    return state.multiVersion.find(this, set.newestFirst(), version, key, offset, length, at);
  }

  /**
   * Searches one memtable for a key. Returns the kind of the newest visible entry, or null if there
   * is none.
   */
  private static EntryKind findInMemtable(
      Memtable memtable, LookupState state, byte[] key, int offset, int length, long sequence) {
    int place = memtable.find(key, offset, length, sequence);
    if (place == 0) {
      return null;
    }
    state.foundIn(memtable, place);
    return memtable.kind(place);
  }

  /**
   * Searches the tables of a version for the newest entry of the lookup state's key. Returns
   * whether there is one, which the state then holds: a value, a deletion or an operand.
   */
  private boolean findInTables(Lease lease, LookupState state) {
    SearchScheme scheme = context.scheme();
    if (scheme == SearchScheme.FIXED_COUNT || scheme == SearchScheme.PRIORITY_AWARE) {
      boolean found = state.parallel().find(this, lease.version(), scheme, 0, 0, 0);
      if (found) {
        state.foundInTable();
      }
      return found;
    }
    return state.serial.find(this, lease, scheme == SearchScheme.ADAPTIVE);
  }

  private void requestMerge(long group) {
    if (group != 0) {
      requests.ask(group);
    }
  }

  /**
   * Returns copies of the values of many keys in one view, in the order of the keys, with null for
   * an absent key. Looks them up in key order, run by run, so that adjacent keys share a block.
   * Errors are those of {@link #get(byte[], int, int, long)} and end the whole call.
   *
   * @param keys in any order, repeats allowed; not changed
   */
  public byte[][] getAll(List<byte[]> keys, long sequence) {
    MultiGetKeys many = new MultiGetKeys(keys);
    LookupState state = states.get();
    MemtableSet set = memtables.acquire();
    try {
      state.begin(keys);
      byte[][] values = getAll(many, state, set, sequence);
      state.missed(many.missing());
      return values;
    } finally {
      set.release();
      state.end(0);
    }
  }

  private byte[][] getAll(MultiGetKeys many, LookupState state, MemtableSet set, long sequence) {
    try (Lease lease = versions.leaseWithoutStackCheck()) {
      long at = sequence == NEWEST ? visible.getAsLong() : sequence;
      List<Memtable> newestFirst = set.newestFirst();
      if (mayDeleteRanges(set, lease.version())) {
        return many.lookUpAll(
            key -> state.multiVersion.value(this, newestFirst, lease.version(), key, at));
      }
      // Uses another state, because this one holds a shared block.
      many.judgeBy(
          hooks.clock().millis(),
          key -> {
            LookupState other = state.another();
            byte[] value = other.multiVersion.value(this, newestFirst, lease.version(), key, at);
            other.countBlocks();
            return value;
          });
      for (Memtable memtable : newestFirst) {
        if (lease.version().includes(memtable.flushRun())) {
          // The version has its entries, perhaps with newer ones that the set lacks.
          continue;
        }
        many.lookUp(key -> findInMemtable(memtable, state, key, 0, key.length, at), state, null);
      }
      state.requestedGroup = 0;
      state.lookup.beginSharing();
      state.ahead().begin();
      for (Level level : lease.version().levels()) {
        for (Run run : level.runs()) {
          many.lookUp(
              key -> {
                state.seek(key, 0, key.length, at);
                return findInRun(run, state) ? state.lookup.kind() : null;
              },
              state,
              state.ahead().isDue() ? ahead(run, state) : null);
        }
      }
      requestMerge(state.requestedGroup);
      return many.values();
    } finally {
      state.ahead().end();
      state.lookup.endSharing();
    }
  }

  private MultiGetKeys.Ahead ahead(Run run, LookupState state) {
    return new MultiGetKeys.Ahead() {
      @Override
      public void begin() {
        state.ahead().forget();
      }

      @Override
      public boolean add(byte[] key) {
        state.seek(key, 0, key.length, 0);
        return state.ahead().add(FamilyReader.this, run);
      }

      @Override
      public void request() {
        state.ahead().request();
      }
    };
  }

  /**
   * Searches the tables of a run for the newest entry of one key of many. Returns whether there is
   * one, which the lookup state then holds: a value, a deletion or an operand.
   */
  private boolean findInRun(Run run, LookupState state) {
    Segment segment = run.find(state.key);
    if (segment == null) {
      return false;
    }
    state.noteVirtualSegment(segment, requests);
    List<Slice> slices = segment.slices();
    for (int i = 0; i < slices.size(); i++) {
      Table table = slices.get(i).candidate(tables, state.key);
      if (table != null && state.searchBlock(table, table.block(state.key))) {
        state.foundInTable();
        return true;
      }
    }
    return false;
  }

  private static boolean mayDeleteRanges(MemtableSet set, Version version) {
    for (Memtable memtable : set.newestFirst()) {
      if (!memtable.hasNoRangeDeletions()) {
        return true;
      }
    }
    return version.mayDeleteRanges();
  }

  /**
   * Returns an unpositioned cursor over the visible keys of a range. The caller closes the cursor,
   * then runs the release. After an exception nothing is held.
   *
   * @param sequence of an open snapshot, or {@link #NEWEST}
   * @param low the first key, inclusive, or null
   * @param high the end, exclusive, or null
   */
  public View view(long sequence, byte[] low, byte[] high) {
    MemtableSet set = memtables.acquire();
    Lease lease = null;
    try {
      lease = versions.leaseWithoutStackCheck();
      long at = sequence == NEWEST ? visible.getAsLong() : sequence;
      // A memtable activated before the number was read holds values that the set lacks.
      EmptyRanges ranges = memtables.isCurrent(set) ? memtables.emptyRanges() : null;
      return new View(cursor(set, lease, ranges, at, low, high), releasing(set, lease));
    } catch (RuntimeException | Error e) {
      set.release();
      if (lease != null) {
        lease.close();
      }
      throw e;
    }
  }

  private static Runnable releasing(MemtableSet set, Lease lease) {
    return () -> {
      try {
        set.release();
      } finally {
        lease.close();
      }
    };
  }

  private VisibleCursor cursor(
      MemtableSet set, Lease lease, EmptyRanges ranges, long at, byte[] low, byte[] high) {
    CursorSources sources = new CursorSources(tables, at);
    for (Memtable memtable : set.newestFirst()) {
      if (!lease.version().includes(memtable.flushRun())) {
        sources.add(memtable);
      }
    }
    lease.version().forEachRun(sources::add);
    EntryCursor merge = new MergingCursor(sources.cursors());
    EntryCursor jumps =
        new SeekPrefetchCursor(merge, sources.columns(), sources.ahead(), context, states::get);
    return new VisibleCursor(merge, jumps, hooks, ranges, cursorPatience, reads, at, low, high);
  }

  /**
   * Cursor with the resources under it.
   *
   * @param release releases memtables and lease; run once, after the cursor was closed
   */
  public record View(VisibleCursor cursor, Runnable release) {}
}
