// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * LZ4 codec in plain Java that checks every access. Corrupt bytes therefore cannot crash the
 * process. There is no native library to unpack.
 */
final class Lz4Codec implements CompressionCodec {

  private final LZ4Compressor compressor = LZ4Factory.safeInstance().fastCompressor();
  private final LZ4SafeDecompressor decompressor = LZ4Factory.safeInstance().safeDecompressor();

  @Override
  public int maxLength(int length) {
    return compressor.maxCompressedLength(length);
  }

  @Override
  public int compress(byte[] from, int offset, int length, byte[] to) {
    return compressor.compress(from, offset, length, to, 0, to.length);
  }

  @Override
  public int restore(byte[] from, int offset, int length, byte[] to, int toLength) {
    try {
      return decompressor.decompress(from, offset, length, to, 0, toLength);
    } catch (LZ4Exception e) {
      return -1;
    }
  }

  @Override
  public void close() {}
}
