// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import com.google.common.hash.Hashing;
import io.coppice.base.bytes.Checksum;
import java.util.Random;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Cost of a block checksum: the engine's, a direct call of the JDK's, and Guava's. */
public class ChecksumBenchmark extends Microbenchmark {

  /** Length of the block in bytes. */
  @Param({"4096", "65536", "1048576"})
  public int bytes;

  private byte[] block;

  @Setup
  public void fill() {
    block = new byte[bytes];
    new Random(42).nextBytes(block);
  }

  /** Computes the engine's checksum, salted by file and offset. */
  @Benchmark
  public int ours() {
    return Checksum.of(7, 4096, block, 0, bytes);
  }

  /** Computes the CRC-32C by a direct call of the JDK. */
  @Benchmark
  public long jdk() {
    CRC32C sum = new CRC32C();
    sum.update(block, 0, bytes);
    return sum.getValue();
  }

  /** Computes the CRC-32C of the same bytes with Guava. */
  @Benchmark
  public int guava() {
    return Hashing.crc32c().hashBytes(block, 0, bytes).asInt();
  }
}
