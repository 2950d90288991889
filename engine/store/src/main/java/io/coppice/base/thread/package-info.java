// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Threads: background workers, locks that check the remaining stack, reference counts, counters.
 *
 * <p>In: tasks of the caller. Out: nothing; all classes may be used by several threads at once.
 * Nothing here knows stores or files. Records, enums and exceptions are safe to share between
 * threads.
 */
@NullMarked
package io.coppice.base.thread;

import org.jspecify.annotations.NullMarked;
