// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import java.io.IOException;
import java.util.Arrays;

/**
 * What remains of a stream of entries when it is written anew: of each user key the versions that
 * somebody can still see, without deletions under which nothing older can lie. Takes the entries of
 * one key at a time, so that between two calls of {@link #passKey} an output may be cut.
 *
 * <p>Every entry that comes in goes out or is counted as dropped; the caller compares. Plain
 * entries are passed on where they lie. Not safe to share between threads.
 */
public final class EntrySieve {

  /** Receives what remains, in order. */
  public interface Output {
    /** Takes the entry on which the cursor stands. */
    void add(EntryCursor entry) throws IOException;
  }

  /** Where data older than the stream may lie. Asked by ascending key. */
  public interface OlderData {
    /** For a stream under which anything may lie: all deletions stay. */
    OlderData EVERYWHERE = (key, offset, length) -> true;

    /** True if older data may hold the key. */
    boolean mayContain(byte[] key, int offset, int length);
  }

  private final EntryCursor entries;
  private final Survivors survivors;
  private final OlderData older;
  private final Output output;

  private byte[] key = new byte[256];
  private int keyLength = -1;
  private long entriesIn;
  private long dropped;

  /**
   * Prepares to pass entries on.
   *
   * @param entries in order; lent, and moved by this alone
   * @param snapshots the sequence numbers of the open snapshots, in any order
   */
  public EntrySieve(EntryCursor entries, long[] snapshots, OlderData older, Output output) {
    this.entries = entries;
    this.survivors = new Survivors(snapshots);
    this.older = older;
    this.output = output;
  }

  /** Moves before the first key. */
  public void first() {
    entries.first();
    keyLength = -1;
  }

  /** True if another key follows. */
  public boolean hasMore() {
    return entries.valid();
  }

  /**
   * Passes on what remains of the next user key. All that remains of it and of the keys before it
   * is with the output when this returns.
   */
  public void passKey() throws IOException {
    assert hasMore() : "no key is left";
    keepKey();
    boolean newest = true;
    do {
      entriesIn++;
      long sequence = entries.sequence();
      boolean needed = newest ? survivors.newest(sequence) : survivors.older(sequence);
      if (needed && !isSpent(sequence)) {
        output.add(entries);
      } else {
        dropped++;
      }
      newest = false;
      entries.next();
    } while (entries.valid() && isSameKey());
  }

  /** True for a deletion that hides nothing any more. */
  private boolean isSpent(long sequence) {
    return entries.kind() == Kind.DELETE
        && survivors.deletionIsFinal(sequence)
        && !older.mayContain(key, 0, keyLength);
  }

  private void keepKey() {
    int length = entries.keyLength();
    if (key.length < length) {
      key = new byte[length * 2];
    }
    System.arraycopy(entries.keyArray(), entries.keyOffset(), key, 0, length);
    keyLength = length;
  }

  private boolean isSameKey() {
    int from = entries.keyOffset();
    return Arrays.equals(key, 0, keyLength, entries.keyArray(), from, from + entries.keyLength());
  }

  /** A copy of the user key passed last. */
  public byte[] lastKey() {
    assert keyLength >= 0 : "no key was passed";
    return Arrays.copyOf(key, keyLength);
  }

  /** Entries that came in. */
  public long entriesIn() {
    return entriesIn;
  }

  /** Entries among them that are not in the output. */
  public long dropped() {
    return dropped;
  }
}
