// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import java.util.function.BooleanSupplier;

/**
 * What must hold of a key for a batch to be committed. It is asked when every earlier batch is
 * visible and no later one is, perhaps by another thread than that which waits for the batch.
 *
 * @param key the only key whose value decides; not changed while the batch is on its way
 * @param holds reads the newest visible state; what it throws fails its batch alone
 */
public record Precondition(byte[] key, BooleanSupplier holds) {}
