// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** The write-ahead log: groups of batches to records and back. */
package io.coppice.wal;
