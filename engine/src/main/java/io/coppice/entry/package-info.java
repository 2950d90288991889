// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Entries (user key, sequence number, kind, value), cursors over them, and their merge.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.entry;
