// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** What {@code db_bench} writes and how it counts: keys, values and draws that a seed decides. */
package io.coppice.workload;
