// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.KeyShards;
import io.coppice.base.SearchScheme;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Extensions;
import io.coppice.entry.Kind;
import io.coppice.entry.MergeCursor;
import io.coppice.manifest.Lease;
import io.coppice.manifest.Level;
import io.coppice.manifest.Lineage;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.SliceIndex;
import io.coppice.manifest.Version;
import io.coppice.memtable.EmptyRanges;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.MemtableSet;
import io.coppice.memtable.Memtables;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Looks keys of one family up. Safe to share between threads; takes no lock.
 *
 * <p>The memtables are taken before the version: a flush that is installed in between is then seen
 * twice, never missed. The sequence number is read after both, so that all it covers is in them. A
 * read holds its memtables to the end, which is what closing the store waits for.
 */
public final class Reader {

  /** Stands for the newest sequence number in a read without a snapshot. */
  public static final long NEWEST = -1;

  // What asking some tables has come to: the key may be in older ones, or in none at all.
  private static final int ABSENT = 0;
  private static final int FOUND = 1;
  private static final int NOWHERE = 2;

  /**
   * Lookups of one thread, between two flushes or merges, after which it makes an index: that takes
   * as long as some hundreds of them.
   */
  private static final int LOOKUPS_TO_INDEX = 1 << 13;

  private final Memtables memtables;
  private final Lineage lineage;
  private final OpenTables tables;
  private final LongSupplier visible;
  private final Extensions extensions;
  private final ReadRequests requests;
  private final Searching searching;
  private final SearchWidth width = new SearchWidth();
  private final FamilyReads reads;
  private volatile int lookupsToIndex = LOOKUPS_TO_INDEX;
  private volatile int cursorPatience = VisibleCursor.PATIENCE;

  /** What a thread keeps must not reach the reader, or neither would ever be collected. */
  private final ThreadLocal<Search> searches;

  /**
   * Reads from these.
   *
   * @param visible gives the newest sequence number that may be seen
   * @param extensions combine operands, and tell the time by which entries end
   * @param requests is asked to merge what makes lookups dear: the first such segment that a lookup
   *     meets, after its answer; scans ask for nothing
   */
  public Reader(
      Memtables memtables,
      Lineage lineage,
      OpenTables tables,
      LongSupplier visible,
      Extensions extensions,
      ReadRequests requests,
      Searching searching) {
    this.memtables = memtables;
    this.lineage = lineage;
    this.tables = tables;
    this.visible = visible;
    this.extensions = extensions;
    this.requests = requests;
    this.searching = searching;
    FamilyReads counted = new FamilyReads();
    this.reads = counted;
    this.searches = ThreadLocal.withInitial(() -> searching.newSearch(counted));
  }

  /** How the family was read since the store was opened. */
  public ReadLoad load() {
    return searching.load(reads);
  }

  /**
   * Copies hashes of keys that were looked up since the last call, of a sample of one in 64 and the
   * last few hundred of each thread.
   *
   * @return how many there are, at most as many as there is room for
   */
  public int sampleKeys(long[] target) {
    return searching.sampleKeys(reads, target);
  }

  /** Which shards a sample of the lookups goes to. */
  public KeyShards lookupsIn() {
    return reads.lookupsIn;
  }

  /** Which shards the keys lie in that cursors are told to go to. */
  public KeyShards scansIn() {
    return reads.scansIn;
  }

  /** Says how many lookups of one thread in one version make an index; for tests, which do few. */
  public void indexAfter(int lookups) {
    lookupsToIndex = lookups;
  }

  /** Says how many hidden entries cursors pass before they seek; for tests, which hide few. */
  public void cursorPatience(int entries) {
    cursorPatience = entries;
  }

  OpenTables tables() {
    return tables;
  }

  Extensions extensions() {
    return extensions;
  }

  ReadRequests requests() {
    return requests;
  }

  /** What adaptive lookups have learnt. */
  SearchWidth width() {
    return width;
  }

  /**
   * The value of a key at a sequence number, as a copy; null if it is absent.
   *
   * @param sequence of an open snapshot, or {@link #NEWEST}
   */
  public byte[] get(byte[] key, int offset, int length, long sequence) {
    Search search = searches.get();
    long begun = 0;
    MemtableSet set = memtables.acquire();
    try {
      begun = search.begin(key, offset, length);
      if (find(set, search, key, offset, length, sequence)) {
        return search.value();
      }
      search.missed(1);
      return null;
    } finally {
      set.release();
      search.end(begun);
    }
  }

  /** As {@link #get(byte[], int, int, long)}, of the whole array. */
  public byte[] get(byte[] key, long sequence) {
    return get(key, 0, key.length, sequence);
  }

  /** As {@link #get(byte[], int, int, long)}, from position to limit of the key. */
  public byte[] get(ByteBuffer key, long sequence) {
    if (key.hasArray()) {
      return get(key.array(), key.arrayOffset() + key.position(), key.remaining(), sequence);
    }
    return get(searches.get().copyOf(key), 0, key.remaining(), sequence);
  }

  /**
   * Copies the value of a key from the target's position on, if it fits up to the limit; neither
   * moves. Allocates nothing.
   *
   * @return the length of the value, or -1 if the key is absent
   */
  public int getInto(byte[] key, int offset, int length, long sequence, ByteBuffer target) {
    Search search = searches.get();
    long begun = 0;
    MemtableSet set = memtables.acquire();
    try {
      begun = search.begin(key, offset, length);
      if (find(set, search, key, offset, length, sequence)) {
        return search.copyInto(target);
      }
      search.missed(1);
      return -1;
    } finally {
      set.release();
      search.end(begun);
    }
  }

  /** As {@link #getInto(byte[], int, int, long, ByteBuffer)}, from position to limit of the key. */
  public int getInto(ByteBuffer key, long sequence, ByteBuffer target) {
    if (key.hasArray()) {
      int offset = key.arrayOffset() + key.position();
      return getInto(key.array(), offset, key.remaining(), sequence, target);
    }
    return getInto(searches.get().copyOf(key), 0, key.remaining(), sequence, target);
  }

  /**
   * The values of many keys in one view, as copies, in the order of the keys; null where one is
   * absent. Looks them up in key order, run by run, so that keys side by side share a block.
   *
   * @param keys in any order, repeats allowed
   */
  public byte[][] getAll(List<byte[]> keys, long sequence) {
    ManyKeys many = new ManyKeys(keys);
    Search search = searches.get();
    MemtableSet set = memtables.acquire();
    try {
      search.begin(keys);
      byte[][] values = getAll(many, search, set, sequence);
      search.missed(many.missing());
      return values;
    } finally {
      set.release();
      search.end(0);
    }
  }

  private byte[][] getAll(ManyKeys many, Search search, MemtableSet set, long sequence) {
    try (Lease lease = lineage.lease()) {
      long at = sequence == NEWEST ? visible.getAsLong() : sequence;
      List<Memtable> newestFirst = set.newestFirst();
      if (mayDeleteRanges(set, lease.version())) {
        return many.lookUpAll(
            key -> search.gathering.value(this, newestFirst, lease.version(), key, at));
      }
      // With a search of its own, as this one's holds a block that is shared.
      many.judgeBy(
          extensions.clock().millis(),
          key -> {
            Search other = search.another();
            byte[] value = other.gathering.value(this, newestFirst, lease.version(), key, at);
            other.count();
            return value;
          });
      for (Memtable memtable : newestFirst) {
        if (lease.version().includes(memtable.flushRun())) {
          // It may be of before what else the version has.
          continue;
        }
        many.lookUp(key -> findIn(memtable, search, key, 0, key.length, at), search, null);
      }
      search.group = 0;
      search.lookup.beginSharing();
      search.ahead().begin();
      for (Level level : lease.version().levels()) {
        for (Run run : level.runs()) {
          many.lookUp(
              key -> {
                search.seek(key, 0, key.length, at);
                return findIn(run, search) ? search.lookup.kind() : null;
              },
              search,
              search.ahead().isDue() ? ahead(run, search) : null);
        }
      }
      askFor(search.group);
      return many.values();
    } finally {
      search.ahead().end();
      search.lookup.endSharing();
    }
  }

  private ManyKeys.Ahead ahead(Run run, Search search) {
    return new ManyKeys.Ahead() {
      @Override
      public void begin() {
        search.ahead().forget();
      }

      @Override
      public boolean add(byte[] key) {
        search.seek(key, 0, key.length, 0);
        return search.ahead().add(Reader.this, run);
      }

      @Override
      public void request() {
        search.ahead().request();
      }
    };
  }

  /** True if the key has a value, which is then in {@code search}. */
  private boolean find(
      MemtableSet set, Search search, byte[] key, int offset, int length, long sequence) {
    long at = sequence == NEWEST ? visible.getAsLong() : sequence;
    // By index here and below: a lookup must allocate nothing, however it is compiled.
    List<Memtable> newestFirst = set.newestFirst();
    for (int i = 0; i < newestFirst.size(); i++) {
      Memtable memtable = newestFirst.get(i);
      if (!memtable.hasNoRangeDeletions()) {
        return gather(set, search, key, offset, length, sequence);
      }
      Kind kind = findIn(memtable, search, key, offset, length, at);
      if (kind == Kind.MERGE) {
        return gather(set, search, key, offset, length, sequence);
      }
      if (kind != null) {
        return isValue(kind, search);
      }
    }
    try (Lease lease = lineage.lease()) {
      if (lease.version().mayDeleteRanges()) {
        return gather(set, lease.version(), search, key, offset, length, sequence);
      }
      // What was visible before the lease may since have been merged into something newer.
      at = sequence == NEWEST ? visible.getAsLong() : sequence;
      search.group = 0;
      search.seek(key, offset, length, at);
      boolean found = findIn(lease, search);
      askFor(search.group);
      if (found && search.lookup.kind() == Kind.MERGE) {
        search.startOver();
        return gather(set, lease.version(), search, key, offset, length, sequence);
      }
      return found && isValue(search.lookup.kind(), search);
    }
  }

  private boolean isValue(Kind kind, Search search) {
    return kind == Kind.PUT || (kind == Kind.EXPIRING && search.lives(extensions.clock().millis()));
  }

  private boolean gather(
      MemtableSet set, Search search, byte[] key, int offset, int length, long sequence) {
    try (Lease lease = lineage.lease()) {
      return gather(set, lease.version(), search, key, offset, length, sequence);
    }
  }

  private boolean gather(
      MemtableSet set,
      Version version,
      Search search,
      byte[] key,
      int offset,
      int length,
      long sequence) {
    // Read after the lease was taken, so that all it covers is in the memtables or the version.
    long at = sequence == NEWEST ? visible.getAsLong() : sequence;
    return search.gathering.find(this, set.newestFirst(), version, key, offset, length, at);
  }

  private static boolean mayDeleteRanges(MemtableSet set, Version version) {
    for (Memtable memtable : set.newestFirst()) {
      if (!memtable.hasNoRangeDeletions()) {
        return true;
      }
    }
    return version.mayDeleteRanges();
  }

  /** The kind of the entry that decides, or null if there is none. */
  private static Kind findIn(
      Memtable memtable, Search search, byte[] key, int offset, int length, long sequence) {
    int place = memtable.find(key, offset, length, sequence);
    if (place == 0) {
      return null;
    }
    search.foundIn(memtable, place);
    return memtable.kind(place);
  }

  /** Searches the tables of a version for what is sought. */
  private boolean findIn(Lease lease, Search search) {
    Version version = lease.version();
    SearchScheme scheme = searching.scheme();
    if (scheme == SearchScheme.FIXED_COUNT || scheme == SearchScheme.PRIORITY_AWARE) {
      return search.parallel().find(this, version, scheme, 0, 0, 0) && search.foundInTable();
    }
    boolean adaptive = scheme == SearchScheme.ADAPTIVE;
    SliceIndex index = index(lease, search);
    if (index != null) {
      return findIn(index, version, search, adaptive);
    }
    Probes probes = search.probes;
    try {
      return findIn(version, search, probes, adaptive);
    } finally {
      probes.clear();
    }
  }

  /** The index of a version that is searched again and again; null where it is not worth while. */
  private SliceIndex index(Lease lease, Search search) {
    SliceIndex index = lease.index();
    if (index == null && search.inARow(lease.ordinal()) % lookupsToIndex == 0) {
      index = SliceIndex.of(lease.version(), tables);
      lease.index(index);
    }
    return index;
  }

  /** Searches the tables that an index names one after the other. */
  private boolean findIn(SliceIndex index, Version version, Search search, boolean adaptive) {
    int interval = index.interval(search.key, search.offset, search.length);
    int end = index.end(interval);
    int[] differences = search.differences;
    for (int from = index.begin(interval); from < end; from += Probes.MAX) {
      int count = Math.min(end - from, Probes.MAX);
      // Read together, as by Probes.
      for (int i = 0; i < count; i++) {
        differences[i] = index.table(from + i).readFilter(search.hash);
      }
      for (int i = 0; i < count; i++) {
        Table table = index.table(from + i);
        if (!table.mayContain(search.hash, differences[i])) {
          continue;
        }
        int block = table.block(search.key, search.offset, search.length);
        if (adaptive && block >= 0 && !table.atHand(block)) {
          return findFrom(version, search, index.level(from + i), index.run(from + i), 0);
        }
        if (search.ask(table, block)) {
          return search.foundInTable();
        }
      }
    }
    return false;
  }

  /** Goes on from a slice whose block is not at hand, with several reads at once. */
  private boolean findFrom(Version version, Search search, int level, int run, int slice) {
    return search.parallel().find(this, version, SearchScheme.ADAPTIVE, level, run, slice)
        && search.foundInTable();
  }

  /** Searches the tables of all runs one after the other. */
  private boolean findIn(Version version, Search search, Probes probes, boolean adaptive) {
    List<Level> levels = version.levels();
    for (int i = 0; i < levels.size(); i++) {
      List<Run> runs = levels.get(i).runs();
      for (int j = 0; j < runs.size(); j++) {
        Segment segment = runs.get(j).find(search.key, search.offset, search.length);
        int from = segment == null ? Probes.DONE : 0;
        while (from != Probes.DONE) {
          from = probes.add(i, j, segment, from, search, tables);
          if (from != Probes.DONE) {
            int outcome = ask(version, search, probes, adaptive);
            if (outcome != ABSENT) {
              return outcome == FOUND;
            }
          }
        }
      }
    }
    return ask(version, search, probes, adaptive) == FOUND;
  }

  /** Asks those gathered, newest first, and forgets them. */
  private int ask(Version version, Search search, Probes probes, boolean onlyAtHand) {
    probes.read(search.hash);
    for (int i = 0; i < probes.size(); i++) {
      Segment segment = probes.segment(i);
      if (i == 0 || probes.segment(i - 1) != segment) {
        meet(segment, search);
      }
      Table table = probes.candidate(i, tables, search.hash);
      if (table == null) {
        continue;
      }
      int block = table.block(search.key, search.offset, search.length);
      if (onlyAtHand && block >= 0 && !table.atHand(block)) {
        boolean found = findFrom(version, search, probes.level(i), probes.run(i), probes.slice(i));
        return found ? FOUND : NOWHERE;
      }
      if (search.ask(table, block)) {
        search.foundInTable();
        return FOUND;
      }
    }
    probes.clear();
    return ABSENT;
  }

  /** Notes a segment that is to be merged, if it is the first. */
  private void meet(Segment segment, Search search) {
    if (search.group == 0
        && requests.wants(segment)
        && segment.spans(search.key, search.offset, search.length)) {
      search.group = segment.group();
    }
  }

  /** Searches the tables of a run one after the other; for one key of many. */
  private boolean findIn(Run run, Search search) {
    Segment segment = run.find(search.key, search.offset, search.length);
    if (segment == null) {
      return false;
    }
    meet(segment, search);
    List<Slice> slices = segment.slices();
    for (int i = 0; i < slices.size(); i++) {
      Table table =
          slices.get(i).candidate(tables, search.key, search.offset, search.length, search.hash);
      if (table != null
          && search.ask(table, table.block(search.key, search.offset, search.length))) {
        return search.foundInTable();
      }
    }
    return false;
  }

  private void askFor(long group) {
    if (group != 0) {
      requests.ask(group);
    }
  }

  /**
   * A cursor over the visible keys of a range, unpositioned.
   *
   * @param sequence of an open snapshot, or {@link #NEWEST}
   * @param low the first key, inclusive, or null
   * @param high the end, exclusive, or null
   */
  public View view(long sequence, byte[] low, byte[] high) {
    MemtableSet set = memtables.acquire();
    Lease lease = null;
    try {
      lease = lineage.lease();
      long at = sequence == NEWEST ? visible.getAsLong() : sequence;
      // A memtable that was added before the number was read holds values that the set lacks.
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
    Sources sources = new Sources(tables, at);
    for (Memtable memtable : set.newestFirst()) {
      if (!lease.version().includes(memtable.flushRun())) {
        sources.add(memtable);
      }
    }
    lease.version().forEachRun(sources::add);
    EntryCursor merge = new MergeCursor(sources.cursors());
    EntryCursor jumps =
        new SeekingCursor(merge, sources.columns(), sources.ahead(), searching, searches::get);
    return new VisibleCursor(
        merge, jumps, extensions, ranges, cursorPatience, reads, at, low, high);
  }

  /**
   * A cursor and what it stands on.
   *
   * @param release gives the memtables and the lease back, after the cursor was closed
   */
  public record View(VisibleCursor cursor, Runnable release) {}
}
