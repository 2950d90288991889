// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.InvalidOptionsException;
import java.util.List;
import java.util.Locale;

/**
 * How the bytes of a block are compressed. The codes are persisted; never renumber. What is not
 * {@link #NONE} needs a library that the engine does not bring along.
 */
public enum BlockCodec {
  /** Stored as they are. */
  NONE(0, ""),
  /** LZ4 block format, by a library in plain Java. */
  LZ4(1, "at.yawk.lz4:lz4-java"),
  /** Zstandard, by a native library. */
  ZSTD(2, "com.github.luben:zstd-jni");

  private final int code;
  private final String artifact;

  BlockCodec(int code, String artifact) {
    this.code = code;
    this.artifact = artifact;
  }

  /** The persisted code, 0 to 30. */
  public int code() {
    return code;
  }

  /** The codec of a persisted code; null if there is none. */
  static BlockCodec of(int code) {
    return switch (code) {
      case 0 -> NONE;
      case 1 -> LZ4;
      case 2 -> ZSTD;
      default -> null;
    };
  }

  /** The name in options. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Why it cannot be used in this process, naming what is to be added; null if it can. */
  public String problem() {
    try {
      open().close();
      return null;
    } catch (LinkageError e) {
      return problem(e);
    }
  }

  private String problem(LinkageError cause) {
    return this + " needs " + artifact + " on the class path (" + cause + ")";
  }

  /**
   * Its means, for one store.
   *
   * @param why begins the message if it cannot be used
   * @throws InvalidOptionsException naming the artifact that is missing
   */
  CodecBytes open(String why) {
    try {
      return open();
    } catch (LinkageError e) {
      throw new InvalidOptionsException(List.of(why + ": " + problem(e)));
    }
  }

  /** Names the libraries' classes nowhere else, so that nothing is loaded that is not used. */
  private CodecBytes open() {
    if (this == NONE) {
      throw new IllegalStateException("there is nothing to be compressed");
    }
    return this == LZ4 ? new Lz4Bytes() : new ZstdBytes();
  }
}
