// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The read journey: views over memtables and a leased version, point lookups, range cursors.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.read;
