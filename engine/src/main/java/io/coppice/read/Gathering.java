// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.Bytes;
import io.coppice.entry.Expiry;
import io.coppice.entry.Extensions;
import io.coppice.entry.Kind;
import io.coppice.entry.OperandStack;
import io.coppice.manifest.Level;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.memtable.Memtable;
import io.coppice.table.KeyHash;
import io.coppice.table.Lookup;
import io.coppice.table.OpenTables;
import java.util.Arrays;
import java.util.List;

/**
 * The lookup of one key that has more than one version to look at: range deletions may cover it, or
 * operands must be gathered down to what they stand on. Used once, by one thread.
 *
 * <p>Sources are asked newest first. In each, the newest range deletion that may be seen hides what
 * is older, there and in all older sources. The memtables and the version must be of one instant:
 * an operand that a merge has combined in a table must not be met again in a memtable.
 */
final class Gathering {

  private final OpenTables tables;
  private final Extensions extensions;
  private final ReadRequests requests;
  private final Lookup lookup;
  private final byte[] key;
  private final int offset;
  private final int length;
  private final long nowMillis;

  /** Null until the first operand. */
  private OperandStack operands;

  /** The largest sequence number that may still be seen. */
  private long sequence;

  /** Of the first segment met that is to be merged; 0 if there was none. */
  private long group;

  private byte[] base;
  private boolean decided;

  /**
   * Prepares a lookup.
   *
   * @param requests is told what lookups want merged
   * @param lookup whose memory is used
   * @param sequence the newest sequence number that may be seen
   */
  Gathering(
      OpenTables tables,
      Extensions extensions,
      ReadRequests requests,
      Lookup lookup,
      byte[] key,
      int offset,
      int length,
      long sequence) {
    this.tables = tables;
    this.extensions = extensions;
    this.requests = requests;
    this.lookup = lookup;
    this.key = key;
    this.offset = offset;
    this.length = length;
    this.sequence = sequence;
    this.nowMillis = extensions.clock().millis();
  }

  /** The value, or null if the key is absent. */
  byte[] value(List<Memtable> set, Version version) {
    for (Memtable memtable : set) {
      if (!version.includes(memtable.flushRun())) {
        ask(memtable);
      }
      if (decided) {
        return result();
      }
    }
    long hash = KeyHash.of(key, offset, length);
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        Segment segment = run.find(key, offset, length);
        if (segment == null) {
          continue;
        }
        if (group == 0 && requests.wants(segment) && segment.spans(key, offset, length)) {
          group = segment.group();
        }
        for (Slice slice : segment.slices()) {
          ask(slice, hash);
          if (decided) {
            return result();
          }
        }
      }
    }
    return result();
  }

  private void ask(Memtable memtable) {
    long cover = memtable.newestCovering(key, offset, length, sequence);
    while (!decided) {
      int place = memtable.find(key, offset, length, sequence);
      long found = place == 0 ? -1 : memtable.sequence(place);
      if (found < cover) {
        decided = true;
      } else if (place == 0) {
        return;
      } else {
        byte[] value = new byte[memtable.valueLength(place)];
        memtable.copyValue(place, value, 0);
        meet(memtable.kind(place), found, value, 0, value.length);
      }
    }
  }

  private void ask(Slice slice, long hash) {
    long cover = slice.newestCovering(tables, key, offset, length, sequence);
    while (!decided) {
      boolean any = slice.get(tables, lookup, key, offset, length, hash, sequence);
      long found = any ? lookup.sequence() : -1;
      if (found < cover) {
        decided = true;
      } else if (!any) {
        return;
      } else {
        meet(lookup.kind(), found, lookup.valueArray(), lookup.valueOffset(), lookup.valueLength());
      }
    }
  }

  private void meet(Kind kind, long found, byte[] array, int from, int bytes) {
    if (kind == Kind.MERGE) {
      if (operands == null) {
        operands = new OperandStack();
      }
      if (!operands.add(array, from, bytes)) {
        throw OperandStack.tooLarge();
      }
      sequence = found - 1;
      decided = sequence < 0;
      return;
    }
    decided = true;
    if (kind == Kind.PUT) {
      base = Bytes.copy(array, from, bytes);
    } else if (kind == Kind.EXPIRING && !Expiry.isPast(array, from, nowMillis)) {
      base = Bytes.copy(array, from + Expiry.BYTES, bytes - Expiry.BYTES);
    }
  }

  private byte[] result() {
    if (group != 0) {
      requests.ask(group);
    }
    if (operands == null) {
      return base;
    }
    if (!operands.hasRoomFor(base == null ? 0 : base.length)) {
      throw OperandStack.tooLarge();
    }
    operands.reverse();
    return operands.fold(
        extensions.operator(), Arrays.copyOfRange(key, offset, offset + length), base);
  }
}
