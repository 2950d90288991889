// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.bytes.Coding;
import io.coppice.io.RecordLayout;
import io.coppice.io.RecordLogReader;
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
 * Log that appends short pieces without a system call for each. It writes zeros ahead with calls,
 * and copies appended bytes over them through a mapping. The file therefore ends in up to {@link
 * #LARGEST_WINDOW_BYTES} zeros until {@link #cutAhead}; it keeps them if it is closed before.
 *
 * <p>A mapping reports a full disk too late or not at all. Here the call that wrote the zeros took
 * the space. This holds on file systems that overwrite in place, and {@code RealDisk} uses this
 * class only on those. The class also verifies each write: it reads all bytes back before the write
 * returns. If any of this fails, and for long pieces outside the window, it writes with calls after
 * the last written byte, like its superclass.
 *
 * <p>The system may store a page in the middle of a copy. The first {@link RecordLayout#HELD_BYTES}
 * bytes of each append, and of each sector that it continues in, are therefore copied last: in an
 * incomplete sector they are zeros. {@link RecordLogReader} relies on that.
 *
 * <p>Its methods hold the lock of this object while they use the mapping. Only one thread appends
 * at a time.
 */
public final class MappedLogFile extends AppendFile {

  /**
   * Largest piece in bytes that is copied through a newly mapped window. For a longer one, a write
   * call costs less than page faults.
   */
  static final int LONGEST_BYTES = 4 << 10;

  /** Size of the smallest window in bytes. It is small so that a short log ends in few zeros. */
  static final int FIRST_WINDOW_BYTES = 64 << 10;

  /**
   * Divisor of the log's length for the size of a larger window, so that a log ends in few zeros.
   */
  private static final int SHARE = 4;

  private static final int LARGEST_WINDOW_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 4 << 10;
  private static final long UNKNOWN = -1;
  private static final byte[] ZEROS = new byte[FIRST_WINDOW_BYTES];

  /** Memory that a copy writes to. Used by one thread. */
  public interface Memory {

    /** Copies bytes, in any order. */
    void put(int to, byte[] bytes, int from, int count);

    /** Copies eight bytes, little-endian: atomically if they are in one cache line. */
    void putLong(int to, long value);

    /** Acts as a memory barrier: stores all earlier copies before any later one. */
    void fence();
  }

  private final MappingBudget budget;

  @GuardedBy("this")
  private byte[] back = new byte[LONGEST_BYTES];

  /** Channel for mappings, opened with the file; null once all writes use calls. */
  @GuardedBy("this")
  private FileChannel channel;

  /** Mapped window; null before the first short piece, and while there are no zeros. */
  @GuardedBy("this")
  private Window window;

  /**
   * Length of the file in bytes, zeros included; {@code UNKNOWN} after a failure to write zeros.
   */
  @GuardedBy("this")
  private long extent;

  /**
   * Mapped part of the file that is being written.
   *
   * @param start offset in the file of its first byte
   */
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

  private MappedLogFile(
      String name, RandomAccessFile file, FileChannel channel, MappingBudget budget) {
    super(name, file);
    this.channel = channel;
    this.budget = budget;
  }

  /**
   * Opens a file that was just created and is empty.
   *
   * @param budget mapping budget; the window takes one mapping
   */
  public static AppendFile open(Path path, MappingBudget budget) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      FileChannel channel =
          FileChannel.open(
              path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      return new MappedLogFile(path.getFileName().toString(), file, channel, budget);
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

  /**
   * Maps a window that begins with the page of this offset, after writing its zeros. Returns false
   * if there is no window.
   */
  @GuardedBy("this")
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
        // The disk is full, possibly only for the zeros; or the thread was interrupted.
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

  @GuardedBy("this")
  private Window map(long start, int length) throws IOException {
    writeZeros(start + length);
    if (channel.size() < start + length) {
      // Mapping it would extend the file without allocating space.
      throw new IOException(
          "it was truncated from outside to "
              + channel.size()
              + " bytes, and "
              + (start + length)
              + " were expected");
    }
    Mapping mapping = Mapping.toWrite(channel, start, length);
    return new Window(start, mapping, mapping.buffer().order(ByteOrder.LITTLE_ENDIAN));
  }

  @GuardedBy("this")
  private void writeZeros(long end) throws IOException {
    file.seek(extent);
    while (extent < end) {
      int count = (int) Math.min(ZEROS.length, end - extent);
      file.write(ZEROS, 0, count);
      extent += count;
    }
  }

  /** Ends the use of mappings: all further appends use write calls. */
  @GuardedBy("this")
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

  @GuardedBy("this")
  private void copy(byte[] bytes, int offset, int length, int to) throws IOException {
    try {
      copy(window, bytes, offset, length, to);
      checkBack(bytes, offset, length, to);
    } catch (InternalError e) {
      throw new IOException("a page of its mapping could not be loaded", e);
    }
  }

  /**
   * Copies bytes over zeros. The bytes that must be stored last in each sector ({@link
   * RecordLayout#HELD_BYTES}) are copied last.
   *
   * @param to index in the memory of the first byte
   */
  public static void copy(Memory memory, byte[] bytes, int offset, int length, int to) {
    int piece;
    for (int done = 0; done < length; done += piece) {
      piece = inSector(to + done, length - done);
      int held = Math.min(RecordLayout.HELD_BYTES, piece);
      memory.put(to + done + held, bytes, offset + done + held, piece - held);
    }
    memory.fence();
    for (int done = 0; done < length; done += piece) {
      piece = inSector(to + done, length - done);
      putHeld(memory, bytes, offset + done, piece, to + done);
    }
    memory.fence();
  }

  /**
   * Returns the number of the next bytes that are in the sector of the first one.
   *
   * @param at index of the first byte
   * @param left number of bytes to copy
   */
  private static int inSector(int at, int left) {
    return Math.min(left, RecordLayout.SECTOR_BYTES - at % RecordLayout.SECTOR_BYTES);
  }

  private static void putHeld(Memory memory, byte[] bytes, int offset, int piece, int to) {
    if (piece >= RecordLayout.HELD_BYTES) {
      memory.putLong(to, Coding.fixed64(bytes, offset));
    } else if (to % RecordLayout.SECTOR_BYTES == 0) {
      // The bytes after the piece are zeros.
      long value = 0;
      for (int i = 0; i < piece; i++) {
        value |= (bytes[offset + i] & 0xFFL) << Byte.SIZE * i;
      }
      memory.putLong(to, value);
    } else {
      // A few bytes up to the end of a sector: copied one right after the other instead of
      // atomically.
      memory.put(to, bytes, offset, piece);
    }
  }

  /**
   * Reads copied bytes back and compares them. On JDK 17 a store to an unavailable page silently
   * does nothing, and a copy from such a page leaves its target unchanged.
   */
  @GuardedBy("this")
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
        throw new IOException("a page of its mapping does not hold the bytes that were written");
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

  /**
   * Closes the file and leaves its zeros in place: a store that has lost its directory must not
   * change files.
   */
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

  @GuardedBy("this")
  private void unmap() {
    if (window != null) {
      window.mapping().unmap().run();
      window = null;
      budget.giveBack();
    }
  }
}
