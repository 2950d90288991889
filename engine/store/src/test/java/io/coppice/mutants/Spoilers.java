// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.entry.EntryCursor;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.io.TornTail;
import io.coppice.table.RollingTableWriter;
import io.coppice.table.filter.FilterSlot;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What mutants call instead of what they should. The first parameter is the object called, unless
 * the method called is static.
 */
public final class Spoilers {

  private Spoilers() {}

  /** Does nothing. */
  public static void nothing(Object called) {}

  /** Does nothing. */
  public static void nothingWith(Object called, Object argument) {}

  /** Leaves an input as it was. */
  public static VersionEdit.Builder noTrim(VersionEdit.Builder edit, long slice, byte[] cut) {
    return edit;
  }

  /** Hides keys above the cut too. */
  public static VersionEdit.Builder trimTooFar(VersionEdit.Builder edit, long slice, byte[] cut) {
    byte[] next = cut.clone();
    next[next.length - 1]++;
    return edit.trimSlice(slice, next);
  }

  /** Lets an input go before it is used up. */
  public static VersionEdit.Builder removeInstead(
      VersionEdit.Builder edit, long slice, byte[] cut) {
    return edit.removeSlice(slice);
  }

  public static boolean yes(Object called) {
    return true;
  }

  public static boolean yesStatic(int argument) {
    return true;
  }

  public static boolean no(Object called) {
    return false;
  }

  public static boolean noWith(Object called, Object argument) {
    return false;
  }

  public static boolean noWithLong(Object called, long argument) {
    return false;
  }

  public static int oneWithLong(Object called, long argument) {
    return 1;
  }

  public static boolean noForKey(Object called, byte[] key, int offset, int length) {
    return false;
  }

  public static boolean yesForKey(Object called, byte[] key, int offset, int length) {
    return true;
  }

  public static long[] noSequences(Object called) {
    return new long[0];
  }

  public static long zero(Object called) {
    return 0;
  }

  public static Object nobody(Object called, Object from) {
    return null;
  }

  public static <T> List<T> reversed(Object called) {
    List<T> list = new ArrayList<>(slicesOf(called));
    Collections.reverse(list);
    return list;
  }

  @SuppressWarnings("unchecked")
  private static <T> List<T> slicesOf(Object segment) {
    try {
      return (List<T>) segment.getClass().getMethod("slices").invoke(segment);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sorts downwards. */
  public static <T> void sortBack(List<T> list, Comparator<T> order) {
    list.sort(order == null ? null : order.reversed());
    Collections.reverse(list);
  }

  public static VersionEdit.Builder floorTooHigh(
      VersionEdit.Builder edit, long number, boolean begun) {
    return edit.walFloor(number + 1, begun);
  }

  public static VersionEdit.Builder noFloor(VersionEdit.Builder edit, long number, boolean begun) {
    return edit;
  }

  public static VersionEdit.Builder noSequence(VersionEdit.Builder edit, long sequence) {
    return edit;
  }

  /** A table counts as named if its name begins as that of one, but for the last digit. */
  public static boolean containsPrefix(Set<?> set, Object number) {
    return set.stream().anyMatch(named -> (Long) named / 10 == (Long) number / 10);
  }

  private static boolean ended;

  /** Takes a read error for the end. */
  public static void nextOrEnd(EntryCursor cursor) {
    try {
      cursor.next();
    } catch (RuntimeException e) {
      ended = true;
    }
  }

  /** As {@link #nextOrEnd}. */
  public static void firstOrEnd(EntryCursor cursor) {
    ended = false;
    try {
      cursor.first();
    } catch (RuntimeException e) {
      ended = true;
    }
  }

  /** See {@link #nextOrEnd}. */
  public static boolean validUntilEnd(EntryCursor cursor) {
    return !ended && cursor.valid();
  }

  /** Lets a key end where its table is full. */
  public static boolean sameKeyUnlessFull(Object sieve) {
    try {
      Field output = sieve.getClass().getDeclaredField("output");
      Method same = sieve.getClass().getDeclaredMethod("isSameKey");
      output.setAccessible(true);
      same.setAccessible(true);
      boolean full = output.get(sieve) instanceof RollingTableWriter series && series.full();
      return !full && (Boolean) same.invoke(sieve);
    } catch (ReflectiveOperationException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public static boolean soundSlot(
      byte[] bytes, FilterSlot slot, int stamp, long table, long digest) {
    return true;
  }

  /** The read that ended first, however old its table is. */
  public static int firstEnded(Object search, ReadBatch batch, long any) {
    return Long.numberOfTrailingZeros(batch.await(any));
  }

  public static long noReads(Object search, int candidate) {
    return 0;
  }

  public static int zeroSize(Object called) {
    return 0;
  }

  public static OptionalLong noNumber(Object kind, String name) {
    return OptionalLong.empty();
  }

  /** Compares two keys the other way round. */
  public static int backwards(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(b, a);
  }

  public static int equalSums(long file, long offset, byte[] bytes, int from, int length) {
    return 0;
  }

  public static int noSum(byte[] bytes, int at) {
    return 0;
  }

  public static TornTail refuse(Object ignored) {
    return TornTail.REFUSE;
  }

  public static void unsynced(Disk disk) {}

  public static long first(Object numbers) {
    return 1;
  }
}
