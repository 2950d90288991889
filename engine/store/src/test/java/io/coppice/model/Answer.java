// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.HexFormat;

/** What an operation showed, as a hash and, where wanted, in words. Reused from one to the next. */
public final class Answer {

  private static final int SHOWN_BYTES = 12;

  private final StringBuilder words;
  private long hash;

  private Answer(StringBuilder words) {
    this.words = words;
  }

  /** Only hashes. */
  public static Answer hashing() {
    return new Answer(null);
  }

  /** Hashes and words. */
  public static Answer inWords() {
    return new Answer(new StringBuilder());
  }

  /** Empties it for the next operation. */
  public void clear() {
    hash = 0;
    if (words != null) {
      words.setLength(0);
    }
  }

  /** What was shown so far. */
  public long hash() {
    return hash;
  }

  /** A value that was found; null where none was. */
  public void value(byte[] value) {
    hash = Hash.mix(hash, value == null ? 1 : Hash.of(value));
    if (words != null) {
      words.append(value == null ? " nothing" : " value " + show(value));
    }
  }

  /** A key that was come upon. */
  public void key(byte[] key) {
    hash = Hash.mix(hash, Hash.of(key));
    if (words != null) {
      words.append(" key ").append(show(key));
    }
  }

  /** No further key in this direction. */
  public void end() {
    hash = Hash.mix(hash, 2);
    if (words != null) {
      words.append(" end");
    }
  }

  /** Yes or no. */
  public void truth(boolean truth) {
    hash = Hash.mix(hash, truth ? 3 : 4);
    if (words != null) {
      words.append(truth ? " yes" : " no");
    }
  }

  private static String show(byte[] bytes) {
    String hex = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, SHOWN_BYTES));
    return bytes.length <= SHOWN_BYTES ? hex : hex + "…(" + bytes.length + ")";
  }

  @Override
  public String toString() {
    return words == null ? Long.toHexString(hash) : words.toString().trim();
  }
}
