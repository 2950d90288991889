// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** The immutable table: a sorted file of blocks with its index, and the filters of all tables. */
package io.coppice.table;
