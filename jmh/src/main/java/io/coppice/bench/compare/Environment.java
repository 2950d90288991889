// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.cassandra.JavaHome;
import io.coppice.bench.suite.Machine;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * The machine as it was before the first node.
 *
 * @param cassandra version of Cassandra's jar
 * @param machine as every suite names it
 * @param load the load average of the last minute, negative where the system has none
 */
record Environment(
    String cassandra, String nodeJava, int cores, double load, String system, Machine machine) {

  static Environment now(JavaHome java, String cassandra) {
    var facts = ManagementFactory.getOperatingSystemMXBean();
    return new Environment(
        cassandra,
        java.version(),
        facts.getAvailableProcessors(),
        facts.getSystemLoadAverage(),
        facts.getName() + " " + facts.getVersion() + " " + facts.getArch(),
        Machine.now());
  }

  /** More is running here than there are cores. */
  boolean isBusy() {
    return load > cores;
  }

  String header(CompareOptions options) {
    return String.format(
        Locale.ROOT,
        "coppice compare · Cassandra %s · scale %s · JDK %s · %d cores · load %.1f%s · seed %d",
        cassandra,
        options.scale().name(),
        nodeJava,
        cores,
        Math.max(0, load),
        isBusy() ? " (busy machine)" : "",
        options.seed());
  }
}
