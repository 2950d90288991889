// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Directories of a store: real, read-only, guarded against failed syncs, locked against other
 * processes. A path comes in, a {@code Disk} goes out.
 *
 * <p>Only this package implements the sync of a directory and reads the limits of the host's
 * memory. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.io.disk;
