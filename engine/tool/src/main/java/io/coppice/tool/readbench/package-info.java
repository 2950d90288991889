// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command {@code read-bench}, which measures block readers on a device. Files and queue depths
 * come in, rates and latencies go out.
 *
 * <p>It writes no file. The files that it reads are the user's. Records, enums and exceptions are
 * safe to share between threads.
 */
package io.coppice.tool.readbench;
