// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command {@code console-cost}: the processor time that the console's requests cost a node or a
 * store with many tables.
 */
package io.coppice.bench.consolecost;
