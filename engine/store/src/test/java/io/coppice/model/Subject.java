// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.io.IOException;

/**
 * Something that carries out operations: the model, a store, another store. All of them must show
 * the same answers. An operation on a slot that is not open shows nothing, so that any part of a
 * load is a load.
 */
public interface Subject extends AutoCloseable {

  /** Slots for snapshots and as many for cursors. */
  int SLOTS = 4;

  /**
   * Carries out one operation.
   *
   * @param index its place in the load
   * @param answer receives what it shows; empty before
   */
  void apply(int index, Op op, Answer answer) throws Exception;

  @Override
  void close() throws IOException;
}
