// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.RangeDeletions.Fragment;
import java.util.ArrayList;
import java.util.List;

/**
 * Codec of the range deletions of a table.
 *
 * <pre>
 *   ranges   = fragments varint | fragment*
 *   fragment = from, to (each varint length, bytes) | sequences varint, at least 1 |
 *              sequence varint, newest first | ...
 * </pre>
 */
public final class RangeDeletionBlock {

  /**
   * Bytes of the smallest fragment: two keys, one of them not empty, a count and a sequence number.
   */
  static final int MIN_FRAGMENT_BYTES = 5;

  /**
   * Heap bytes of a fragment besides its keys: two arrays, numbers, the record and its reference.
   */
  private static final int HEAP_BYTES = 96;

  private RangeDeletionBlock() {}

  public static void write(List<Fragment> fragments, ByteSink sink) {
    sink.varint32(fragments.size());
    for (Fragment fragment : fragments) {
      sink.sized(fragment.from(), 0, fragment.from().length);
      sink.sized(fragment.to(), 0, fragment.to().length);
      sink.varint32(fragment.sequences().length);
      for (long sequence : fragment.sequences()) {
        sink.varint64(sequence);
      }
    }
  }

  /** Returns an upper bound of the encoded size of a fragment in bytes. */
  public static long bytes(Fragment fragment) {
    return fragment.from().length + fragment.to().length + 16 + 9L * fragment.sequences().length;
  }

  /**
   * Parses bytes whose checksum has been verified, and checks everything else.
   *
   * @throws io.coppice.base.CorruptionException if they are no range deletions, or out of order
   */
  public static RangeDeletions parse(ByteSource source) {
    int count = source.varint31();
    if (count < 1 || count > source.remaining() / MIN_FRAGMENT_BYTES) {
      throw source.damaged(count + " range deletions in " + source.remaining() + " bytes");
    }
    List<Fragment> fragments = new ArrayList<>(count);
    byte[] end = null;
    for (int i = 0; i < count; i++) {
      byte[] from = source.sizedCopy(Limits.MAX_KEY_BYTES);
      byte[] to = source.sizedCopy(Limits.MAX_KEY_BYTES);
      if (Bytes.compare(from, to) >= 0 || (end != null && Bytes.compare(end, from) > 0)) {
        throw source.damaged("range deletion " + i + " is empty or not behind its predecessor");
      }
      fragments.add(new Fragment(from, to, sequences(source)));
      end = to;
    }
    if (source.remaining() != 0) {
      throw source.damaged(source.remaining() + " bytes behind the range deletions");
    }
    return RangeDeletions.ofOrdered(fragments);
  }

  private static long[] sequences(ByteSource source) {
    int count = source.varint31();
    if (count < 1 || count > source.remaining()) {
      throw source.damaged("a range deletion with " + count + " sequence numbers");
    }
    long[] sequences = new long[count];
    for (int i = 0; i < count; i++) {
      sequences[i] = source.varint64();
      if (sequences[i] > Limits.MAX_SEQUENCE || (i > 0 && sequences[i] >= sequences[i - 1])) {
        throw source.damaged("sequence number " + sequences[i] + " of a range deletion");
      }
    }
    return sequences;
  }

  /** Returns the approximate heap memory of range deletions, in bytes. */
  public static long heapBytes(RangeDeletions deletions) {
    long bytes = 0;
    for (int i = 0; i < deletions.size(); i++) {
      bytes += HEAP_BYTES + bytes(deletions.fragment(i));
    }
    return bytes;
  }
}
