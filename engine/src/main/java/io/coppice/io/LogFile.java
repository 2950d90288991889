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
 * ends in zeros, up to {@link #LARGEST_WINDOW_BYTES} of them, and keeps them when it is closed.
 *
 * <p>Mappings tell of a full disk too late or not at all; here the room was taken by the call that
 * wrote the zeros. That is so on file systems which overwrite in place, and {@link RealDisk} takes
 * this class on those alone. That a page takes the bytes is not believed either: some of each page
 * are read back before a write returns. Where anything of this does not work, and for long pieces,
 * bytes go by calls, as in the class above.
 *
 * <p>The system may store a page in the middle of a copy. To tell such a sector from a whole one,
 * the first {@link #HELD_BYTES} bytes of what is appended, and of each sector it goes on in, are
 * copied last: of an incomplete one they are zeros. {@link RecordLogReader} knows that.
 */
final class LogFile extends AppendFile {

  static final int SECTOR_BYTES = 512;

  /** Copied last in each sector, at once where the processor can. */
  static final int HELD_BYTES = Long.BYTES;

  /** For longer pieces a call costs less than the pages do. */
  static final int LONGEST_BYTES = 4 << 10;

  /** A short log writes few zeros. */
  static final int FIRST_WINDOW_BYTES = 64 << 10;

  /** Beyond, a quarter of what is there, so that a log ends in few zeros. */
  private static final int SHARE = 4;

  private static final int LARGEST_WINDOW_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 4 << 10;
  private static final byte[] ZEROS = new byte[FIRST_WINDOW_BYTES];

  private final MappingBudget budget;
  private final byte[] back = new byte[HELD_BYTES];

  /** Opened with the file, as its name may be another's later. Null once all goes by calls. */
  private FileChannel channel;

  /** Null before the first short piece. */
  private Mapping window;

  private long windowStart;

  /** Bytes in the file, zeros included. */
  private long extent;

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
    if (length <= LONGEST_BYTES && channel != null && (covers(at, length) || slide(at))) {
      copy(bytes, offset, length, (int) (at - windowStart));
      return;
    }
    file.seek(at);
    super.append(bytes, offset, length);
    extent = Math.max(extent, at + length);
  }

  private boolean covers(long at, int length) {
    return window != null && at + length <= windowStart + window.buffer().capacity();
  }

  /** Moves the window to begin with the page of this offset; false if there is to be none. */
  private boolean slide(long at) {
    unmap();
    long start = at - at % PAGE_BYTES;
    long share = at / SHARE - at / SHARE % FIRST_WINDOW_BYTES;
    int length = (int) Math.max(FIRST_WINDOW_BYTES, Math.min(share, LARGEST_WINDOW_BYTES));
    if (!budget.tryTake()) {
      stopMapping(at);
      return false;
    }
    try (DeferredInterrupt interrupt = new DeferredInterrupt()) {
      writeZeros(start + length);
      interrupt.absorb();
      window = Mapping.toWrite(channel, start, length);
      window.buffer().order(ByteOrder.LITTLE_ENDIAN);
      windowStart = start;
    } catch (IOException e) {
      // The disk is full, perhaps not for the piece itself; or the thread was interrupted.
      budget.giveBack();
      stopMapping(at);
      return false;
    }
    return true;
  }

  private void writeZeros(long end) throws IOException {
    file.seek(extent);
    while (extent < end) {
      int count = (int) Math.min(ZEROS.length, end - extent);
      file.write(ZEROS, 0, count);
      extent += count;
    }
  }

  /**
   * From here on all goes by calls; zeros that are there do no harm, but may be what is missing.
   */
  private void stopMapping(long at) {
    unmap();
    try {
      channel.close();
      file.setLength(at);
      extent = at;
    } catch (IOException e) {
      assert extent >= at : "what is appended overwrites what is left";
    } finally {
      channel = null;
    }
  }

  private void copy(byte[] bytes, int offset, int length, int to) throws IOException {
    ByteBuffer buffer = window.buffer();
    int piece;
    try {
      for (int done = 0; done < length; done += piece) {
        piece = Math.min(length - done, SECTOR_BYTES - (to + done) % SECTOR_BYTES);
        int held = Math.min(HELD_BYTES, piece);
        buffer.put(to + done + held, bytes, offset + done + held, piece - held);
      }
      VarHandle.storeStoreFence();
      for (int done = 0; done < length; done += piece) {
        piece = Math.min(length - done, SECTOR_BYTES - (to + done) % SECTOR_BYTES);
        putHeld(buffer, to + done, bytes, offset + done, Math.min(HELD_BYTES, piece));
      }
      VarHandle.storeStoreFence();
      for (int done = 0; done < length; done += piece) {
        piece = Math.min(length - done, PAGE_BYTES - (to + done) % PAGE_BYTES);
        checkBack(buffer, to + done, bytes, offset + done, Math.min(HELD_BYTES, piece));
      }
    } catch (InternalError e) {
      throw new IOException("a page of it could not be brought into memory", e);
    }
  }

  private static void putHeld(ByteBuffer buffer, int to, byte[] bytes, int from, int count) {
    if (count == HELD_BYTES) {
      buffer.putLong(to, Coding.fixed64(bytes, from));
    } else {
      buffer.put(to, bytes, from, count);
    }
  }

  /**
   * On JDK 17 a store to a page that cannot be had does nothing, and says nothing; a copy from such
   * a page leaves its target as it was.
   */
  private void checkBack(ByteBuffer buffer, int at, byte[] bytes, int from, int count)
      throws IOException {
    for (int i = 0; i < count; i++) {
      back[i] = (byte) ~bytes[from + i];
    }
    buffer.get(at, back, 0, count);
    if (!Arrays.equals(back, 0, count, bytes, from, from + count)) {
      throw new IOException("a page of it does not keep what is written");
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
    unmap();
    try {
      if (channel != null) {
        channel.close();
        channel = null;
      }
    } finally {
      super.close();
    }
  }

  private void unmap() {
    if (window != null) {
      window.unmap().run();
      window = null;
      budget.giveBack();
    }
  }
}
