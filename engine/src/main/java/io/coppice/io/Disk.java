// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.CorruptionException;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * The only door to files: one directory of one store. Names are plain file names without
 * separators. Implementations are safe to share between threads; a single file handle is used by
 * one thread at a time unless it says otherwise.
 */
public interface Disk extends Closeable {

  /**
   * Creates a file for appending.
   *
   * @throws java.nio.file.FileAlreadyExistsException if the name exists
   */
  OutputFile create(String name) throws IOException;

  /**
   * Opens a finished file for reading.
   *
   * @throws java.nio.file.NoSuchFileException if it is missing
   */
  InputFile open(String name) throws IOException;

  /**
   * Opens a finished file for reading as {@link #open}, through a memory mapping where the disk has
   * them and its budget of mappings allows. Only files that are complete, synced and never written
   * again may be opened so.
   */
  InputFile map(String name) throws IOException;

  /** Opens or creates a file whose bytes are overwritten in place, in units of whole slots. */
  SlotFile openSlots(String name) throws IOException;

  /** Replaces {@code to} by {@code from}, atomically; durable after {@link #syncDirectory}. */
  void rename(String from, String to) throws IOException;

  /** Removes a file; durable after {@link #syncDirectory}. A missing file is not an error. */
  void delete(String name) throws IOException;

  /** All file names, in no particular order. */
  List<String> list() throws IOException;

  /** Makes creations, renames and removals so far durable. */
  void syncDirectory() throws IOException;

  /** Bytes that may still be written. */
  long freeBytes() throws IOException;

  /** A name for messages, such as the directory's path. */
  String describe();

  /**
   * Reports a place of a file that cannot be read as damaged.
   *
   * @throws IOException if it is the whole disk that fails
   */
  default CorruptionException unread(String name, long offset, IOException cause)
      throws IOException {
    list();
    return new CorruptionException(name, offset, "it cannot be read: " + cause.getMessage(), cause);
  }

  /**
   * Gives a finished file a second name, on another disk: the same name as here. No byte is copied,
   * and each of the names may be deleted alone. Durable after the other disk's {@link
   * #syncDirectory}.
   *
   * @return false if that is not possible between the two, so that the bytes have to be copied
   * @throws java.nio.file.FileAlreadyExistsException if the other disk has the name
   */
  default boolean link(String name, Disk target) throws IOException {
    return false;
  }

  /**
   * Keeps a second name, durably, for a file that is about to be removed or replaced: in a
   * directory {@code lost} that no other operation shows, under the file's name or, if that is
   * taken there, the name and a number.
   */
  default void keepAside(String name) throws IOException {
    throw new IOException(describe() + " has no place aside");
  }

  /**
   * Tells the file that has this name now from any other that had it or will have it. Takes no
   * descriptor.
   *
   * @return null if no file has the name; {@link Stamp#UNKNOWN} where the disk cannot tell
   */
  default Stamp stamp(String name) throws IOException {
    return Stamp.UNKNOWN;
  }

  /**
   * Opens what reads blocks of this disk's files at once; closed before the disk is. Where nothing
   * can be read at once they are read one after another.
   *
   * @throws io.coppice.base.InvalidOptionsException if the kind asked for does not work here
   */
  default BlockReader blockReader(BlockReaderOptions options) {
    return new SerialReader();
  }

  /** A number drawn at random when the disk was opened; 0 where there can be one owner only. */
  default long owner() {
    return 0;
  }

  /**
   * Which file a name stands for, and in which state.
   *
   * @param file the file's identity, whatever its name
   * @param modifiedNanos when its bytes were changed, of a clock of the disk's own
   * @param bytes its length
   */
  record Stamp(String file, long modifiedNanos, long bytes) {
    /** Of a disk that cannot tell files apart. */
    public static final Stamp UNKNOWN = new Stamp("", 0, 0);
  }

  /** An append-only file. Used by one thread at a time. */
  interface OutputFile extends Closeable {
    /** Appends; returns only after all bytes are handed to the system. */
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** Bytes written so far. */
    long position();

    /**
     * Cuts off what lies behind this length, which is at most the file's; appending goes on there.
     * That may undo a write which failed for lack of space, and is durable after {@link #sync}.
     */
    void truncate(long length) throws IOException;

    /**
     * Cuts off what the file has behind what was written, if it is one that takes its room ahead.
     */
    default void cutAhead() throws IOException {}

    /** Makes all bytes written so far durable. After a failure the file must not be used again. */
    void sync() throws IOException;
  }

  /** A file that no longer changes; safe to share between threads. */
  interface InputFile extends Closeable {
    /** The file's name. */
    String name();

    /** The file's length in bytes. */
    long length();

    /**
     * False if these bytes are probably not in memory, so that reading them waits for the device. A
     * guess that costs nothing.
     */
    default boolean likelyInMemory(long position, int length) {
      return true;
    }

    /** True if bytes that are in memory are at present read without a call of the system. */
    default boolean mapped() {
      return false;
    }

    /**
     * Copies bytes out of the file. This is the only way to its bytes: nothing may checksum or
     * parse a mapping in place.
     *
     * @throws java.io.EOFException if the file ends before {@code length} bytes
     */
    void read(long position, byte[] target, int offset, int length) throws IOException;
  }

  /** A file of slots that are rewritten in place, by one thread at a time. */
  interface SlotFile extends InputFile {
    /** Overwrites bytes, extending the file where needed. */
    void write(long position, byte[] bytes, int offset, int length) throws IOException;

    /** Cuts off what lies behind this length, which is at most the file's. */
    void truncate(long length) throws IOException;

    /** Makes all bytes written so far durable. */
    void sync() throws IOException;
  }
}
