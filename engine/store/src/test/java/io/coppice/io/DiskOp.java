// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.disk.CallSite;

/**
 * One operation that changed a disk.
 *
 * @param kind what was done
 * @param file the file's identity on its disk, kept over renames; -1 where there is none
 * @param name the file's name when it was done; "" for the directory
 * @param other the new name of a rename; otherwise ""
 * @param position where bytes were written, or the length after a truncation
 * @param bytes what was written, not to be changed; empty otherwise
 * @param site the line of the engine that did it
 * @param least so many writes were acknowledged as durable before it
 * @param most so many writes had begun before it
 */
public record DiskOp(
    Kind kind,
    int file,
    String name,
    String other,
    long position,
    byte[] bytes,
    CallSite site,
    long least,
    long most) {

  /** What can be done. */
  public enum Kind {
    /** A file came into being, empty. */
    CREATE,
    /** A file that was there was opened to be written; that changes nothing yet. */
    OPEN,
    /** Bytes were appended or overwritten. */
    WRITE,
    /** Bytes at the end were cut off. */
    TRUNCATE,
    /** A file's bytes were made durable. */
    SYNC,
    /** A name was exchanged for another. */
    RENAME,
    /** A name was removed. */
    DELETE,
    /** Names were made durable. */
    SYNC_DIRECTORY,
    /** A file got a second name that no other operation shows; durable at once. */
    KEEP_ASIDE
  }

  @Override
  public String toString() {
    return kind
        + " "
        + name
        + (other.isEmpty() ? "" : " to " + other)
        + (kind == Kind.WRITE ? " " + bytes.length + " bytes at " + position : "")
        + " by "
        + site;
  }
}
