// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import io.coppice.simulator.Fidelity;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.tool.cli.ByteText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results of several policies for the same load.
 *
 * @param load any of the scenarios; they differ in the policy
 * @param reports by the policy's text as it was typed, in the typed order
 */
record PolicyComparison(Scenario load, Map<String, SimulationReport> reports) {

  /** Returns the names with their reports, in the order of the lists, which have equal lengths. */
  static Map<String, SimulationReport> pair(List<String> names, List<SimulationReport> reports) {
    Map<String, SimulationReport> pairs = new LinkedHashMap<>();
    for (int i = 0; i < reports.size(); i++) {
      pairs.put(names.get(i), reports.get(i));
    }
    return pairs;
  }

  /** Returns a description of the load for people. */
  String loadText() {
    return load.workload()
        + " · "
        + ByteText.format(load.dataBytes())
        + " of data, "
        + ByteText.format(load.writeBytes())
        + " written · entries of "
        + load.entryBytes()
        + " B · memtable "
        + ByteText.format(load.memtableBytes());
  }

  /** Returns a description of the method of the simulation for people. */
  String methodText() {
    StringBuilder text = new StringBuilder();
    text.append(load.fidelity() == Fidelity.EXACT ? "key-exact" : "classes");
    text.append(" · rule ").append(load.rule().name().toLowerCase(Locale.ROOT));
    text.append(" · ").append(load.filterBits()).append(" filter bits");
    if (load.readsPerWrite() > 0) {
      text.append(" · ").append(load.readsPerWrite()).append(" reads a write");
    }
    if (load.transientBytes() != Long.MAX_VALUE) {
      text.append(" · transient space at most ").append(ByteText.format(load.transientBytes()));
    }
    return text.append(" · seed ").append(load.seed()).toString();
  }
}
