// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * One block of a table: its layout, codec, cursor, the block index and off-heap memory. Entries
 * come in, checksummed bytes go out, and back.
 *
 * <p>Layouts are frozen by {@code docs/formats}. The package opens no file. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.table.block;
