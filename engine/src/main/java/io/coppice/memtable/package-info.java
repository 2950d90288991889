// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The off-heap sorted buffer that takes writes until it is flushed.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.memtable;
