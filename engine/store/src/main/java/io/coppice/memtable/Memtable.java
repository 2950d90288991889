// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.coppice.base.ClosedException;
import io.coppice.base.Limits;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.thread.References;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.RangeDeletions;
import java.nio.ByteBuffer;

/**
 * In-memory table of entries in order, in direct memory: a list with a tree over it, in chunks of
 * up to one mebibyte and one chunk for each large entry. Entries are only added; a new version of a
 * key is stored beside the older ones. Keys and values take no heap.
 *
 * <p>One thread writes at a time. Any number of threads read concurrently without a lock and see an
 * entry once {@link #add} returns, or earlier. Counted references keep the memory, which is freed
 * with the last one. The creator holds the first reference.
 *
 * <p>{@link #find} returns a <em>place</em>, an int that identifies an entry as long as the caller
 * holds a reference.
 */
public final class Memtable {

  private final MemtableArena arena;
  private final EntryList list;
  private final References references = new References();
  private volatile int entries;
  private volatile int deletions;
  private final RangeDeletionList ranges = new RangeDeletionList();
  private volatile int rangeDeletions;
  private volatile long flushRun;

  /**
   * Ranges that each value is checked against, or null for a memtable without readers during its
   * writes.
   */
  private EmptyRanges emptyRanges;

  private Memtable(MemtableArena arena, EntryList list) {
    this.arena = arena;
    this.list = list;
  }

  /**
   * Returns an empty memtable with its first chunk, or null if the memory budget or the JVM refuses
   * the chunk.
   */
  public static Memtable tryCreate(ChunkPool pool) {
    MemtableArena arena = new MemtableArena(pool);
    EntryList list = EntryList.create(arena);
    return list == null ? null : new Memtable(arena, list);
  }

  /**
   * Allocates the memory that a demand may need. Returns true if all is available: adding the
   * counted entries, and no others before them, then succeeds. Otherwise keeps what was available
   * for the next attempt.
   */
  public boolean ensure(MemoryDemand demand) {
    return arena.ensure(demand);
  }

  /**
   * Adds an entry; key and value are copied. No other entry may have the same key and sequence
   * number.
   *
   * @return whether memory was available; otherwise nothing changed
   */
  public boolean add(
      long sequence,
      EntryKind kind,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    assert sequence >= 0 && sequence <= Limits.MAX_SEQUENCE : sequence;
    assert keyLength <= Limits.MAX_KEY_BYTES && valueLength <= Limits.MAX_VALUE_BYTES;
    assert valueLength >= kind.minValueBytes() && valueLength <= kind.maxValueBytes() : kind;
    if (kind == EntryKind.DELETE_RANGE) {
      return addRange(sequence, key, keyFrom, keyLength, value, valueFrom, valueLength);
    }
    long trailer = EntryNodeLayout.trailer(sequence, kind.code());
    if (!list.insert(trailer, key, keyFrom, keyLength, value, valueFrom, valueLength)) {
      return false;
    }
    if (emptyRanges == null || kind == EntryKind.DELETE) {
      count(kind);
      return true;
    }
    emptyRanges.adding(sequence);
    count(kind);
    emptyRanges.added(key, keyFrom, keyLength);
    return true;
  }

  /**
   * Sets the cache of empty ranges of the family. Each added value is checked against them, so that
   * no range is kept over a key with a value. Called before the first entry is added.
   */
  void checkAgainst(EmptyRanges ranges) {
    emptyRanges = ranges;
  }

  /**
   * Adds a range deletion. Its list is on the heap; the arena charges the room of an entry of these
   * lengths. Returns false if there is too little memory.
   */
  boolean addRange(
      long sequence,
      byte[] key,
      int keyFrom,
      int keyLength,
      byte[] value,
      int valueFrom,
      int valueLength) {
    if (!arena.allocate(EntryNodeLayout.bodyBytes(keyLength, valueLength))) {
      return false;
    }
    ranges.add(
        Bytes.copy(key, keyFrom, keyLength), Bytes.copy(value, valueFrom, valueLength), sequence);
    rangeDeletions = rangeDeletions + 1;
    count(EntryKind.DELETE_RANGE);
    return true;
  }

  /** Returns a bulk loader. Its entries become visible when it finishes. */
  public MemtableLoader loader() {
    return new MemtableLoader(this, list);
  }

  /** Counts an added entry. The single writer needs no atomic increment. */
  void count(EntryKind kind) {
    entries = entries + 1;
    if (!kind.hasValue() || kind == EntryKind.DELETE_RANGE) {
      deletions = deletions + 1;
    }
  }

  /**
   * Returns the newest entry of a key whose sequence number is at most the given one. Range
   * deletions do not count.
   *
   * @return its place, or 0 if there is none
   * @throws ClosedException if the last reference was released
   */
  public int find(byte[] key, int keyFrom, int keyLength, long sequence) {
    checkHeld();
    long trailer = EntryNodeLayout.trailer(sequence, 0xFF);
    int node = list.seek(key, keyFrom, keyLength, trailer);
    return node != 0 && list.hasKey(node, key, keyFrom, keyLength) ? node : 0;
  }

  /**
   * Returns the next older entry of the same key.
   *
   * @param place an entry of the key
   * @return its place, or 0 if there is none
   */
  public int findOlder(int place, byte[] key, int keyFrom, int keyLength) {
    int node = list.next(place);
    return node != 0 && list.hasKey(node, key, keyFrom, keyLength) ? node : 0;
  }

  /** Returns the kind of an entry. */
  public EntryKind kind(int place) {
    return EntryKind.of(EntryNodeLayout.kind(trailer(place)));
  }

  /** Returns the sequence number of an entry. */
  public long sequence(int place) {
    return EntryNodeLayout.sequence(trailer(place));
  }

  /** Returns the length of an entry's value in bytes. */
  public int valueLength(int place) {
    int body = list.body(place);
    return EntryNodeLayout.valueLength(arena.chunkOf(body), MemtableArena.positionOf(body));
  }

  /**
   * Copies an entry's value to the target, from the index {@code targetFrom} on, where it has room
   * for {@link #valueLength}.
   */
  public void copyValue(int place, byte[] target, int targetFrom) {
    int body = list.body(place);
    ByteBuffer chunk = arena.chunkOf(body);
    int b = MemtableArena.positionOf(body);
    int value = EntryNodeLayout.value(b, EntryNodeLayout.keyLength(chunk, b));
    chunk.get(value, target, targetFrom, EntryNodeLayout.valueLength(chunk, b));
  }

  /**
   * Copies an entry's value to the target, from its position on, where it has room for {@link
   * #valueLength}; position and limit stay.
   */
  public void copyValue(int place, ByteBuffer target) {
    int body = list.body(place);
    ByteBuffer chunk = arena.chunkOf(body);
    int b = MemtableArena.positionOf(body);
    int value = EntryNodeLayout.value(b, EntryNodeLayout.keyLength(chunk, b));
    target.put(target.position(), chunk, value, EntryNodeLayout.valueLength(chunk, b));
  }

  int keyLength(int place) {
    int body = list.body(place);
    return EntryNodeLayout.keyLength(arena.chunkOf(body), MemtableArena.positionOf(body));
  }

  void copyKey(int place, int keyLength, byte[] target) {
    int body = list.body(place);
    EntryNodeLayout.copyKey(
        arena.chunkOf(body), MemtableArena.positionOf(body), list.prefix(place), keyLength, target);
  }

  private long trailer(int place) {
    int body = list.body(place);
    return arena.chunkOf(body).getLong(MemtableArena.positionOf(body));
  }

  /**
   * Returns a cursor over all entries, including those added later. It holds a reference until it
   * is closed.
   *
   * @throws ClosedException if the last reference was released
   */
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

  /**
   * Returns a cursor without a reference, for a caller that holds the memtable as long as the
   * cursor.
   */
  public EntryCursor heldCursor() {
    checkHeld();
    return new MemtableCursor(this, list, false);
  }

  /**
   * Adds a reference, which keeps the memory until {@link #release}. Returns false if the last
   * reference was released before.
   */
  public boolean tryRetain() {
    return references.tryRetain();
  }

  /** Drops a reference; the last one frees the memory. */
  public void release() {
    if (references.release()) {
      arena.free();
    }
  }

  /** Counts the memory from now on as kept by readers alone. The caller holds a reference. */
  void keepForReaders() {
    arena.keepForReaders();
  }

  /** Returns the bytes of direct memory that the memtable holds, in use or not. */
  public long bytes() {
    return arena.bytes();
  }

  /** Returns the bytes of direct memory that its entries use. */
  public long usedBytes() {
    return arena.used();
  }

  /** Returns the number of entries added, range deletions included. */
  public int entries() {
    return entries;
  }

  /** Returns the number of range deletions; no cursor shows these. */
  public int rangeDeletions() {
    return rangeDeletions;
  }

  /** Returns whether there is no range deletion. */
  public boolean hasNoRangeDeletions() {
    return ranges.isEmpty();
  }

  /**
   * Returns the sequence number of the newest range deletion of a key up to the given one,
   * inclusive; -1 if there is none. Needs no reference.
   */
  public long newestCovering(byte[] key, int offset, int length, long sequence) {
    return ranges.newestCovering(key, offset, length, sequence);
  }

  /** Returns the newest range deletion of each key up to this sequence number. */
  public RangeDeletions rangesSeenAt(long sequence) {
    return ranges.seenAt(sequence);
  }

  /**
   * Returns, for each key, the newest range deletion in each stripe of these snapshots: the
   * sequence numbers between two neighboring snapshots.
   */
  public RangeDeletions neededRanges(long[] snapshots) {
    return ranges.needed(snapshots);
  }

  /**
   * Returns the id of the run that its flush wrote, or 0 until that run is about to be installed.
   */
  public long flushRun() {
    return flushRun;
  }

  /** Sets the id of the run that its flush wrote. Called before the run is installed. */
  public void setFlushRun(long run) {
    flushRun = run;
  }

  private void checkHeld() {
    if (!references.any()) {
      throw new ClosedException("the memtable");
    }
  }
}
