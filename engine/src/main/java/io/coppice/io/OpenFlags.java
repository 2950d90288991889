// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/** Flags of the system call that opens a file, whose numbers differ between processors. */
record OpenFlags(int direct, int noFollow) {

  private static final int CLOSE_ON_EXEC = 0x80000;

  /** Of this machine. */
  static final OpenFlags NATIVE =
      System.getProperty("os.arch").equals("aarch64")
          ? new OpenFlags(0x10000, 0x8000)
          : new OpenFlags(0x4000, 0x20000);

  /** To read a file, not through a link, hidden from programs that this process starts. */
  int reading(boolean pastTheCache) {
    return CLOSE_ON_EXEC | noFollow | (pastTheCache ? direct : 0);
  }
}
