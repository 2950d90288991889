// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.Closeable;
import java.io.IOException;

/**
 * What readers of blocks have opened for one file, one thing each; closed with the file. Safe to
 * share between threads.
 */
final class Attachments {

  private record Attachment(Object owner, Closeable what, Attachment next) {}

  private volatile Attachment first;
  private boolean closed;

  /** What this owner has attached, or null. */
  Closeable of(Object owner) {
    for (Attachment each = first; each != null; each = each.next) {
      if (each.owner == owner) {
        return each.what;
      }
    }
    return null;
  }

  /**
   * Attaches what is closed with the file from now on. The caller holds the file.
   *
   * @return false if the owner has attached something already
   */
  synchronized boolean attach(Object owner, Closeable what) {
    assert !closed : "the file is closed";
    if (of(owner) != null) {
      return false;
    }
    first = new Attachment(owner, what, first);
    return true;
  }

  /** Closes what was opened twice; nothing was written to it, so a failure means nothing. */
  static void closeQuietly(Closeable what) {
    try {
      what.close();
    } catch (IOException e) {
      System.getLogger("io.coppice.Store")
          .log(System.Logger.Level.WARNING, "a file could not be closed", e);
    }
  }

  /** Closes all, when nobody holds the file any more. */
  synchronized void close() throws IOException {
    closed = true;
    IOException failure = null;
    for (Attachment each = first; each != null; each = each.next) {
      try {
        each.what.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    first = null;
    if (failure != null) {
      throw failure;
    }
  }
}
