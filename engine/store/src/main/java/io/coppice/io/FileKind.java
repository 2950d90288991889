// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import com.google.common.base.CharMatcher;
import com.google.common.base.Strings;
import java.util.List;
import java.util.OptionalLong;

/**
 * Kinds of file with a {@link FileHeader} in a store's directory, which also has {@code LOCK}. The
 * codes are persisted and must never be renumbered.
 */
public enum FileKind {
  /** Write-ahead log of batches that are not yet in tables: {@code 000007.wal}. */
  WAL(1, ".wal"),
  /** Immutable sorted table: {@code 000007.tbl}. */
  TABLE(2, ".tbl"),
  /** Manifest, the log of edits: {@code 000007.manifest}. */
  MANIFEST(3, ".manifest"),
  /** Filters of the tables; one file, number 0. */
  FILTERS(4, "filters.slots"),
  /** Name of the current manifest; one file, number 0. */
  CURRENT(5, "CURRENT"),
  /** Disk space reserved for the case of a full disk; one file, number 0. */
  RESERVE(6, "RESERVE");

  /** Format of a file that every version can read. */
  public static final int FIRST_FORMAT = 1;

  private static final int NEWEST_MANIFEST = 2;

  /** Largest file number, with as many digits as {@link #numberOf} reads. */
  public static final long MAX_NUMBER = 999_999_999_999_999_999L;

  private static final int DIGITS = 6;

  private static final CharMatcher DIGIT = CharMatcher.inRange('0', '9');

  private final int code;
  private final String text;

  FileKind(int code, String text) {
    this.code = code;
    this.text = text;
  }

  int code() {
    return code;
  }

  /** Returns the newest format of this kind that this version reads. */
  int newestFormat() {
    return this == MANIFEST ? NEWEST_MANIFEST : FIRST_FORMAT;
  }

  /** Returns whether a store has many files of this kind, told apart by number. */
  public boolean numbered() {
    return text.charAt(0) == '.';
  }

  /**
   * Returns the name of the file with a number, written in at least six digits. The number is 0 for
   * a kind with a single file.
   */
  public String fileName(long number) {
    assert number >= 0 && (numbered() || number == 0) : this + " " + number;
    return numbered() ? Strings.padStart(Long.toString(number), DIGITS, '0') + text : text;
  }

  /**
   * Returns the largest number, of any kind, in names that a store may have given to its files; 0
   * if there is none. A store never reaches the upper nine tenths of all numbers, so larger ones
   * are ignored.
   */
  public static long maxNumber(List<String> names) {
    long max = 0;
    for (String name : names) {
      for (FileKind kind : values()) {
        long number = kind.numberOf(name).orElse(0);
        max = number <= MAX_NUMBER / 10 ? Math.max(max, number) : max;
      }
    }
    return max;
  }

  /** Returns whether the name is that of a log, table, manifest or {@code CURRENT} of a store. */
  public static boolean isData(String name) {
    return name.equals(CURRENT.text)
        || WAL.numberOf(name).isPresent()
        || TABLE.numberOf(name).isPresent()
        || MANIFEST.numberOf(name).isPresent();
  }

  /**
   * Returns the number in a name that {@link #fileName} made for this kind; empty for any other
   * name.
   */
  public OptionalLong numberOf(String name) {
    if (!numbered()) {
      return name.equals(text) ? OptionalLong.of(0) : OptionalLong.empty();
    }
    if (!name.endsWith(text)) {
      return OptionalLong.empty();
    }
    String digits = name.substring(0, name.length() - text.length());
    if (digits.length() > 18 || !DIGIT.matchesAllOf(digits)) {
      return OptionalLong.empty();
    }
    long number = digits.isEmpty() ? -1 : Long.parseLong(digits);
    return number >= 0 && fileName(number).equals(name)
        ? OptionalLong.of(number)
        : OptionalLong.empty();
  }
}
