// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import java.util.function.BooleanSupplier;

/**
 * Condition on a key that decides whether a batch is committed. It is evaluated when every earlier
 * batch is visible and no later one is, possibly in another thread than the batch's writer.
 *
 * @param key the only key whose value decides; unchanged until the commit ends
 * @param holds tells from the newest visible state whether to commit; its exception fails its batch
 *     alone
 */
public record Precondition(byte[] key, BooleanSupplier holds) {}
