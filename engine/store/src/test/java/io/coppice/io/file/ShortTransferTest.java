// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.testing.Seeds;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files whose transfers move fewer bytes than asked for: a read goes on until it has all or the
 * file ends, and of a write that did not get to its end no byte stays.
 */
class ShortTransferTest {

  private static final int LENGTH = 200_000;

  private final long seed = Seeds.seed(20);
  private final Random random = Seeds.random(seed, 0);
  private final byte[] bytes = new byte[LENGTH];
  @TempDir Path directory;
  private Path path;

  @BeforeEach
  void makeFile() throws IOException {
    random.nextBytes(bytes);
    path = directory.resolve("000001.tbl");
    Files.write(path, bytes);
  }

  private PositionalFile open(IntUnaryOperator transferred) throws IOException {
    return PositionalFile.open(
        path,
        PositionalFile.keyOf(path),
        file -> new ShortChannel(FileChannel.open(file), transferred));
  }

  @Test
  void aReadGoesOnUntilItHasAllBytes() throws IOException {
    try (PositionalFile file = open(remaining -> 1 + random.nextInt(Math.min(remaining, 999)))) {
      for (int i = 0; i < 500; i++) {
        int from = random.nextInt(LENGTH);
        int length = random.nextInt(i % 50 == 0 ? LENGTH - from : Math.min(5000, LENGTH - from));
        byte[] read = new byte[length + 7];
        file.read(from, read, 3, length);
        assertThat(Arrays.copyOfRange(read, 3, 3 + length))
            .as(Seeds.replay(getClass(), seed))
            .isEqualTo(Arrays.copyOfRange(bytes, from, from + length));
        assertThat(read[2] | read[3 + length]).as("bytes beside the target").isZero();
      }
    }
  }

  @Test
  void anInterruptWhileItIsOpenedIsKeptAndFailsNoRead() throws IOException {
    int[] opened = {0};
    PositionalFile.Opener interrupted =
        file -> {
          if (opened[0]++ < 2) {
            Thread.currentThread().interrupt();
          }
          return FileChannel.open(file);
        };
    byte[] read = new byte[5000];
    try (PositionalFile file = PositionalFile.open(path, PositionalFile.keyOf(path), interrupted)) {
      assertThat(Thread.interrupted()).isTrue();
      file.read(70, read, 0, read.length);
    }
    assertThat(opened[0]).isEqualTo(3);
    assertThat(read).isEqualTo(Arrays.copyOfRange(bytes, 70, 5070));
  }

  @Test
  void oneByteAtATimeIsEnough() throws IOException {
    byte[] read = new byte[70_000];
    try (PositionalFile file = open(remaining -> 1)) {
      file.read(100_000, read, 0, read.length);
    }
    assertThat(read).isEqualTo(Arrays.copyOfRange(bytes, 100_000, 170_000));
  }

  @Test
  void aFileThatEndsInsideAReadIsNoSuccess() throws IOException {
    try (PositionalFile file = open(remaining -> 1 + random.nextInt(remaining))) {
      try (FileChannel other = FileChannel.open(path, java.nio.file.StandardOpenOption.WRITE)) {
        other.truncate(150_000);
      }
      byte[] read = new byte[4096];
      file.read(150_000 - 4096, read, 0, 4096);
      assertThatThrownBy(() -> file.read(150_000 - 4095, read, 0, 4096))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("000001.tbl")
          .hasMessageContaining("150000");
    }
  }

  @Test
  void anErrorAfterAShortReadIsThrown() throws IOException {
    int[] reads = {0};
    try (PositionalFile file = open(remaining -> reads[0]++ == 0 ? 100 : -1)) {
      assertThatThrownBy(() -> file.read(0, new byte[4096], 0, 4096))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(EOFException.class)
          .hasMessageContaining("Input/output error");
      assertThat(reads[0]).isEqualTo(2);
    }
  }

  @Test
  void aReadWithoutProgressEnds() throws IOException {
    try (PositionalFile file = open(remaining -> 0)) {
      assertThatThrownBy(() -> file.read(0, new byte[10], 0, 10))
          .hasMessageContaining("no progress");
    }
  }

  @Test
  void ofAWriteThatStoppedNoByteStaysOnceItIsCutOff() throws IOException {
    Path written = directory.resolve("000002.wal");
    int[] room = {0};
    try (AppendFile file = new AppendFile("000002.wal", new FullFile(written, room))) {
      int position = 0;
      for (int i = 0; i < 200; i++) {
        int length = 1 + random.nextInt(i % 20 == 0 ? 150_000 : 3000);
        int from = random.nextInt(LENGTH - length + 1);
        room[0] = random.nextInt(length);
        assertThatThrownBy(() -> file.write(bytes, from, length))
            .hasMessageContaining("No space left");
        assertThatThrownBy(() -> file.write(bytes, 0, 1))
            .hasMessageContaining("after an earlier failure");
        // As the thread of the log may, before the rest is cut off.
        file.sync();
        assertThat(file.position()).isEqualTo(position);
        file.truncate(position);
        room[0] = Integer.MAX_VALUE;
        int kept = Math.min(length, LENGTH - position);
        file.write(bytes, position, kept);
        position += kept;
      }
      assertThat(Files.readAllBytes(written)).isEqualTo(Arrays.copyOf(bytes, position));
    }
  }

  @Test
  void aSlotWriteThatStoppedIsThrown() throws IOException {
    int[] room = {77};
    try (RealSlotFile file =
        new RealSlotFile(PositionalFile.open(path), new FullFile(path, room))) {
      assertThatThrownBy(() -> file.write(LENGTH - 10, bytes, 0, 100))
          .hasMessageContaining("No space left");
      assertThat(file.length()).isEqualTo(LENGTH);
      room[0] = 100;
      file.write(LENGTH - 10, bytes, 0, 100);
      assertThat(file.length()).isEqualTo(LENGTH + 90);
    }
  }

  /** A file that takes so many bytes more and then says that the disk is full. */
  private static final class FullFile extends RandomAccessFile {
    private final int[] room;

    FullFile(Path path, int[] room) throws IOException {
      super(path.toFile(), "rw");
      this.room = room;
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      int taken = Math.min(length, room[0]);
      super.write(source, offset, taken);
      room[0] -= taken;
      if (taken < length) {
        throw new IOException("No space left on device");
      }
    }
  }

  /** Reads as many bytes as it is told, given how many are asked for; below 0 is an error. */
  private static final class ShortChannel extends FileChannel {
    private final FileChannel channel;
    private final IntUnaryOperator transferred;

    ShortChannel(FileChannel channel, IntUnaryOperator transferred) {
      this.channel = channel;
      this.transferred = transferred;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      int count = transferred.applyAsInt(target.remaining());
      if (count < 0) {
        throw new IOException("Input/output error");
      }
      ByteBuffer part = target.slice(target.position(), count);
      int read = count == 0 ? 0 : channel.read(part, position);
      target.position(target.position() + Math.max(0, read));
      return read;
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
      channel.close();
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}
