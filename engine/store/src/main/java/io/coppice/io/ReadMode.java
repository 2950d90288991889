// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

/** Ways to read finished tables. */
public enum ReadMode {
  /** Copies out of read-only mappings; the default. */
  MMAP,
  /** Positional reads, so that a file of the store never backs memory of the process. */
  READ
}
