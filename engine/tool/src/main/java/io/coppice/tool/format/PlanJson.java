// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.Reason;
import io.coppice.policy.Target;
import java.util.List;
import java.util.Set;

/**
 * A codec between a {@link Plan} and a JSON object. The run of a target is left out if it is new.
 */
public final class PlanJson {

  private static final String MOVE = "move";
  private static final String DELAY = "delay";
  private static final String MERGE = "merge";
  private static final String DROP = "drop";

  private PlanJson() {}

  /**
   * Returns the kind of a plan as JSON names it: {@code move}, {@code delay}, {@code merge} or
   * {@code drop}.
   */
  public static String kind(Plan plan) {
    if (plan instanceof Plan.Move) {
      return MOVE;
    }
    if (plan instanceof Plan.Delay) {
      return DELAY;
    }
    return plan instanceof Plan.Merge ? MERGE : DROP;
  }

  static void write(ObjectNode node, Plan plan) {
    node.put("kind", kind(plan));
    ShapeJson.inOrder(node, "slices", plan.slices());
    if (plan instanceof Plan.Placing placing) {
      ObjectNode target = node.putObject("target");
      target.put("level", placing.target().level());
      if (!placing.target().isNew()) {
        target.put("run", placing.target().run());
      }
      ShapeJson.numbers(target, "sources", placing.target().sources());
    }
    if (plan instanceof Plan.Delay delay) {
      node.put("segments", delay.segments());
      if (delay.stays()) {
        node.put("after", delay.after());
      }
    }
    if (plan instanceof Plan.Merge merge) {
      node.put("cleaning_threshold", merge.cleaningThreshold());
    }
    write(node.putObject("reason"), plan.reason());
  }

  private static void write(ObjectNode node, Reason reason) {
    node.put("code", reason.code());
    ObjectNode numbers = node.putObject("numbers");
    reason.numbers().forEach(numbers::put);
    node.put("sentence", reason.sentence());
    ArrayNode candidates = node.putArray("candidates");
    for (Reason.Candidate candidate : reason.candidates()) {
      candidates.addObject().put("slice", candidate.slice()).put("score", candidate.score());
    }
    node.putObject("forecast")
        .put("read_bytes", reason.cost().readBytes())
        .put("write_bytes", reason.cost().writeBytes())
        .put("transient_bytes", reason.cost().transientBytes());
  }

  static Plan read(JsonFields fields) {
    String kind = fields.text("kind");
    List<Long> slices = fields.numbers("slices");
    Reason reason = reason(fields.object("reason"));
    return switch (kind) {
      case MOVE -> new Plan.Move(slices, target(fields), reason);
      case DELAY ->
          new Plan.Delay(
              slices, target(fields), fields.whole("segments"), fields.number("after", 0), reason);
      case MERGE ->
          new Plan.Merge(slices, target(fields), fields.whole("cleaning_threshold"), reason);
      case DROP -> new Plan.Drop(slices, reason);
      default -> throw new IllegalArgumentException("plan: 'kind' is " + kind);
    };
  }

  private static Target target(JsonFields fields) {
    JsonFields target = fields.object("target");
    return new Target(
        target.whole("level"),
        target.number("run", Target.NEW_RUN),
        Set.copyOf(target.numbers("sources")));
  }

  private static Reason reason(JsonFields fields) {
    JsonFields forecast = fields.object("forecast");
    return new Reason(
        fields.text("code"),
        fields.namedNumbers("numbers"),
        fields.text("sentence"),
        fields.objects("candidates").stream()
            .map(one -> new Reason.Candidate(one.number("slice"), one.decimal("score")))
            .toList(),
        new PlanCost(
            forecast.number("read_bytes"),
            forecast.number("write_bytes"),
            forecast.number("transient_bytes")));
  }
}
