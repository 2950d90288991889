// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Counts, latencies and samples of reads. Observations of lookups come in, totals and the search
 * width go out. Recording takes no lock. Records, enums and exceptions are safe to share between
 * threads.
 */
package io.coppice.read.stats;
