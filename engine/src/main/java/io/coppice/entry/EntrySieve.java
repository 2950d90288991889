// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Bytes;
import io.coppice.base.CompactionFilter;
import io.coppice.base.CompactionFilter.Verdict;
import io.coppice.base.Limits;
import io.coppice.base.MergeOperator;
import io.coppice.base.UserCodeException;
import io.coppice.entry.RangeDeletions.Fragment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What remains of a stream of entries, and of the range deletions over them, when they are written
 * anew. Takes one user key at a time, so that between two calls of {@link #passKey} an output may
 * be cut. Not safe to share between threads.
 *
 * <p>The versions of a key arrive newest first and fall into the stripes that the open snapshots
 * make. In each stripe:
 *
 * <ol>
 *   <li>The first value, deletion or range deletion decides; what is older goes.
 *   <li>Operands above it are combined with it and become a value, with the newest one's sequence
 *       number. Where the stripe ends first they stay as they are, unless nothing older can exist.
 *   <li>A value past its end is a deletion. Operands over one that has an end wait for it: which of
 *       them it outlives must not depend on when tables are merged.
 *   <li>A value that no snapshot sees passes the compaction filter.
 *   <li>A deletion goes if every snapshot sees it and nothing older can lie under it.
 * </ol>
 *
 * <p>Every entry that comes in goes out or is counted as dropped; the caller compares. Plain
 * entries are passed on where they lie. Range deletions are kept alike: of each fragment the newest
 * of each stripe, and the oldest only where something older may lie. They are cut where the output
 * is.
 */
public final class EntrySieve {

  /** Receives what remains, in order, of one thread. */
  public interface Output {
    /** Takes the entry on which the cursor stands. */
    void add(EntryCursor entry) throws IOException;

    /** Takes an entry; the arrays are read before this returns. */
    void add(byte[] key, int keyLength, long sequence, Kind kind, byte[] value) throws IOException;

    /** Takes range deletions, behind all taken before; entries in the range may still follow. */
    void add(Fragment deletions) throws IOException;

    /**
     * Ends a table.
     *
     * @param limit no key of it is larger, and all that follow are; null for the last table
     */
    void cut(byte[] limit) throws IOException;
  }

  /** Where data older than the stream may lie. Used by one thread at a time. */
  public interface OlderData {
    /** For a stream under which anything may lie: all deletions stay. */
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

    /** True if older data may hold the key. Asked by ascending key. */
    boolean mayContain(byte[] key, int offset, int length);

    /** The parts of a fragment under which older data may lie, by ascending key. */
    List<Fragment> under(Fragment fragment);
  }

  /**
   * By what is decided.
   *
   * @param snapshots the sequence numbers of the open snapshots, in any order
   * @param operator combines operands; null to leave them as they are
   * @param filter looks at values; null for none
   * @param nowMillis since 1970: entries that end by then are past their end
   */
  public record Rules(
      long[] snapshots,
      OlderData older,
      MergeOperator operator,
      CompactionFilter filter,
      long nowMillis) {

    /** For a flush: no code of the application, no clock, and anything may lie below. */
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

  /** What hides entries, and where in it the present key is. */
  private final RangeDeletions hiding;

  private int hidingIndex;

  /** What goes out, and the fragment that is next; its part in front of the last cut is out. */
  private final RangeDeletions kept;

  private int keptIndex;
  private Fragment nextKept;
  private boolean atFragmentEnd;

  // The present key.
  private Fragment cover;
  private int coverIndex;
  private int stripe;

  /** True if the rest of the stripe is hidden. */
  private boolean decided;

  /** True if operands of the stripe went out as they were. */
  private boolean operandsOut;

  /** Operands of the stripe, newest first, and their sequence numbers. */
  private final OperandStack operands = new OperandStack();

  private long[] operandSequences = new long[16];

  /**
   * Prepares to pass entries on.
   *
   * @param entries in order; lent, and moved by this alone
   * @param deletions the range deletions that came with the entries
   */
  public EntrySieve(EntryCursor entries, RangeDeletions deletions, Rules rules, Output output) {
    this.entries = entries;
    this.rules = rules;
    this.stripes = new SnapshotStripes(rules.snapshots());
    this.older = rules.older();
    this.output = output;
    this.hiding = deletions.isEmpty() ? deletions : deletions.needed(stripes);
    this.kept = hiding.isEmpty() ? hiding : kept();
  }

  /** Leaves the oldest deletion of a fragment out where it hides nothing any more. */
  private RangeDeletions kept() {
    List<Fragment> parts = new ArrayList<>();
    for (int i = 0; i < hiding.size(); i++) {
      Fragment fragment = hiding.fragment(i);
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

  /** Moves before the first key. */
  public void first() {
    entries.first();
    keyLength = -1;
    atFragmentEnd = false;
    hidingIndex = 0;
    keptIndex = 0;
    nextKept = kept.isEmpty() ? null : kept.fragment(0);
  }

  /** True if anything follows. */
  public boolean hasMore() {
    return entries.valid() || nextKept != null;
  }

  /** True if the output may be cut here: something follows, and all of it is above the last key. */
  public boolean mayCut() {
    if (!atFragmentEnd) {
      return hasMore();
    }
    return hasMore()
        && !(entries.valid() && isSameKey())
        && !(nextKept != null && RangeDeletions.isAtOrBelow(nextKept.from(), key, 0, keyLength));
  }

  /**
   * Passes on what remains of the next user key, or the next range deletions if they end in front
   * of it. All that remains of the keys before it is with the output when this returns, but for
   * range deletions that reach beyond.
   */
  public void passKey() throws IOException {
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

  /** Passes on a fragment that ends at or in front of the next entry; false if there is none. */
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

  /** Ends a table behind the last key; range deletions that reach beyond are cut in two. */
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

  /** Ends the last table. */
  public void cutLast() throws IOException {
    assert !hasMore() : "something is left";
    output.cut(null);
  }

  private void findCover() {
    while (hidingIndex < hiding.size()
        && RangeDeletions.isAtOrBelow(hiding.fragment(hidingIndex).to(), key, 0, keyLength)) {
      hidingIndex++;
    }
    cover = hidingIndex < hiding.size() ? hiding.fragment(hidingIndex) : null;
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
    Kind kind = entries.kind();
    if (kind == Kind.PUT) {
      passValue(sequence);
    } else if (kind == Kind.DELETE) {
      passDeletion(sequence);
    } else if (kind == Kind.MERGE) {
      passOperand(sequence);
    } else if (kind == Kind.EXPIRING) {
      passExpiring(sequence);
    } else {
      throw new IllegalStateException(kind + " among entries");
    }
  }

  /** Looks at the range deletions newer than an entry, or -1 for all that are left. */
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
    } else if (isSpent()) {
      dropped++;
    } else if (entries.kind() == Kind.DELETE) {
      output.add(entries);
    } else {
      output.add(key, keyLength, sequence, Kind.DELETE, Bytes.EMPTY);
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
        give(sequence, Kind.PUT, verdict.replacement());
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
        give(sequence, Kind.EXPIRING, other == null ? null : Expiry.withEnd(array, from, other));
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

  /** Combines the operands with what lies under them, which is dropped. */
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
    give(sequence, Kind.PUT, value);
  }

  /** Passes the operands on as they are. */
  private void giveOperands() throws IOException {
    for (int i = 0; i < operands.size(); i++) {
      output.add(key, keyLength, operandSequences[i], Kind.MERGE, operands.get(i));
    }
    operands.clear();
  }

  /** Passes a value on, or a deletion if it is null. */
  private void give(long sequence, Kind kind, byte[] value) throws IOException {
    if (value != null) {
      output.add(key, keyLength, sequence, kind, value);
    } else if (isSpent()) {
      dropped++;
    } else {
      output.add(key, keyLength, sequence, Kind.DELETE, Bytes.EMPTY);
    }
  }

  /** True if a deletion in the present stripe hides nothing any more. */
  private boolean isSpent() {
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

  /** A copy of the user key passed last; nothing at or below it follows once it was cut there. */
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

  /** True if an entry became a deletion because it was past its end. */
  public boolean droppedByClock() {
    return droppedByClock;
  }

  /** The time by which the ends were judged. */
  public long nowMillis() {
    return rules.nowMillis();
  }
}
