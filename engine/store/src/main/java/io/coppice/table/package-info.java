// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Immutable tables: writing, opening, lookups, cursors and the file of all filters. Sorted entries
 * come in, tables go out.
 *
 * <p>A table never changes. Its readers hold it open through {@code OpenTables}. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.table;
