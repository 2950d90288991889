// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.workload.Latencies;

/** What a way to read did in one cell. Used by one thread; tallies are added up afterwards. */
final class ReadBenchTally {

  /** Of the queries. */
  final Latencies latencies = new Latencies();

  /** That were asked for. */
  long blocks;

  /** How long its rounds took; not of a single client. */
  long nanos;

  /** That this process had the device read meanwhile; below 0 where nobody knows. */
  long deviceBytes;

  void add(ReadBenchTally client) {
    latencies.add(client.latencies);
    blocks += client.blocks;
  }
}
