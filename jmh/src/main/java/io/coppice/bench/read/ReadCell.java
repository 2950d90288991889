// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.Locale;

/**
 * A measurement: an operation with a number of clients and an amount of memory. Each of its sides
 * has its own process.
 */
record ReadCell(Memory memory, ReadOperation operation, int clients) {

  /** Memory that the processes of a measurement may use. */
  enum Memory {
    /** All memory of the machine. */
    UNLIMITED("peer"),
    /** Memory of a control group with room for all data. */
    FITS("memory_fits"),
    /** Memory of a control group with room for a fourth of the data. */
    FOURTH("memory_4x");

    private final String prefix;

    Memory(String prefix) {
      this.prefix = prefix;
    }

    boolean limited() {
      return this != UNLIMITED;
    }

    /** Returns the memory limit of the group in bytes. */
    long limitBytes(ReadScale scale) {
      return this == FITS ? scale.fittingBytes() : scale.groupBytes();
    }
  }

  /**
   * Parses an id, such as {@code memory_4x_hit_8}.
   *
   * @throws IllegalArgumentException if it is no id of a measurement
   */
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

  /** Returns the id in messages between processes. */
  String id() {
    return memory.prefix + "_" + operation.name().toLowerCase(Locale.ROOT) + "_" + clients;
  }
}
