// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

/** Options that the engine keeps to itself, for benchmarks. */
public final class Uncounted {

  private Uncounted() {}

  /** Has a store neither count nor sample its lookups, nor count what it accepts. */
  public static StoreOptions.Builder of(StoreOptions.Builder options) {
    return options.counting(false);
  }
}
