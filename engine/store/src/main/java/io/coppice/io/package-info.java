// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Access to the disk: files and their headers, record logs, page residency, block readers.
 *
 * <p>In: names, bytes, read requests. Out: bytes, durability, typed failures. Only this package
 * opens files, and no mapping leaves it.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.io;
