// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.CompactionFilter;
import io.coppice.base.CompactionFilter.Verdict;
import io.coppice.base.Limits;
import io.coppice.base.MergeOperator;
import io.coppice.base.UserCodeException;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.RangeDeletions.Fragment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Entry compactor: decides which entries and range deletions of a stream remain when they are
 * rewritten. It processes one user key at a time, so that an output may be cut between two calls of
 * {@link #writeKey}. Not safe to share between threads.
 *
 * <p>The versions of a key arrive newest first. The open snapshots divide them into stripes. In
 * each stripe:
 *
 * <ol>
 *   <li>The first value, deletion or range deletion decides; older versions are dropped.
 *   <li>Operands above it are combined with it into a value with the newest operand's sequence
 *       number. If the stripe ends before one, they stay as they are, unless nothing older can
 *       exist.
 *   <li>An expired value is a deletion. Operands over a value with an expiry time stay uncombined
 *       until it expires: the result must not depend on the time of merges.
 *   <li>A value that no snapshot sees passes the compaction filter.
 *   <li>A deletion is dropped if every snapshot sees it and nothing older can be under it.
 * </ol>
 *
 * <pre>
 * sequence   9    8    7  |  6    5  |  4    3          snapshots at 6 and 4
 * entry     PUT  PUT  DEL | MRG  PUT | DEL  PUT
 * output    PUT   -    -  | PUT   -  |  -    -          DEL 4 is dropped: no older data has the key
 * </pre>
 *
 * <p>Every incoming entry is passed on or counted as dropped; the caller compares. Plain entries
 * are passed on without a copy. Range deletions follow the same rules: of each fragment the newest
 * deletion of each stripe stays, but the oldest one only where older data may be under it. They are
 * cut where the output is cut.
 */
public final class EntryCompactor {

  /**
   * Receiver of the entries that remain, in {@link EntryOrder}, from one thread. An exception of it
   * ends the compaction.
   */
  public interface Output {
    /** Adds the present entry of the cursor. */
    void add(EntryCursor entry) throws IOException;

    /** Adds an entry; the arrays are read before this returns. */
    void add(byte[] key, int keyLength, long sequence, EntryKind kind, byte[] value)
        throws IOException;

    /**
     * Adds range deletions that follow all added before; entries for the keys that they cover may
     * still follow.
     */
    void add(Fragment deletions) throws IOException;

    /**
     * Ends a table of the output.
     *
     * @param limit upper bound, inclusive, of its keys; all later keys are larger; null for the
     *     last table
     */
    void cut(byte[] limit) throws IOException;
  }

  /** Knowledge about data older than the stream. Used by one thread at a time. */
  public interface OlderData {
    /** Older data that may contain any key: all deletions stay. */
    OlderData EVERYWHERE =
        new OlderData() {
          @Override
          public boolean mayContain(byte[] key, int offset, int length) {
            return true;
          }

          @Override
          public List<Fragment> under(Fragment fragment) {
            return List.of(fragment);
          }
        };

    /** Returns whether older data may have the key. Called in ascending key order. */
    boolean mayContain(byte[] key, int offset, int length);

    /** Returns the parts of a fragment that may cover older data, by ascending key. */
    List<Fragment> under(Fragment fragment);
  }

  /**
   * Rules that decide what remains.
   *
   * @param snapshots the sequence numbers of the open snapshots, in any order
   * @param older knowledge about data older than the stream
   * @param operator combines operands; null to leave them as they are
   * @param filter inspects values; null for none
   * @param nowMillis time in milliseconds since 1970; entries with this or an earlier expiry time
   *     have expired
   */
  public record Rules(
      long[] snapshots,
      OlderData older,
      MergeOperator operator,
      CompactionFilter filter,
      long nowMillis) {

    /**
     * Returns the rules of a flush: older data may have any key. Code of the application and the
     * clock take no part.
     */
    public static Rules ofFlush(long[] snapshots) {
      return new Rules(snapshots, OlderData.EVERYWHERE, null, null, Long.MIN_VALUE);
    }
  }

  private final EntryCursor entries;
  private final Rules rules;
  private final SnapshotStripes stripes;
  private final OlderData older;
  private final Output output;

  private byte[] key = new byte[256];
  private int keyLength = -1;
  private long entriesIn;
  private long dropped;
  private boolean droppedByClock;

  /** Range deletions that hide entries, and the present position in them. */
  private final RangeDeletions coveringDeletions;

  private int hidingIndex;

  /** Range deletions to pass on, and the next fragment, without its part before the last cut. */
  private final RangeDeletions kept;

  private int keptIndex;
  private Fragment nextKept;
  private boolean atFragmentEnd;

  // State of the present key.
  private Fragment cover;
  private int coverIndex;
  private int stripe;

  /** Whether all older entries of the stripe are hidden. */
  private boolean decided;

  /** Whether operands of the stripe were already passed on without being combined. */
  private boolean operandsOut;

  /** Operands of the stripe, newest first; the next field has their sequence numbers. */
  private final OperandStack operands = new OperandStack();

  private long[] operandSequences = new long[16];

  /**
   * Creates a compactor of a stream.
   *
   * @param entries in order; lent, and moved only by this object
   * @param deletions the range deletions that belong to the entries
   */
  public EntryCompactor(EntryCursor entries, RangeDeletions deletions, Rules rules, Output output) {
    this.entries = entries;
    this.rules = rules;
    this.stripes = new SnapshotStripes(rules.snapshots());
    this.older = rules.older();
    this.output = output;
    this.coveringDeletions = deletions.isEmpty() ? deletions : deletions.needed(stripes);
    this.kept = coveringDeletions.isEmpty() ? coveringDeletions : kept();
  }

  /**
   * Returns the range deletions that the output needs. The oldest one of a fragment is omitted
   * where it hides nothing.
   */
  private RangeDeletions kept() {
    List<Fragment> parts = new ArrayList<>();
    for (int i = 0; i < coveringDeletions.size(); i++) {
      Fragment fragment = coveringDeletions.fragment(i);
      if (!SnapshotStripes.isSeenByAll(stripes.of(fragment.oldest()))) {
        RangeDeletions.append(parts, fragment);
        continue;
      }
      byte[] from = fragment.from();
      for (Fragment part : older.under(fragment)) {
        RangeDeletions.append(parts, fragment.withoutOldest(from, part.from()));
        RangeDeletions.append(parts, part);
        from = part.to();
      }
      RangeDeletions.append(parts, fragment.withoutOldest(from, fragment.to()));
    }
    return RangeDeletions.ofOrdered(parts);
  }

  /** Moves before the first key of the stream. Called once, before all other methods. */
  public void first() {
    entries.first();
    keyLength = -1;
    atFragmentEnd = false;
    hidingIndex = 0;
    keptIndex = 0;
    nextKept = kept.isEmpty() ? null : kept.fragment(0);
  }

  /** Returns whether an entry or range deletion follows. */
  public boolean hasMore() {
    return entries.valid() || nextKept != null;
  }

  /**
   * Returns whether the output may be cut here: something follows, and all of it is above the last
   * key passed on.
   */
  public boolean mayCut() {
    if (!atFragmentEnd) {
      return hasMore();
    }
    return hasMore()
        && !(entries.valid() && isSameKey())
        && !(nextKept != null && RangeDeletions.isAtOrBelow(nextKept.from(), key, 0, keyLength));
  }

  /**
   * Passes on the remaining versions of the next user key, or the next range deletions if they end
   * before it. On return the output has everything that remains of the keys before, except range
   * deletions that extend beyond.
   *
   * @throws UserCodeException if the operator or filter fails; the compactor is unusable then
   * @throws IOException if the output fails; the compactor is unusable then
   */
  public void writeKey() throws IOException {
    assert hasMore() : "no key is left";
    atFragmentEnd = passFragment();
    if (atFragmentEnd) {
      return;
    }
    keepKey(entries.keyArray(), entries.keyOffset(), entries.keyLength());
    findCover();
    stripe = -1;
    do {
      passVersion();
      entries.next();
    } while (entries.valid() && isSameKey());
    endKey();
  }

  /** Passes on the next fragment if it ends at or before the next entry. Returns whether it did. */
  private boolean passFragment() throws IOException {
    if (nextKept == null
        || (entries.valid()
            && !RangeDeletions.isAtOrBelow(
                nextKept.to(), entries.keyArray(), entries.keyOffset(), entries.keyLength()))) {
      return false;
    }
    keepKey(nextKept.to(), 0, nextKept.to().length);
    passKept();
    return true;
  }

  private void passKept() throws IOException {
    output.add(nextKept);
    keptIndex++;
    nextKept = keptIndex < kept.size() ? kept.fragment(keptIndex) : null;
  }

  /**
   * Ends a table after the last key; range deletions that extend beyond are split. Requires {@link
   * #mayCut}.
   */
  public void cut() throws IOException {
    assert mayCut() : "a cut inside what belongs together";
    byte[] limit = lastKey();
    byte[] behind = RangeDeletions.successor(limit);
    if (nextKept != null && Bytes.compare(nextKept.to(), behind) <= 0) {
      passKept();
    } else if (nextKept != null && Bytes.compare(nextKept.from(), behind) < 0) {
      output.add(new Fragment(nextKept.from(), behind, nextKept.sequences()));
      nextKept = new Fragment(behind, nextKept.to(), nextKept.sequences());
    }
    output.cut(limit);
  }

  /** Ends the last table of the output. */
  public void cutLast() throws IOException {
    assert !hasMore() : "something is left";
    output.cut(null);
  }

  private void findCover() {
    while (hidingIndex < coveringDeletions.size()
        && RangeDeletions.isAtOrBelow(
            coveringDeletions.fragment(hidingIndex).to(), key, 0, keyLength)) {
      hidingIndex++;
    }
    cover = hidingIndex < coveringDeletions.size() ? coveringDeletions.fragment(hidingIndex) : null;
    if (cover != null && !RangeDeletions.isAtOrBelow(cover.from(), key, 0, keyLength)) {
      cover = null;
    }
    coverIndex = 0;
  }

  private void passVersion() throws IOException {
    entriesIn++;
    long sequence = entries.sequence();
    if (cover != null) {
      passCovers(sequence);
    }
    enterStripe(sequence);
    if (decided) {
      dropped++;
      return;
    }
    EntryKind kind = entries.kind();
    if (kind == EntryKind.PUT) {
      passValue(sequence);
    } else if (kind == EntryKind.DELETE) {
      passDeletion(sequence);
    } else if (kind == EntryKind.MERGE) {
      passOperand(sequence);
    } else if (kind == EntryKind.EXPIRING) {
      passExpiring(sequence);
    } else {
      throw new IllegalStateException(kind + " among entries");
    }
  }

  /**
   * Processes the range deletions that are newer than an entry of the current key.
   *
   * @param sequence sequence number of the entry; -1 for all remaining range deletions
   */
  private void passCovers(long sequence) throws IOException {
    long[] covers = cover.sequences();
    while (coverIndex < covers.length && covers[coverIndex] > sequence) {
      enterStripe(covers[coverIndex++]);
      if (!decided) {
        if (!operands.isEmpty()) {
          dropped--;
          foldOnto(null);
        }
        decided = true;
      }
    }
  }

  private void enterStripe(long sequence) throws IOException {
    int entered = stripes.of(sequence);
    if (entered != stripe) {
      giveOperands();
      stripe = entered;
      decided = false;
      operandsOut = false;
    }
  }

  private void passDeletion(long sequence) throws IOException {
    decided = true;
    if (!operands.isEmpty()) {
      foldOnto(null);
    } else if (deletionIsObsolete()) {
      dropped++;
    } else if (entries.kind() == EntryKind.DELETE) {
      output.add(entries);
    } else {
      output.add(key, keyLength, sequence, EntryKind.DELETE, Bytes.EMPTY);
    }
  }

  private void passOperand(long sequence) throws IOException {
    if (operandsOut || rules.operator() == null) {
      operandsOut = true;
      output.add(entries);
      return;
    }
    if (!operands.add(entries.valueArray(), entries.valueOffset(), entries.valueLength())) {
      giveOperands();
      operandsOut = true;
      output.add(entries);
      return;
    }
    if (operandSequences.length < operands.size()) {
      operandSequences = Arrays.copyOf(operandSequences, 2 * operandSequences.length);
    }
    operandSequences[operands.size() - 1] = sequence;
  }

  private void passValue(long sequence) throws IOException {
    decided = true;
    int length = entries.valueLength();
    if (!operands.isEmpty()) {
      if (operands.hasRoomFor(length)) {
        foldOnto(Bytes.copy(entries.valueArray(), entries.valueOffset(), length));
        return;
      }
      giveOperands();
      operandsOut = true;
    }
    if (mayFilter()) {
      byte[] value = Bytes.copy(entries.valueArray(), entries.valueOffset(), length);
      Verdict verdict = verdict(value);
      if (verdict != Verdict.KEEP) {
        emit(sequence, EntryKind.PUT, verdict.replacement());
        return;
      }
    }
    output.add(entries);
  }

  private void passExpiring(long sequence) throws IOException {
    byte[] array = entries.valueArray();
    int from = entries.valueOffset();
    if (Expiry.isPast(array, from, rules.nowMillis())) {
      droppedByClock = true;
      passDeletion(sequence);
      return;
    }
    decided = true;
    if (!operands.isEmpty()) {
      giveOperands();
      operandsOut = true;
    }
    if (mayFilter()) {
      int length = entries.valueLength() - Expiry.BYTES;
      Verdict verdict = verdict(Bytes.copy(array, from + Expiry.BYTES, length));
      if (verdict != Verdict.KEEP) {
        byte[] other = verdict.replacement();
        emit(
            sequence,
            EntryKind.EXPIRING,
            other == null ? null : Expiry.withEnd(array, from, other));
        return;
      }
    }
    output.add(entries);
  }

  private void endKey() throws IOException {
    if (cover != null) {
      passCovers(-1);
    }
    if (!operands.isEmpty() && !older.mayContain(key, 0, keyLength)) {
      dropped--;
      foldOnto(null);
    } else {
      giveOperands();
    }
  }

  /** Combines the operands with the value below them, which is dropped. */
  private void foldOnto(byte[] base) throws IOException {
    long sequence = operandSequences[0];
    dropped += operands.size();
    operands.reverse();
    byte[] value = operands.fold(rules.operator(), lastKey(), base);
    operands.clear();
    if (mayFilter()) {
      Verdict verdict = verdict(value.clone());
      if (verdict != Verdict.KEEP) {
        value = verdict.replacement();
      }
    }
    emit(sequence, EntryKind.PUT, value);
  }

  /** Passes the operands on without combining them. */
  private void giveOperands() throws IOException {
    for (int i = 0; i < operands.size(); i++) {
      output.add(key, keyLength, operandSequences[i], EntryKind.MERGE, operands.get(i));
    }
    operands.clear();
  }

  /** Passes a value on, or a deletion if the value is null. */
  private void emit(long sequence, EntryKind kind, byte[] value) throws IOException {
    if (value != null) {
      output.add(key, keyLength, sequence, kind, value);
    } else if (deletionIsObsolete()) {
      dropped++;
    } else {
      output.add(key, keyLength, sequence, EntryKind.DELETE, Bytes.EMPTY);
    }
  }

  /** Returns whether a deletion in the present stripe no longer hides anything. */
  private boolean deletionIsObsolete() {
    return SnapshotStripes.isSeenByAll(stripe) && !older.mayContain(key, 0, keyLength);
  }

  private boolean mayFilter() {
    return rules.filter() != null && !operandsOut && stripes.isUnseen(stripe);
  }

  private Verdict verdict(byte[] value) {
    CompactionFilter filter = rules.filter();
    Verdict verdict;
    try {
      verdict = filter.filter(lastKey(), value);
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new UserCodeException("compaction filter " + filter.name() + " failed", e);
    }
    int most = Limits.MAX_VALUE_BYTES - Expiry.BYTES;
    if (verdict == null || (verdict.replacement() != null && verdict.replacement().length > most)) {
      throw new UserCodeException(
          "compaction filter "
              + filter.name()
              + (verdict == null ? " gave no verdict" : " gave a value that is too long"),
          null);
    }
    return verdict;
  }

  private void keepKey(byte[] array, int offset, int length) {
    if (key.length < length) {
      key = new byte[length * 2];
    }
    System.arraycopy(array, offset, key, 0, length);
    keyLength = length;
  }

  private boolean isSameKey() {
    int from = entries.keyOffset();
    return Arrays.equals(key, 0, keyLength, entries.keyArray(), from, from + entries.keyLength());
  }

  /**
   * Returns a copy of the last user key that was processed. If the output is cut there, all later
   * keys are larger.
   */
  public byte[] lastKey() {
    assert keyLength >= 0 : "no key was passed";
    return Arrays.copyOf(key, keyLength);
  }

  /** Returns the number of entries read from the stream, range deletions not counted. */
  public long entriesIn() {
    return entriesIn;
  }

  /** Returns the number of entries read that are missing from the output. */
  public long dropped() {
    return dropped;
  }

  /**
   * Returns whether an entry became a deletion because it had expired; the time then must become
   * the clock's floor, so that the entry never reappears.
   */
  public boolean droppedByClock() {
    return droppedByClock;
  }

  /** Returns the time that expiry is judged by, in milliseconds since 1970. */
  public long nowMillis() {
    return rules.nowMillis();
  }
}
