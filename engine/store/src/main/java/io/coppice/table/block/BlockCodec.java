// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.InvalidOptionsException;
import java.util.List;
import java.util.Locale;

/**
 * Compression of a block. The codes are persisted and must never be renumbered. Every codec except
 * {@link #NONE} needs a library that the engine does not include.
 */
public enum BlockCodec {
  /** Blocks stored without compression. */
  NONE(0, ""),
  /** LZ4 block format, implemented by a plain Java library. */
  LZ4(1, "at.yawk.lz4:lz4-java"),
  /** Zstandard, implemented by a native library. */
  ZSTD(2, "com.github.luben:zstd-jni");

  private final int code;
  private final String artifact;

  BlockCodec(int code, String artifact) {
    this.code = code;
    this.artifact = artifact;
  }

  /** Returns the persisted code, 0 to 30. */
  public int code() {
    return code;
  }

  /** Returns the codec with a persisted code; null if the code is unknown. */
  static BlockCodec of(int code) {
    return switch (code) {
      case 0 -> NONE;
      case 1 -> LZ4;
      case 2 -> ZSTD;
      default -> null;
    };
  }

  /** Returns the codec's name in options. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the reason that the codec cannot be used in this process, with the missing artifact;
   * null if it can.
   */
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
   * Opens the codec for one store, which closes it.
   *
   * @param why start of the error message
   * @throws InvalidOptionsException if the library is missing; the message names the artifact
   */
  CompressionCodec open(String why) {
    try {
      return open();
    } catch (LinkageError e) {
      throw new InvalidOptionsException(List.of(why + ": " + problem(e)));
    }
  }

  /**
   * Creates the codec's implementation. Only this method names classes that need a library, so that
   * the JVM loads only the libraries in use.
   */
  private CompressionCodec open() {
    if (this == NONE) {
      throw new IllegalStateException("there is nothing to be compressed");
    }
    return this == LZ4 ? new Lz4Codec() : new ZstdCodec();
  }
}
