// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.Locale;

/** An operation that sides do, each in its own process, with a given amount of memory. */
record ReadCell(Memory memory, ReadOperation operation, int clients) {

  /** Memory of the processes. */
  enum Memory {
    /** All memory that the machine has. */
    UNLIMITED("peer"),
    /** A memory group with room for all data. */
    FITS("memory_fits"),
    /** A memory group with room for a fourth of the data. */
    FOURTH("memory_4x");

    private final String prefix;

    Memory(String prefix) {
      this.prefix = prefix;
    }

    boolean limited() {
      return this != UNLIMITED;
    }

    /** Returns the limit of the group. */
    long limitBytes(ReadScale scale) {
      return this == FITS ? scale.fittingBytes() : scale.groupBytes();
    }
  }

  /** Parses an id, such as {@code memory_4x_hit_8}. */
  static ReadCell named(String id) {
    for (Memory memory : Memory.values()) {
      if (id.startsWith(memory.prefix)) {
        String[] words = id.substring(memory.prefix.length() + 1).split("_");
        ReadOperation operation = ReadOperation.valueOf(words[0].toUpperCase(Locale.ROOT));
        return new ReadCell(memory, operation, Integer.parseInt(words[1]));
      }
    }
    throw new IllegalArgumentException("no cell is " + id);
  }

  /** Returns the name between the processes. */
  String id() {
    return memory.prefix + "_" + operation.name().toLowerCase(Locale.ROOT) + "_" + clients;
  }
}
