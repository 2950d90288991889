// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.policy.Budget;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.Locale;
import java.util.Optional;

/**
 * A codec between decisions and lines of JSON, one decision per line. Published names never change.
 * Common default values are left out, see {@link ShapeJson} and {@link PlanJson}.
 */
public final class JournalCodec {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JournalCodec() {}

  /** Returns the line of a decision, without a line break. */
  public static String line(Decision decision) {
    try {
      return MAPPER.writeValueAsString(document(decision));
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of plain values", e);
    }
  }

  /** Returns a decision as JSON. */
  public static ObjectNode document(Decision decision) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("sequence", decision.sequence());
    node.put("family", decision.family());
    node.put("policy", decision.policy().toString());
    limits(node.putObject("limits"), decision.policy().limits());
    node.put("question", decision.question().name().toLowerCase(Locale.ROOT));
    Budget budget = decision.budget();
    ObjectNode allowed =
        node.putObject("budget")
            .put("free_slots", budget.freeSlots())
            .put("transient_bytes", budget.transientBytes());
    if (budget.boundBytes() > budget.transientBytes()) {
      allowed.put("bound_bytes", budget.boundBytes());
    }
    if (budget.rewriteBytes() < Long.MAX_VALUE) {
      allowed.put("rewrite_bytes", budget.rewriteBytes());
    }
    ShapeJson.write(node.putObject("shape"), decision.shape());
    if (decision.plan().isPresent()) {
      PlanJson.write(node.putObject("plan"), decision.plan().get());
    } else {
      node.putNull("plan");
    }
    return node;
  }

  /**
   * Returns the decision of a line.
   *
   * @throws IllegalArgumentException if the line is no decision; the message describes its fault
   * @throws ArithmeticException if a number exceeds an int
   */
  public static Decision decision(String line) {
    JsonNode node;
    try {
      node = MAPPER.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "the line must be a JSON object as simulate --journal writes it, and it is not JSON", e);
    }
    JsonFields fields = new JsonFields(node, "decision");
    JsonFields budget = fields.object("budget");
    long transientBytes = budget.number("transient_bytes");
    return new Decision(
        fields.number("sequence"),
        fields.text("family"),
        PolicySpec.parse(fields.text("policy"), limits(fields.object("limits"))),
        fields.constant("question", Decision.Question.class),
        ShapeJson.read(fields.object("shape")),
        new Budget(
            budget.whole("free_slots"),
            transientBytes,
            budget.has("bound_bytes") ? budget.number("bound_bytes") : transientBytes,
            budget.has("rewrite_bytes") ? budget.number("rewrite_bytes") : Long.MAX_VALUE),
        fields.has("plan") ? Optional.of(PlanJson.read(fields.object("plan"))) : Optional.empty());
  }

  private static void limits(ObjectNode node, PolicyLimits limits) {
    node.put("default_table_bytes", limits.defaultTableBytes());
    node.put("min_table_bytes", limits.minTableBytes());
    node.put("max_table_bytes", limits.maxTableBytes());
    node.put("max_level", limits.maxLevel());
    node.put("stepwise", limits.stepwise());
    node.put("entry_bytes", limits.entryBytes());
    node.put("own_space", limits.ownSpace());
  }

  private static PolicyLimits limits(JsonFields fields) {
    PolicyLimits limits =
        new PolicyLimits(
            fields.number("default_table_bytes"),
            fields.number("min_table_bytes"),
            fields.number("max_table_bytes"),
            fields.whole("max_level"),
            fields.flag("stepwise"));
    // Journals of the first version lack entry_bytes and own_space.
    return fields.has("entry_bytes")
        ? new PolicyLimits(
            limits.defaultTableBytes(),
            limits.minTableBytes(),
            limits.maxTableBytes(),
            limits.maxLevel(),
            limits.stepwise(),
            fields.whole("entry_bytes"),
            fields.flag("own_space"))
        : limits;
  }
}
