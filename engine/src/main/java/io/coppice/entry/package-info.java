// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** Entries (user key, sequence number, kind, value), cursors over them, and their merge. */
package io.coppice.entry;
