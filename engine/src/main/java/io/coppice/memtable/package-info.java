// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** The off-heap sorted buffer that takes writes until it is flushed. */
package io.coppice.memtable;
