// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.Bytes;
import io.coppice.base.ClosedException;
import io.coppice.base.Limits;
import io.coppice.base.References;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import io.coppice.entry.RangeDeletions;
import java.nio.ByteBuffer;

/**
 * Entries in order, in direct memory: a list with a tree over it, in chunks of up to one mebibyte.
 * Entries are only added, a new version of a key beside the older ones. Keys and values take no
 * heap.
 *
 * <p>One thread writes at a time; any number of threads read meanwhile without a lock, and see an
 * entry from the moment {@link #add} returns, at the latest. Counted references keep the memory: it
 * goes back when the last one is released. The maker holds the first.
 *
 * <p>{@link #find} answers with a <em>place</em>, an int that stands for one entry as long as the
 * caller holds a reference.
 */
public final class Memtable {

  private final Arena arena;
  private final EntryList list;
  private final References references = new References();
  private volatile int entries;
  private volatile int deletions;
  private final RangeList ranges = new RangeList();
  private volatile int rangeDeletions;
  private volatile long flushRun;

  /** Null for a memtable that no reader sees while it is written to. */
  private EmptyRanges emptyRanges;

  private Memtable(Arena arena, EntryList list) {
    this.arena = arena;
    this.list = list;
  }

  /** An empty memtable with its first chunk, or null if the ledger has no room for that. */
  public static Memtable tryCreate(ChunkPool pool) {
    Arena arena = new Arena(pool);
    EntryList list = EntryList.create(arena);
    return list == null ? null : new Memtable(arena, list);
  }

  /**
   * Takes the memory that the demand may need. If true, adding the entries that were counted, and
   * no others before them, succeeds. If false, what could be had is kept for the next attempt.
   */
  public boolean ensure(Demand demand) {
    return arena.ensure(demand);
  }

  /**
   * Adds an entry; key and value are copied. No entry may have the same key and sequence number.
   *
   * @return false if no memory could be had; nothing changed then
   */
  public boolean add(
      long sequence,
      Kind kind,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    assert sequence >= 0 && sequence <= Limits.MAX_SEQUENCE : sequence;
    assert keyLength <= Limits.MAX_KEY_BYTES && valueLength <= Limits.MAX_VALUE_BYTES;
    assert valueLength >= kind.minValueBytes() && valueLength <= kind.maxValueBytes() : kind;
    if (kind == Kind.DELETE_RANGE) {
      return addRange(sequence, key, keyFrom, keyLength, value, valueFrom, valueLength);
    }
    long trailer = NodeLayout.trailer(sequence, kind.code());
    if (!list.insert(trailer, key, keyFrom, keyLength, value, valueFrom, valueLength)) {
      return false;
    }
    if (emptyRanges == null || kind == Kind.DELETE) {
      count(kind);
      return true;
    }
    emptyRanges.adding(sequence);
    count(kind);
    emptyRanges.added(key, keyFrom, keyLength);
    return true;
  }

  /** Says which ranges each value is checked against; before the first entry is added. */
  void checkAgainst(EmptyRanges ranges) {
    emptyRanges = ranges;
  }

  /** The list is paid for with as much room as an entry of these lengths would take. */
  boolean addRange(
      long sequence,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    if (!arena.allocate(NodeLayout.bodyBytes(keyLength, valueLength))) {
      return false;
    }
    ranges.add(
        Bytes.copy(key, keyFrom, keyLength), Bytes.copy(value, valueFrom, valueLength), sequence);
    rangeDeletions = rangeDeletions + 1;
    count(Kind.DELETE_RANGE);
    return true;
  }

  /** Adds many entries, which nobody reads before they are all there. */
  public Loader loader() {
    return new Loader(this, list);
  }

  /** There is one writer, so a read and a write of its counters need no atomic step. */
  void count(Kind kind) {
    entries = entries + 1;
    if (!kind.hasValue() || kind == Kind.DELETE_RANGE) {
      deletions = deletions + 1;
    }
  }

  /**
   * The newest entry of a key whose sequence number is at most the given one.
   *
   * @return its place, or 0 if there is none
   */
  public int find(byte[] key, int keyFrom, int keyLength, long sequence) {
    checkHeld();
    long trailer = NodeLayout.trailer(sequence, 0xFF);
    int node = list.seek(key, keyFrom, keyLength, trailer);
    return node != 0 && list.hasKey(node, key, keyFrom, keyLength) ? node : 0;
  }

  /**
   * The next older entry of the same key.
   *
   * @param place of an entry of the key
   * @return its place, or 0 if there is none
   */
  public int findOlder(int place, byte[] key, int keyFrom, int keyLength) {
    int node = list.next(place);
    return node != 0 && list.hasKey(node, key, keyFrom, keyLength) ? node : 0;
  }

  /** What the entry does. */
  public Kind kind(int place) {
    return Kind.of(NodeLayout.kind(trailer(place)));
  }

  /** The entry's sequence number. */
  public long sequence(int place) {
    return NodeLayout.sequence(trailer(place));
  }

  /** The length of the entry's value in bytes. */
  public int valueLength(int place) {
    int body = list.body(place);
    return NodeLayout.valueLength(arena.chunkOf(body), Arena.positionOf(body));
  }

  /** Copies the entry's value to the target, from this position on. */
  public void copyValue(int place, byte[] target, int targetFrom) {
    int body = list.body(place);
    ByteBuffer chunk = arena.chunkOf(body);
    int b = Arena.positionOf(body);
    int value = NodeLayout.value(b, NodeLayout.keyLength(chunk, b));
    chunk.get(value, target, targetFrom, NodeLayout.valueLength(chunk, b));
  }

  /** Copies the entry's value to the target, from its position on; position and limit stay. */
  public void copyValue(int place, ByteBuffer target) {
    int body = list.body(place);
    ByteBuffer chunk = arena.chunkOf(body);
    int b = Arena.positionOf(body);
    int value = NodeLayout.value(b, NodeLayout.keyLength(chunk, b));
    target.put(target.position(), chunk, value, NodeLayout.valueLength(chunk, b));
  }

  int keyLength(int place) {
    int body = list.body(place);
    return NodeLayout.keyLength(arena.chunkOf(body), Arena.positionOf(body));
  }

  void copyKey(int place, int keyLength, byte[] target) {
    int body = list.body(place);
    NodeLayout.copyKey(
        arena.chunkOf(body), Arena.positionOf(body), list.prefix(place), keyLength, target);
  }

  private long trailer(int place) {
    int body = list.body(place);
    return arena.chunkOf(body).getLong(Arena.positionOf(body));
  }

  /** A cursor over all entries, also those added later. It holds a reference until it is closed. */
  public EntryCursor cursor() {
    MemtableCursor cursor = null;
    if (!tryRetain()) {
      throw new ClosedException("the memtable");
    }
    try {
      cursor = new MemtableCursor(this, list, true);
      return cursor;
    } finally {
      if (cursor == null) {
        release();
      }
    }
  }

  /** As {@link #cursor}, for a caller that holds the memtable as long; it holds no reference. */
  public EntryCursor heldCursor() {
    checkHeld();
    return new MemtableCursor(this, list, false);
  }

  /** Adds a reference, unless the last one was released; false then. */
  public boolean tryRetain() {
    return references.tryRetain();
  }

  /** Drops a reference; the last one gives the memory back. */
  public void release() {
    if (references.release()) {
      arena.free();
    }
  }

  /** Says that only readers need it from now on. The caller holds a reference. */
  void keepForReaders() {
    arena.keepForReaders();
  }

  /** Bytes of direct memory held. */
  public long bytes() {
    return arena.bytes();
  }

  /** Bytes that entries take of it. */
  public long usedBytes() {
    return arena.used();
  }

  /** Entries added. */
  public int entries() {
    return entries;
  }

  /** Deletions among them, of keys and of ranges. */
  public int deletions() {
    return deletions;
  }

  /** Range deletions among them; no cursor shows these. */
  public int rangeDeletions() {
    return rangeDeletions;
  }

  /** True if there is no range deletion. */
  public boolean hasNoRangeDeletions() {
    return ranges.isEmpty();
  }

  /**
   * The newest range deletion of a key that is not newer than this sequence number, or -1. Needs no
   * reference.
   */
  public long newestCovering(byte[] key, int offset, int length, long sequence) {
    return ranges.newestCovering(key, offset, length, sequence);
  }

  /** Returns the newest range deletion of each key that is not newer than this sequence number. */
  public RangeDeletions rangesSeenAt(long sequence) {
    return ranges.seenAt(sequence);
  }

  /** Returns for each key the newest range deletion in each stripe of these snapshots. */
  public RangeDeletions neededRanges(long[] snapshots) {
    return ranges.needed(snapshots);
  }

  /** The run as which it is being flushed, or was; 0 before that. */
  public long flushRun() {
    return flushRun;
  }

  /** Says as which run it is about to be flushed. */
  public void flushRun(long run) {
    flushRun = run;
  }

  private void checkHeld() {
    if (!references.any()) {
      throw new ClosedException("the memtable");
    }
  }
}
