// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The write-ahead log: groups of batches to records and back.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.wal;
