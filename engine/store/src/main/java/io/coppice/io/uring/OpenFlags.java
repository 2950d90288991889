// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.uring;

/**
 * Flags of the system call that opens a file; their numbers differ between processors.
 *
 * @param direct bypass of the page cache
 * @param noFollow failure at a symbolic link
 */
public record OpenFlags(int direct, int noFollow) {

  private static final int CLOSE_ON_EXEC = 0x80000;

  /** Flags of the processor that runs this program. */
  public static final OpenFlags NATIVE =
      System.getProperty("os.arch").equals("aarch64")
          ? new OpenFlags(0x10000, 0x8000)
          : new OpenFlags(0x4000, 0x20000);

  /**
   * Returns the flags to open a file for reading, not through a link, and closed in child
   * processes.
   *
   * @param pastTheCache whether reads bypass the page cache
   */
  public int reading(boolean pastTheCache) {
    return CLOSE_ON_EXEC | noFollow | (pastTheCache ? direct : 0);
  }
}
