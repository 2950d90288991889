// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Verification, dump and salvage of table files. A file comes in, a report or the surviving entries
 * go out.
 *
 * <p>Only salvage writes, and it writes new files alone. Records, enums and exceptions are safe to
 * share between threads.
 */
package io.coppice.table.check;
