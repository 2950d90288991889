// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Bytes: key order, integers of variable length, checksums, readers and writers of records, and
 * readable text of keys and names.
 *
 * <p>In and out: byte arrays and buffers that belong to the caller. Nothing here knows stores or
 * files. Records, enums and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.base.bytes;

import org.jspecify.annotations.NullMarked;
