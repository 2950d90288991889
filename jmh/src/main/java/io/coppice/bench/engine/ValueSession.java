// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Reads of a peer that hands values over as arrays; it holds nothing that must be closed. */
final class ValueSession implements ReadSession {

  private final UnaryOperator<byte[]> lookup;
  private final Supplier<Scan> scans;
  private byte[] value;

  /**
   * Takes how the peer reads.
   *
   * @param lookup the value of a key, or null
   */
  ValueSession(UnaryOperator<byte[]> lookup, Supplier<Scan> scans) {
    this.lookup = lookup;
    this.scans = scans;
  }

  @Override
  public int get(byte[] key) {
    value = lookup.apply(key);
    return value == null ? -1 : value.length;
  }

  @Override
  public boolean found(byte[] pool, int from, int length) {
    return Found.is(value, pool, from, length);
  }

  @Override
  public Scan scan() {
    return scans.get();
  }

  @Override
  public void close() {
    // All it reads through is the store's.
  }
}
