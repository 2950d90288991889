// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/** How finished tables are read. */
public enum ReadMode {
  /** Bytes are copied out of read-only mappings; the default. */
  MMAP,
  /** Bytes are read at positions; no page of the process is ever backed by a file of the store. */
  READ
}
