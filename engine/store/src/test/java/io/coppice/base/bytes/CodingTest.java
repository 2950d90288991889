// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CodingTest {

  private final ByteSink sink = new ByteSink(0);
  private final ByteSource source = new ByteSource();

  private ByteSource written() {
    return source.reset("f", 100, sink.array(), 0, sink.length());
  }

  @Test
  void whatIsWrittenIsRead() {
    byte[] bytes = {1, 2, 3};
    sink.u8(200).fixed32(-2).fixed64(-3L).varint32(-1).varint64(-1L);
    sink.sized(bytes, 1, 2).zeros(2).bytes(bytes, 0, 1).sized(bytes, 0, 3);
    written();
    assertThat(source.u8()).isEqualTo(200);
    assertThat(source.fixed32()).isEqualTo(-2);
    assertThat(source.fixed64()).isEqualTo(-3L);
    assertThat(source.varint64()).isEqualTo(0xFFFFFFFFL);
    assertThat(source.varint64()).isEqualTo(-1L);
    assertThat(source.sized(2)).isEqualTo(2);
    assertThat(source.array()[source.position() - 1]).isEqualTo((byte) 3);
    source.skip(2);
    assertThat(source.u8()).isEqualTo(1);
    assertThat(source.sizedCopy(3)).isEqualTo(bytes);
    assertThat(source.remaining()).isZero();
  }

  @Test
  void fixedNumbersAreLittleEndian() {
    sink.fixed32(0x01020304).fixed64(0x05);
    assertThat(sink.toByteArray()).containsExactly(4, 3, 2, 1, 5, 0, 0, 0, 0, 0, 0, 0);
  }

  @Test
  void varintsTakeAsManyBytesAsSaid() {
    Random random = new Random(1);
    for (int bits = 0; bits <= 64; bits++) {
      for (int i = 0; i < 50; i++) {
        long value = bits == 0 ? 0 : random.nextLong() >>> (64 - bits);
        sink.clear();
        sink.varint64(value);
        assertThat(sink.length()).isEqualTo(Coding.varintLength(value));
        assertThat(written().varint64()).isEqualTo(value);
        assertThat(source.remaining()).isZero();
      }
    }
    assertThat(Coding.varintLength(-1)).isEqualTo(Coding.MAX_VARINT_64);
  }

  @Test
  void everyCutIsReportedWithFileAndOffset() {
    sink.u8(1).fixed32(2).fixed64(3).varint64(1 << 20).sized(new byte[5], 0, 5);
    byte[] whole = sink.toByteArray();
    for (int length = 0; length < whole.length; length++) {
      source.reset("f", 100, whole, 0, length);
      long end = 100 + length;
      assertThatThrownBy(
              () -> {
                source.u8();
                source.fixed32();
                source.fixed64();
                source.varint64();
                source.sized(5);
              })
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo("f");
                assertThat(e.offset()).isBetween(100L, end);
              });
    }
  }

  @Test
  void numbersThatDoNotFitAreReported() {
    byte[][] tooLong = {
      {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0},
      {-1, -1, -1, -1, -1, -1, -1, -1, -1, 2},
    };
    for (byte[] bytes : tooLong) {
      source.reset("f", 0, bytes, 0, bytes.length);
      assertThatThrownBy(source::varint64)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("64 bits");
    }
    sink.varint64(1L << 31);
    assertThatThrownBy(() -> written().varint31())
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("31 bits");
    sink.clear();
    sink.sized(new byte[5], 0, 5);
    assertThatThrownBy(() -> written().sized(4))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("at most 4");
  }

  @Test
  void aSinkForgetsAndGrows() {
    sink.zeros(1000).truncate(10);
    assertThat(sink.length()).isEqualTo(10);
    sink.setFixed32(2, 7);
    assertThat(Coding.fixed32(sink.array(), 2)).isEqualTo(7);
    sink.clear(64);
    assertThat(sink.length()).isZero();
    assertThat(sink.array()).hasSize(64);
  }
}
