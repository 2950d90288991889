// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** The read journey: views over memtables and a leased version, point lookups, range cursors. */
package io.coppice.read;
