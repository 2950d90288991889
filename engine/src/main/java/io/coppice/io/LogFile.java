// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.Coding;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A new log that is appended to in small pieces, without a call of the system for each: zeros are
 * written ahead, by calls, and what is appended is copied over them through a mapping. So the file
 * ends in zeros, up to {@link #LARGEST_WINDOW_BYTES} of them, until {@link #cutAhead}, and keeps
 * them when it is closed before.
 *
 * <p>Mappings tell of a full disk too late or not at all; here the room was taken by the call that
 * wrote the zeros. That is so on file systems which overwrite in place, and {@link RealDisk} takes
 * this class on those alone. That a page takes the bytes is not believed either: all are read back
 * before a write returns. Where anything of this does not work, and for long pieces that the window
 * does not cover, bytes go by calls, as in the class above, to where no zeros are.
 *
 * <p>The system may store a page in the middle of a copy. To tell such a sector from a whole one,
 * the first {@link #HELD_BYTES} bytes of what is appended, and of each sector it goes on in, are
 * copied last: of an incomplete one they are zeros. {@link RecordLogReader} knows that.
 */
final class LogFile extends AppendFile {

  static final int SECTOR_BYTES = 512;

  /** Copied last in each sector, at once where the processor can. */
  static final int HELD_BYTES = Long.BYTES;

  /** For a longer piece the window does not move: a call costs less than the pages do. */
  static final int LONGEST_BYTES = 4 << 10;

  /** A short log writes few zeros. */
  static final int FIRST_WINDOW_BYTES = 64 << 10;

  /** Beyond, a quarter of what is there, so that a log ends in few zeros. */
  private static final int SHARE = 4;

  private static final int LARGEST_WINDOW_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 4 << 10;
  private static final long UNKNOWN = -1;
  private static final byte[] ZEROS = new byte[FIRST_WINDOW_BYTES];

  /** Where bytes are copied to. */
  interface Memory {

    /** Copies bytes, in any order. */
    void put(int to, byte[] bytes, int from, int count);

    /**
     * Copies eight bytes, lowest first: at once if they lie in one line of the processor's cache.
     */
    void putLong(int to, long value);

    /** Nothing that is copied later is seen before all that was copied until now. */
    void fence();
  }

  private final MappingBudget budget;
  private byte[] back = new byte[LONGEST_BYTES];

  /** Opened together with the file. Null once all goes by calls. */
  private FileChannel channel;

  /** Null before the first short piece, and while there are no zeros. */
  private Window window;

  /** Bytes in the file, zeros included; unknown after a failure to write those. */
  private long extent;

  /** The mapped part of the file that is written now. */
  private record Window(long start, Mapping mapping, ByteBuffer buffer) implements Memory {

    boolean covers(long at, int length) {
      return at + length <= start + buffer.capacity();
    }

    @Override
    public void put(int to, byte[] bytes, int from, int count) {
      buffer.put(to, bytes, from, count);
    }

    @Override
    public void putLong(int to, long value) {
      buffer.putLong(to, value);
    }

    @Override
    public void fence() {
      VarHandle.storeStoreFence();
    }
  }

  private LogFile(String name, RandomAccessFile file, FileChannel channel, MappingBudget budget) {
    super(name, file);
    this.channel = channel;
    this.budget = budget;
  }

  /**
   * Opens a file that was just created and is empty.
   *
   * @param budget its window is one mapping
   */
  static AppendFile open(Path path, MappingBudget budget) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      FileChannel channel =
          FileChannel.open(
              path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      return new LogFile(path.getFileName().toString(), file, channel, budget);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  @Override
  synchronized void append(byte[] bytes, int offset, int length) throws IOException {
    long at = position();
    if (window != null && window.covers(at, length) || length <= LONGEST_BYTES && slide(at)) {
      copy(bytes, offset, length, (int) (at - window.start()));
      return;
    }
    if (extent != at) {
      cut(at);
    }
    super.append(bytes, offset, length);
    extent = at + length;
  }

  /** Moves the window to begin with the page of this offset; false if there is to be none. */
  private boolean slide(long at) {
    if (channel == null) {
      return false;
    }
    unmap();
    long share = at / SHARE - at / SHARE % FIRST_WINDOW_BYTES;
    int length = (int) Math.max(FIRST_WINDOW_BYTES, Math.min(share, LARGEST_WINDOW_BYTES));
    if (budget.tryTake()) {
      try (DeferredInterrupt interrupt = new DeferredInterrupt()) {
        interrupt.absorb();
        window = map(at - at % PAGE_BYTES, length);
      } catch (IOException e) {
        // The disk is full, perhaps not for the piece itself; or the thread was interrupted.
        stopMapping();
        extent = UNKNOWN;
      } finally {
        if (window == null) {
          budget.giveBack();
        }
      }
    } else {
      stopMapping();
    }
    return window != null;
  }

  private Window map(long start, int length) throws IOException {
    writeZeros(start + length);
    if (channel.size() < start + length) {
      // To map it would make it longer, without room.
      throw new IOException("it was cut by somebody else");
    }
    Mapping mapping = Mapping.toWrite(channel, start, length);
    return new Window(start, mapping, mapping.buffer().order(ByteOrder.LITTLE_ENDIAN));
  }

  private void writeZeros(long end) throws IOException {
    file.seek(extent);
    while (extent < end) {
      int count = (int) Math.min(ZEROS.length, end - extent);
      file.write(ZEROS, 0, count);
      extent += count;
    }
  }

  /** From here on all goes by calls. */
  private void stopMapping() {
    unmap();
    try {
      channel.close();
    } catch (IOException e) {
      assert window == null : "it is not needed any more";
    } finally {
      channel = null;
    }
  }

  private void copy(byte[] bytes, int offset, int length, int to) throws IOException {
    try {
      copy(window, bytes, offset, length, to);
      checkBack(bytes, offset, length, to);
    } catch (InternalError e) {
      throw new IOException("a page of it could not be brought into memory", e);
    }
  }

  /** Copies bytes over zeros, those that are held back last. */
  static void copy(Memory memory, byte[] bytes, int offset, int length, int to) {
    int piece;
    for (int done = 0; done < length; done += piece) {
      piece = inSector(to + done, length - done);
      int held = Math.min(HELD_BYTES, piece);
      memory.put(to + done + held, bytes, offset + done + held, piece - held);
    }
    memory.fence();
    for (int done = 0; done < length; done += piece) {
      piece = inSector(to + done, length - done);
      putHeld(memory, bytes, offset + done, piece, to + done);
    }
    memory.fence();
  }

  /** How many of the next bytes lie in the sector of the first. */
  private static int inSector(int at, int left) {
    return Math.min(left, SECTOR_BYTES - at % SECTOR_BYTES);
  }

  private static void putHeld(Memory memory, byte[] bytes, int offset, int piece, int to) {
    if (piece >= HELD_BYTES) {
      memory.putLong(to, Coding.fixed64(bytes, offset));
    } else if (to % SECTOR_BYTES == 0) {
      // Behind the piece are zeros.
      long value = 0;
      for (int i = 0; i < piece; i++) {
        value |= (bytes[offset + i] & 0xFFL) << Byte.SIZE * i;
      }
      memory.putLong(to, value);
    } else {
      // A few bytes up to the end of a sector: not at once, but one right after the other.
      memory.put(to, bytes, offset, piece);
    }
  }

  /**
   * On JDK 17 a store to a page that cannot be had does nothing, and says nothing; a copy from such
   * a page leaves its target as it was.
   */
  private void checkBack(byte[] bytes, int offset, int length, int at) throws IOException {
    if (back.length < length) {
      back = new byte[length];
    }
    int piece;
    for (int done = 0; done < length; done += piece) {
      piece = Math.min(length - done, PAGE_BYTES - (at + done) % PAGE_BYTES);
      int from = offset + done;
      Arrays.fill(back, 0, piece, (byte) ~bytes[from]);
      window.buffer().get(at + done, back, 0, piece);
      if (!Arrays.equals(back, 0, piece, bytes, from, from + piece)) {
        throw new IOException("a page of it does not keep what is written");
      }
    }
  }

  @Override
  public synchronized void cutAhead() throws IOException {
    checkUsable();
    try {
      cut(position());
    } catch (IOException e) {
      throw fail("cutting off what was written ahead", e);
    }
  }

  @Override
  synchronized void cut(long length) throws IOException {
    unmap();
    super.cut(length);
    extent = length;
  }

  /** Leaves the zeros there: a store that lost its directory must not change a file any more. */
  @Override
  public synchronized void close() throws IOException {
    try {
      unmap();
    } finally {
      if (channel != null) {
        channel.close();
        channel = null;
      }
      super.close();
    }
  }

  private void unmap() {
    if (window != null) {
      window.mapping().unmap().run();
      window = null;
      budget.giveBack();
    }
  }
}
