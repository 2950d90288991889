// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Sides of Coppice that do the same work in turn, in one process.
 *
 * @param id name in messages between processes
 * @param sides at least one
 */
record Contest(String id, ReadOperation operation, int clients, List<Side> sides) {

  /**
   * One side of a contest.
   *
   * @param scheme name of a search scheme
   */
  record Side(String name, Variant variant, String scheme) {}

  static final String SERIAL = "serial";
  static final String SERIAL_MAPPED = "serial_mapped";
  static final String FIXED = "fixed";
  static final String PRIORITY = "priority";
  static final String ADAPTIVE = "adaptive";

  /** All schemes but the adaptive one. */
  static final List<String> FIXED_SCHEMES = List.of(SERIAL, SERIAL_MAPPED, FIXED, PRIORITY);

  /** Client counts of the measured rows. */
  static final List<Integer> CLIENTS = List.of(1, 8);

  static final List<Contest> ALL = all();

  private static List<Contest> all() {
    List<Contest> all = new ArrayList<>();
    for (int clients : CLIENTS) {
      for (ReadOperation operation : List.of(ReadOperation.MISS, ReadOperation.HIT)) {
        all.add(schemes(operation, clients, Variant.DIRECT_OFF, Variant.MAPPED_OFF));
        all.add(schemes(operation, clients, Variant.DIRECT_ON, Variant.MAPPED_ON));
        all.add(schemes(operation, clients, Variant.HOT_OFF, null));
        all.add(schemes(operation, clients, Variant.HOT_ON, null));
        all.add(filters(operation, clients));
      }
      all.add(readers(clients));
      all.add(seeks(ReadOperation.SEEK, clients));
      all.add(seeks(ReadOperation.SEEK50, clients));
      all.add(seeks(ReadOperation.PREV50, clients));
    }
    all.add(schemesOfForest(ReadOperation.HIT));
    all.add(schemesOfForest(ReadOperation.MISS));
    return List.copyOf(all);
  }

  /** The contest of all schemes. */
  static String schemesId(Variant variant, ReadOperation operation, int clients) {
    return variant.label() + "_" + label(operation) + "_" + clients;
  }

  static String filtersId(ReadOperation operation, int clients) {
    return "filters_" + label(operation) + "_" + clients;
  }

  static String readersId(int clients) {
    return "readers_" + clients;
  }

  static String seeksId(ReadOperation operation, int clients) {
    return "cold_" + label(operation) + "_" + clients;
  }

  private static String label(ReadOperation operation) {
    return operation.name().toLowerCase(Locale.ROOT);
  }

  private static Contest schemes(
      ReadOperation operation, int clients, Variant variant, Variant mapped) {
    List<Side> sides = new ArrayList<>();
    sides.add(new Side(SERIAL, variant, "SERIAL"));
    if (mapped != null) {
      sides.add(new Side(SERIAL_MAPPED, mapped, "SERIAL"));
    }
    sides.add(new Side(FIXED, variant, "FIXED_COUNT"));
    sides.add(new Side(PRIORITY, variant, "PRIORITY_AWARE"));
    sides.add(new Side(ADAPTIVE, variant, "ADAPTIVE"));
    return new Contest(schemesId(variant, operation, clients), operation, clients, sides);
  }

  private static Contest schemesOfForest(ReadOperation operation) {
    return new Contest(
        schemesId(Variant.HOT_FOREST, operation, 1),
        operation,
        1,
        List.of(
            new Side(SERIAL, Variant.HOT_FOREST, "SERIAL"),
            new Side(ADAPTIVE, Variant.HOT_FOREST, "ADAPTIVE")));
  }

  private static Contest filters(ReadOperation operation, int clients) {
    return new Contest(
        filtersId(operation, clients),
        operation,
        clients,
        List.of(
            new Side("on", Variant.DIRECT_ON, "ADAPTIVE"),
            new Side("off", Variant.DIRECT_OFF, "ADAPTIVE")));
  }

  private static Contest readers(int clients) {
    return new Contest(
        readersId(clients),
        ReadOperation.MISS,
        clients,
        List.of(
            new Side("ring", Variant.RING_OFF, "FIXED_COUNT"),
            new Side("pool", Variant.POOL_OFF, "FIXED_COUNT")));
  }

  private static Contest seeks(ReadOperation operation, int clients) {
    return new Contest(
        seeksId(operation, clients),
        operation,
        clients,
        List.of(
            new Side(SERIAL, Variant.DIRECT_OFF, "SERIAL"),
            new Side(ADAPTIVE, Variant.DIRECT_OFF, "ADAPTIVE")));
  }

  static Contest named(String id) {
    return ALL.stream().filter(contest -> contest.id().equals(id)).findFirst().orElseThrow();
  }

  /** Returns whether most operations of one of its sides wait for the device. */
  boolean waits() {
    return cold()
        && (operation != ReadOperation.MISS
            || sides.stream().anyMatch(side -> !side.variant().filters()));
  }

  /** Returns whether its sides measure cold stores, which share no process with the others. */
  boolean cold() {
    return sides.get(0).variant().temperature() != Variant.Temperature.HOT;
  }
}
