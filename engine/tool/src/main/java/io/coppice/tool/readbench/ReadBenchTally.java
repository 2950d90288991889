// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import io.coppice.workload.LatencyHistogram;

/**
 * The counts of one way to read for one load. Used by one thread; tallies are added up afterwards.
 */
final class ReadBenchTally {

  /** The latencies of the queries. */
  final LatencyHistogram latencies = new LatencyHistogram();

  /** Number of blocks requested. */
  long blocks;

  /** Duration of its rounds; unused in the tally of a single client. */
  long nanos;

  /** Bytes that devices have read for this process during its rounds; negative if unknown. */
  long deviceBytes;

  void add(ReadBenchTally client) {
    latencies.add(client.latencies);
    blocks += client.blocks;
  }
}
