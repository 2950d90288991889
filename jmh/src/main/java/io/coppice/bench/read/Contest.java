// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.report.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Comparison of several variants of Coppice, its <em>sides</em>, which do the same work in turn in
 * one process.
 *
 * @param id name in messages between processes
 * @param operation work of all sides
 * @param clients number of client threads
 * @param sides at least one
 */
record Contest(String id, ReadOperation operation, int clients, List<Side> sides) {

  /**
   * One side of a contest.
   *
   * @param name name in the report's rows
   * @param variant way to open the store
   * @param scheme name of a search scheme
   */
  record Side(String name, Variant variant, String scheme) {

    private static Side parse(String text) {
      String[] words = text.split(":");
      return new Side(words[0], Variant.named(words[1]), upper(words[2]));
    }
  }

  private record Line(
      String id, List<String> operations, List<String> clients, List<String> sides) {}

  static final List<Contest> ALL = all();

  private static List<Contest> all() {
    List<Contest> all = new ArrayList<>();
    for (Line line : DataTable.rows(Line.class, "contests.txt")) {
      List<Side> sides = line.sides.stream().map(Side::parse).toList();
      for (String clients : line.clients) {
        for (String operation : line.operations) {
          int count = Integer.parseInt(clients);
          String id = line.id.formatted(operation, count);
          all.add(new Contest(id, ReadOperation.valueOf(upper(operation)), count, sides));
        }
      }
    }
    return List.copyOf(all);
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  static Contest named(String id) {
    return ALL.stream().filter(contest -> contest.id().equals(id)).findFirst().orElseThrow();
  }

  /** Returns whether most operations of one of the sides wait for the device. */
  boolean waits() {
    return cold()
        && (operation != ReadOperation.MISS
            || sides.stream().anyMatch(side -> !side.variant().filters()));
  }

  /**
   * Returns whether the blocks of the sides must be outside memory. Such contests share no process
   * with others.
   */
  boolean cold() {
    return sides.get(0).variant().temperature() != Variant.Temperature.HOT;
  }
}
