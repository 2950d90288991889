// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One operation that sides do in a memory group, each in a process of its own.
 *
 * @param fits whether the group has room for all data, or for a fourth of it
 */
record GroupedCell(boolean fits, ReadOperation operation, int clients) {

  /** Prefix of every id. */
  static final String PREFIX = "memory_";

  /** Factor of the data in a group that fits all data, because stores hold garbage. */
  private static final int ROOM = 3;

  static final List<GroupedCell> ALL = all();

  private static List<GroupedCell> all() {
    List<GroupedCell> all = new ArrayList<>();
    for (boolean fits : new boolean[] {true, false}) {
      for (ReadOperation operation :
          List.of(ReadOperation.HIT, ReadOperation.MISS, ReadOperation.SEEK10)) {
        for (int clients : Contest.CLIENTS) {
          all.add(new GroupedCell(fits, operation, clients));
        }
      }
    }
    return List.copyOf(all);
  }

  /** Names it between the processes. */
  String id() {
    return id(fits, operation, clients);
  }

  static String id(boolean fits, ReadOperation operation, int clients) {
    return PREFIX
        + (fits ? "fits_" : "4x_")
        + operation.name().toLowerCase(Locale.ROOT)
        + "_"
        + clients;
  }

  static GroupedCell named(String id) {
    return ALL.stream().filter(cell -> cell.id().equals(id)).findFirst().orElseThrow();
  }

  /** Returns the limit of the group. */
  static long limitBytes(boolean fits, ReadScale scale) {
    return scale.groupBytes() + (fits ? ROOM * scale.groupedBytes() : 0);
  }
}
