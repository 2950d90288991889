// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.ClosedException;
import io.coppice.base.bytes.Bytes;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A disk in memory that can lose power. Each file has a volatile and a durable content, each name a
 * volatile and a durable file; {@code sync} and {@code syncDirectory} make the durable ones catch
 * up. {@link #crash()} gives the disk that is found after the power comes back.
 *
 * <p>As on a real file system a synced file has no name after a crash unless its directory was
 * synced, and a name may come back without the bytes. Safe to share between threads.
 */
public final class MemDisk implements Disk {

  /** The unit that a crash keeps or loses. */
  public static final int SECTOR_BYTES = 512;

  /** A file whose failed sync loses what it had to write, whatever later syncs say. */
  interface Losing {
    /** Counts the bytes not yet synced as synced although they never reach the disk. */
    void loseUnsynced();
  }

  private static final AtomicLong CONTENTS = new AtomicLong();

  private final Map<String, Content> names = new LinkedHashMap<>();
  private final Map<String, Content> durableNames = new LinkedHashMap<>();
  private final Map<String, byte[]> aside = new LinkedHashMap<>();
  private long capacityBytes = Long.MAX_VALUE;
  private int openFiles;
  private boolean closed;

  /** An empty disk of unlimited size. */
  public MemDisk() {}

  /**
   * A disk with these files, all durable. Their arrays are shared and never written to, so a disk
   * of a thousand bytes costs no more than one of none.
   */
  public MemDisk(Map<String, Stored> files) {
    files.forEach(
        (name, stored) -> {
          Content content = new Content(stored);
          names.put(name, content);
          durableNames.put(name, content);
        });
  }

  /**
   * The bytes of a file.
   *
   * @param array shared, not to be written to
   * @param length how many of them count, from the first
   */
  public record Stored(byte[] array, int length) {
    /** All of an array. */
    public Stored(byte[] array) {
      this(array, array.length);
    }
  }

  /** Limits the bytes of all files; a write beyond fails as on a full disk. */
  public synchronized MemDisk capacity(long bytes) {
    capacityBytes = bytes;
    return this;
  }

  /** The disk after a power loss at this moment, if nothing reached it that was not synced. */
  public synchronized MemDisk crash() {
    MemDisk after = new MemDisk();
    durableNames.forEach((name, content) -> after.put(name, content.durable()));
    return after;
  }

  /**
   * The disk after a power loss at this moment, if of what was not synced some reached it: of each
   * name the old or the new file; of each file a random length between the durable and the present
   * one, and of each changed sector the present bytes or the durable ones, zeros where there were
   * none.
   */
  public synchronized MemDisk crash(Random random) {
    MemDisk after = new MemDisk();
    TreeSet<String> all = new TreeSet<>(names.keySet());
    all.addAll(durableNames.keySet());
    for (String name : all) {
      Content content = (random.nextBoolean() ? names : durableNames).get(name);
      if (content != null) {
        after.put(name, content.torn(random));
      }
    }
    return after;
  }

  /**
   * The disk after the process died at this moment: all that was written is there, but what was not
   * synced can still be lost to a later crash.
   */
  public synchronized MemDisk kill() {
    MemDisk after = new MemDisk();
    Map<Content, Content> copies = new IdentityHashMap<>();
    names.forEach((k, v) -> after.names.put(k, copies.computeIfAbsent(v, Content::copy)));
    durableNames.forEach(
        (k, v) -> after.durableNames.put(k, copies.computeIfAbsent(v, Content::copy)));
    after.capacityBytes = capacityBytes;
    return after;
  }

  private void put(String name, byte[] bytes) {
    Content content = new Content(bytes);
    names.put(name, content);
    durableNames.put(name, content);
  }

  /** Lets the next owner in after the last one closed it. */
  public synchronized MemDisk reopen() {
    closed = false;
    return this;
  }

  /** A copy of a file's bytes. */
  public synchronized byte[] bytes(String name) throws IOException {
    return find(name).bytes();
  }

  /** Gives a file these bytes, durably; creates it if need be. */
  public synchronized void setBytes(String name, byte[] bytes) {
    put(name, bytes);
  }

  /** Files opened and not closed. */
  public synchronized int openFiles() {
    return openFiles;
  }

  @Override
  public synchronized OutputFile create(String name) throws IOException {
    checkOpen();
    if (names.containsKey(name)) {
      throw new FileAlreadyExistsException(name);
    }
    Content content = new Content(Bytes.EMPTY);
    names.put(name, content);
    return new Output(name, content);
  }

  @Override
  public synchronized InputFile open(String name) throws IOException {
    checkOpen();
    return new Slots(name, find(name), false);
  }

  @Override
  public InputFile map(String name) throws IOException {
    return open(name);
  }

  @Override
  public synchronized SlotFile openSlots(String name) throws IOException {
    checkOpen();
    return new Slots(name, names.computeIfAbsent(name, x -> new Content(Bytes.EMPTY)), true);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    checkOpen();
    names.put(to, find(from));
    names.remove(from);
  }

  @Override
  public synchronized void delete(String name) {
    checkOpen();
    names.remove(name);
  }

  @Override
  public synchronized List<String> list() {
    checkOpen();
    return new ArrayList<>(names.keySet());
  }

  @Override
  public synchronized void syncDirectory() {
    checkOpen();
    durableNames.clear();
    durableNames.putAll(names);
  }

  @Override
  public synchronized long freeBytes() {
    long used = 0;
    for (Content content : names.values()) {
      used += content.length;
    }
    return capacityBytes - used;
  }

  @Override
  public String describe() {
    return "memory";
  }

  @Override
  public boolean link(String name, Disk target) throws IOException {
    if (!(target instanceof MemDisk other)) {
      return false;
    }
    Content content;
    synchronized (this) {
      checkOpen();
      content = find(name);
    }
    synchronized (other) {
      other.checkOpen();
      if (other.names.putIfAbsent(name, content) != null) {
        throw new FileAlreadyExistsException(name);
      }
    }
    return true;
  }

  @Override
  public synchronized void keepAside(String name) throws IOException {
    checkOpen();
    aside.put(name, find(name).bytes());
  }

  /** The bytes of files that were kept aside, by name. */
  public synchronized Map<String, byte[]> aside() {
    return Map.copyOf(aside);
  }

  @Override
  public synchronized Stamp stamp(String name) {
    checkOpen();
    Content content = names.get(name);
    return content == null ? null : new Stamp("c" + content.number, 0, content.length);
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  private void checkOpen() {
    if (closed) {
      throw new ClosedException(describe());
    }
  }

  private Content find(String name) throws NoSuchFileException {
    Content content = names.get(name);
    if (content == null) {
      throw new NoSuchFileException(name);
    }
    return content;
  }

  private void checkSpace(long more) throws IOException {
    if (more > freeBytes()) {
      throw new IOException("No space left on device");
    }
  }

  /** A file's bytes, now and after a crash. The bytes from dirtyFrom to dirtyTo may differ. */
  private static final class Content {
    byte[] now;
    int length;
    byte[] durable;
    int durableLength;
    int dirtyFrom;
    int dirtyTo;
    final long number = CONTENTS.incrementAndGet();

    /** True while an array is another's too, so that it must be copied before a write. */
    boolean sharedNow;

    boolean sharedDurable;

    Content(byte[] bytes) {
      this(new Stored(bytes.clone()));
    }

    Content(Stored stored) {
      now = stored.array;
      durable = stored.array;
      length = stored.length;
      durableLength = length;
      sharedNow = true;
      sharedDurable = true;
      clean();
    }

    Content copy() {
      Content copy = new Content(Bytes.EMPTY);
      copy.now = now.clone();
      copy.length = length;
      copy.durable = durable.clone();
      copy.sharedNow = false;
      copy.sharedDurable = false;
      copy.durableLength = durableLength;
      copy.dirtyFrom = dirtyFrom;
      copy.dirtyTo = dirtyTo;
      return copy;
    }

    void write(int at, byte[] bytes, int offset, int count) {
      int end = Math.addExact(at, count);
      if (sharedNow) {
        now = Arrays.copyOf(now, Math.max(length, end));
        sharedNow = false;
      }
      now = grown(now, end);
      System.arraycopy(bytes, offset, now, at, count);
      dirtyFrom = Math.min(dirtyFrom, Math.min(at, length));
      dirtyTo = Math.max(dirtyTo, end);
      length = Math.max(length, end);
    }

    void truncate(int size) {
      Objects.checkIndex(size, length + 1);
      dirtyFrom = Math.min(dirtyFrom, size);
      dirtyTo = Math.max(dirtyTo, size);
      length = size;
    }

    void sync() {
      if (sharedDurable) {
        durable = Arrays.copyOf(durable, Math.max(durableLength, length));
        sharedDurable = false;
      }
      durable = grown(durable, length);
      int end = Math.min(dirtyTo, length);
      if (dirtyFrom < end) {
        System.arraycopy(now, dirtyFrom, durable, dirtyFrom, end - dirtyFrom);
      }
      durableLength = length;
      clean();
    }

    private void clean() {
      dirtyFrom = Integer.MAX_VALUE;
      dirtyTo = 0;
    }

    byte[] bytes() {
      return Arrays.copyOf(now, length);
    }

    byte[] durable() {
      return Arrays.copyOf(durable, durableLength);
    }

    byte[] torn(Random random) {
      int least = Math.min(length, durableLength);
      int size = least + random.nextInt(Math.max(length, durableLength) - least + 1);
      byte[] torn = Arrays.copyOf(now, size);
      if (size > length) {
        System.arraycopy(durable, length, torn, length, size - length);
      }
      int from = dirtyFrom == Integer.MAX_VALUE ? size : dirtyFrom - dirtyFrom % SECTOR_BYTES;
      for (int sector = from; sector < Math.min(size, dirtyTo); sector += SECTOR_BYTES) {
        int end = Math.min(size, sector + SECTOR_BYTES);
        boolean lost = random.nextBoolean();
        for (int i = sector; i < end && lost; i++) {
          torn[i] = i < durableLength ? durable[i] : 0;
        }
      }
      return torn;
    }

    private static byte[] grown(byte[] array, int needed) {
      return needed <= array.length
          ? array
          : Arrays.copyOf(array, Math.max(needed, array.length * 2));
    }
  }

  private abstract class Handle implements Losing {
    final String name;
    final Content content;
    private boolean handleClosed;

    Handle(String name, Content content) {
      this.name = name;
      this.content = content;
      openFiles++;
    }

    void checkUsable() {
      if (handleClosed) {
        throw new ClosedException(name);
      }
    }

    public void close() {
      synchronized (MemDisk.this) {
        if (!handleClosed) {
          handleClosed = true;
          openFiles--;
        }
      }
    }

    public void sync() {
      synchronized (MemDisk.this) {
        checkUsable();
        content.sync();
      }
    }

    @Override
    public void loseUnsynced() {
      synchronized (MemDisk.this) {
        content.clean();
      }
    }
  }

  private final class Output extends Handle implements OutputFile {
    Output(String name, Content content) {
      super(name, content);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      synchronized (MemDisk.this) {
        Objects.checkFromIndexSize(offset, count, bytes.length);
        checkUsable();
        checkSpace(count);
        content.write(content.length, bytes, offset, count);
      }
    }

    @Override
    public long position() {
      synchronized (MemDisk.this) {
        return content.length;
      }
    }

    @Override
    public void truncate(long length) {
      synchronized (MemDisk.this) {
        checkUsable();
        content.truncate(Math.toIntExact(length));
      }
    }
  }

  private final class Slots extends Handle implements SlotFile {
    private final long openLength;
    private final boolean growing;

    Slots(String name, Content content, boolean growing) {
      super(name, content);
      this.openLength = content.length;
      this.growing = growing;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long length() {
      synchronized (MemDisk.this) {
        return growing ? content.length : openLength;
      }
    }

    @Override
    public void read(long position, byte[] target, int offset, int count) throws IOException {
      synchronized (MemDisk.this) {
        Objects.checkFromIndexSize(offset, count, target.length);
        checkUsable();
        if (position < 0 || position > content.length - count) {
          throw new EOFException(name + " ends before offset " + (position + count));
        }
        System.arraycopy(content.now, (int) position, target, offset, count);
      }
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int count) throws IOException {
      synchronized (MemDisk.this) {
        Objects.checkFromIndexSize(offset, count, bytes.length);
        checkUsable();
        checkSpace(Math.max(0, position + count - content.length));
        content.write(Math.toIntExact(position), bytes, offset, count);
      }
    }

    @Override
    public void truncate(long length) {
      synchronized (MemDisk.this) {
        checkUsable();
        content.truncate(Math.toIntExact(length));
      }
    }
  }
}
