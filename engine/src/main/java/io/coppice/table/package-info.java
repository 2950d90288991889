// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The immutable table: a sorted file of blocks with its index, and the filters of all tables.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.table;
