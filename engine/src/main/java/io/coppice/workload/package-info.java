// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * What {@code db_bench} writes and how it counts: keys, values and draws that a seed decides.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.workload;
