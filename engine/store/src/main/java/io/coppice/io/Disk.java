// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.CorruptionException;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Access to the files of one directory of one store; code outside the packages {@code io} uses no
 * other port to them. Names are plain file names without separators. Another name throws
 * IllegalArgumentException, and a call after {@link #close} throws ClosedException. Implementations
 * are safe to share between threads; a file handle is used by one thread at a time unless its type
 * says otherwise.
 */
public interface Disk extends Closeable {

  /**
   * Creates an empty file for appending. The caller closes it. Its name is durable after {@link
   * #syncDirectory}.
   *
   * @throws java.nio.file.FileAlreadyExistsException if the name exists; the file is untouched
   */
  OutputFile create(String name) throws IOException;

  /**
   * Opens a finished file for reading. The caller closes it, also after the disk was closed.
   *
   * @throws java.nio.file.NoSuchFileException if it is missing
   */
  InputFile open(String name) throws IOException;

  /**
   * Opens a finished file for reading like {@link #open}, through a memory mapping if the disk
   * supports it and its mapping budget allows. The file must be complete, synced and never written
   * again.
   */
  InputFile map(String name) throws IOException;

  /** Opens or creates a file whose bytes are overwritten in place. The caller closes it. */
  SlotFile openSlots(String name) throws IOException;

  /**
   * Gives a file another name, atomically, and removes a file that has it; durable after {@link
   * #syncDirectory}.
   *
   * @throws IOException if it fails; which of the two files has the name may then be unknown
   */
  void rename(String from, String to) throws IOException;

  /** Removes a file; durable after {@link #syncDirectory}. A missing file is not an error. */
  void delete(String name) throws IOException;

  /** Returns all file names in any order. */
  List<String> list() throws IOException;

  /** Makes all earlier creations, renames and removals durable. */
  void syncDirectory() throws IOException;

  /** Returns the number of bytes that this process can still write to the file system. */
  long freeBytes() throws IOException;

  /** Returns the disk's name for messages, such as the directory's path. */
  String describe();

  /**
   * Returns the exception to report when a part of a file cannot be read.
   *
   * @return damage of the file, for the caller to throw
   * @throws IOException if even the directory cannot be listed, so that the whole disk has failed
   */
  default CorruptionException unread(String name, long offset, IOException cause)
      throws IOException {
    list();
    return new CorruptionException(name, offset, "it cannot be read: " + cause.getMessage(), cause);
  }

  /**
   * Links a finished file into another disk under the same name, without copying bytes. Each of the
   * two names can be deleted independently. Durable after the other disk's {@link #syncDirectory}.
   *
   * @return false if the two disks cannot share a file, so that the caller must copy it
   * @throws java.nio.file.FileAlreadyExistsException if the other disk has the name
   */
  default boolean link(String name, Disk target) throws IOException {
    return false;
  }

  /**
   * Keeps a second name, or a copy, durably, for a file that is about to be removed or replaced.
   * The name is in a directory {@code lost} that other operations do not show. It is the file's
   * name or, if that is taken there, the name and a number.
   */
  default void keepAside(String name) throws IOException {
    throw new IOException(describe() + " cannot keep a second name for " + name);
  }

  /**
   * Returns the identity of the file that has this name now, which differs from that of any earlier
   * or later file with the name. Uses no descriptor.
   *
   * @return null if the name is unused; {@link Stamp#UNKNOWN} if the disk cannot tell files apart
   */
  default Stamp stamp(String name) throws IOException {
    return Stamp.UNKNOWN;
  }

  /**
   * Opens a reader for batches of blocks, which the caller closes before the disk. If the disk
   * supports no parallel reads, the reader reads blocks one after another.
   *
   * @throws io.coppice.base.InvalidOptionsException if the requested kind does not work here
   */
  default BlockReader blockReader(BlockReaderOptions options) {
    return new SerialReader();
  }

  /**
   * Returns the random number that identifies this opening of the disk; 0 if there can be only one
   * owner.
   */
  default long owner() {
    return 0;
  }

  /**
   * Identity and state of a file.
   *
   * @param file the file's identity, independent of its name
   * @param modifiedNanos time of the last change of its bytes, by the disk's own clock
   * @param bytes its length
   */
  record Stamp(String file, long modifiedNanos, long bytes) {
    /** Stamp on a disk that cannot tell files apart. */
    public static final Stamp UNKNOWN = new Stamp("", 0, 0);
  }

  /** File that is only appended to. Used by one thread at a time. */
  interface OutputFile extends Closeable {
    /**
     * Appends bytes; returns after all of them are handed to the system.
     *
     * @throws IOException if it fails; any part of the bytes may then be in the file, and {@link
     *     #position} stays
     */
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** Returns the number of bytes in the file without preallocated space. */
    long position();

    /**
     * Cuts the file to a length, at most its present one; the next write continues there. The cut
     * may undo a write that failed for lack of space. It is durable after {@link #sync}.
     */
    void truncate(long length) throws IOException;

    /** Cuts off preallocated space after the written bytes, if the file has any. */
    default void cutAhead() throws IOException {}

    /**
     * Makes all written bytes durable, and waits for that. After a failure the file must not be
     * used again.
     */
    void sync() throws IOException;
  }

  /** File that no longer changes; safe to share between threads. */
  interface InputFile extends Closeable {
    /** Returns the file's name, without its directory. */
    String name();

    /** Returns the file's length in bytes. */
    long length();

    /**
     * Returns false if these bytes are probably not in memory, so that a read would wait for the
     * device. The estimate costs no system call.
     */
    default boolean likelyInMemory(long position, int length) {
      return true;
    }

    /** Returns whether reads of bytes in memory need no system call now. */
    default boolean mapped() {
      return false;
    }

    /**
     * Copies bytes out of the file. All access goes through this method: no code checksums or
     * parses a mapping in place.
     *
     * @throws java.io.EOFException if the file ends before {@code length} bytes
     * @throws io.coppice.base.ClosedException if the file is closed
     * @throws IOException if the bytes cannot be read; the target may be overwritten in part
     */
    void read(long position, byte[] target, int offset, int length) throws IOException;
  }

  /** File whose bytes are rewritten in place, by one thread at a time. */
  interface SlotFile extends InputFile {
    /**
     * Overwrites bytes, extending the file if needed. After a failure any part of them may be
     * written.
     */
    void write(long position, byte[] bytes, int offset, int length) throws IOException;

    /** Cuts the file to a length, at most its present one. */
    void truncate(long length) throws IOException;

    /** Makes all written bytes durable. */
    void sync() throws IOException;
  }
}
