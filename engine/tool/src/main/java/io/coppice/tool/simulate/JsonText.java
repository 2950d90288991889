// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import java.util.Locale;

/**
 * The results of a simulation as one JSON document. Published names never change. Missing metrics
 * are null, amplifications are ratios, and bytes are whole numbers.
 */
public final class JsonText {

  // A simulated ratio has no meaning beyond six decimal places.
  private static final double MILLIONTHS = 1e6;

  private JsonText() {}

  /** Returns the document, which ends with a line break. */
  static String of(PolicyComparison found) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    scenario(root.putObject("scenario"), found.load());
    ArrayNode runs = root.putArray("runs");
    found.reports().forEach((policy, report) -> run(runs.addObject(), policy, report));
    try {
      return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(root)
          + "\n";
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of plain values", e);
    }
  }

  private static void scenario(ObjectNode node, Scenario load) {
    node.put("workload", load.workload().toString());
    node.put("data_bytes", load.dataBytes());
    node.put("write_bytes", load.writeBytes());
    node.put("memtable_bytes", load.memtableBytes());
    node.put("entry_bytes", load.entryBytes());
    node.put("filter_bits", load.filterBits());
    node.put("rule", load.rule().name().toLowerCase(Locale.ROOT));
    node.put("reads_per_write", load.readsPerWrite());
    if (load.transientBytes() == Long.MAX_VALUE) {
      node.putNull("max_transient_bytes");
    } else {
      node.put("max_transient_bytes", load.transientBytes());
    }
    node.put("seed", load.seed());
  }

  private static void run(ObjectNode run, String policy, SimulationReport report) {
    figures(run, policy, report);
    ArrayNode samples = run.putArray("samples");
    for (SimulationReport.Sample sample : report.samples()) {
      ObjectNode node = samples.addObject();
      node.put("user_bytes", sample.userBytes());
      node.put("live_bytes", sample.liveBytes());
      node.put("disk_bytes", sample.diskBytes());
      node.put("written_bytes", sample.writtenBytes());
      node.put("runs", sample.runs());
    }
  }

  /** Adds the figures of one run, without its samples. */
  public static void figures(ObjectNode run, String policy, SimulationReport report) {
    run.put("policy", policy);
    run.put("spec", report.policy());
    run.put("fidelity", report.fidelity().name().toLowerCase(Locale.ROOT));
    put(run, "wa", report.wa());
    put(run, "ra_mean", report.raMean());
    put(run, "ra_max", report.raMax());
    put(run, "ra_filtered_mean", report.raFilteredMean());
    put(run, "sa_steady", report.saSteady());
    put(run, "sa_peak", report.saPeak());
    put(run, "transient_peak", report.transientPeak());
    run.put("lacked_bytes", report.lackedBytes());
    run.put("flushes", report.flushes());
    run.put("user_bytes", report.userBytes());
    run.put("flushed_bytes", report.flushedBytes());
    ArrayNode causes = run.putArray("causes");
    for (SimulationReport.Cause cause : report.causes()) {
      ObjectNode node = causes.addObject();
      node.put("kind", cause.kind());
      node.put("code", cause.code());
      node.put("plans", cause.plans());
      node.put("read_bytes", cause.readBytes());
      node.put("written_bytes", cause.writtenBytes());
      node.put("moved_bytes", cause.movedBytes());
    }
  }

  private static void put(ObjectNode node, String name, double figure) {
    if (Double.isFinite(figure)) {
      node.put(name, Math.round(figure * MILLIONTHS) / MILLIONTHS);
    } else {
      node.putNull(name);
    }
  }
}
