// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Immutable sorted tables: block files with an index, their filters and the block cache.
 *
 * <p>In: sorted entries, lookups, cursor moves. Out: {@link io.coppice.table.TableMeta}, entries.
 * Finished table files are never modified; a change of their bytes needs a new format number.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.table;
