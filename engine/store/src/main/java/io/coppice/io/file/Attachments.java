// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;

/**
 * Resources that block readers have opened for one file, one per reader, closed with the file. Safe
 * to share between threads.
 */
public final class Attachments {

  private record Attachment(Object owner, Closeable what, Attachment next) {}

  private volatile Attachment first;

  @GuardedBy("this")
  private boolean closed;

  /** Returns the resource that an owner has attached, or null. */
  public Closeable of(Object owner) {
    for (Attachment each = first; each != null; each = each.next) {
      if (each.owner == owner) {
        return each.what;
      }
    }
    return null;
  }

  /**
   * Attaches a resource, which is closed with the file. The caller keeps the file open during the
   * call.
   *
   * @return false if the owner has attached a resource before; the caller then closes the new one
   */
  public synchronized boolean attach(Object owner, Closeable what) {
    assert !closed : "the file is closed";
    if (of(owner) != null) {
      return false;
    }
    first = new Attachment(owner, what, first);
    return true;
  }

  /**
   * Closes a resource that another thread attached first. Nothing was written to it, so a failure
   * is only logged.
   */
  public static void closeQuietly(Closeable what) {
    try {
      what.close();
    } catch (IOException e) {
      System.getLogger("io.coppice.Store")
          .log(System.Logger.Level.WARNING, "a file could not be closed", e);
    }
  }

  /**
   * Closes all resources, after the last user of the file has left. Goes on after a failure, and
   * throws the last one.
   */
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
