// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** All changes that consoles of this user have made, saved on disk. Thread-safe. */
final class Changes {

  private static final System.Logger LOG = System.getLogger("io.coppice.Console");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ChangeStore store;

  @GuardedBy("this")
  private final List<Change> changes = new ArrayList<>();

  @GuardedBy("this")
  private final Map<String, String> notKept = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, MeasuredCost> measured = new HashMap<>();

  /**
   * Reads the changes of earlier consoles. A malformed line is logged and skipped.
   *
   * @throws IOException if the store cannot be read
   */
  Changes(ChangeStore store) throws IOException {
    this.store = store;
    for (String line : store.lines()) {
      try {
        if (!readMeasured(line)) {
          changes.add(Change.read(line));
        }
      } catch (IOException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "a line of the console's history cannot be read: " + line,
            e);
      }
    }
  }

  /**
   * Saves a change with the given components of {@link Change}, and writes it to the log. The
   * change is already active. If it cannot be saved on disk, it is kept until this console ends,
   * and {@link #fault} returns the reason.
   */
  synchronized Change add(
      String node, String table, String what, String before, String after, String forecast) {
    Change change =
        new Change(
            UUID.randomUUID().toString(),
            System.currentTimeMillis(),
            System.getProperty("user.name", "?"),
            node,
            table,
            what,
            before,
            after,
            forecast);
    changes.add(change);
    LOG.log(
        System.Logger.Level.INFO,
        "{0} {1} on {2}: {3}; before: {4}",
        what,
        table,
        node,
        after,
        before);
    try {
      store.append(change.line());
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "a change of "
              + table
              + " on "
              + node
              + " cannot be saved; it is kept until the console ends",
          e);
      notKept.put(change.id(), "not saved on disk: " + e);
    }
    return change;
  }

  /** Returns why a change is not on disk, as a text for users; empty if it is on disk. */
  synchronized String fault(Change change) {
    return notKept.getOrDefault(change.id(), "");
  }

  /**
   * Saves the measurement after a change, unless one is saved already. If it cannot be saved on
   * disk, it is kept until this console ends.
   */
  synchronized void measured(Change change, MeasuredCost found) {
    if (measured.putIfAbsent(change.id(), found) != null) {
      return;
    }
    ObjectNode node = JSON.createObjectNode();
    node.put("measured", change.id());
    ConsoleJson.number(node, "wa", found.writeAmplification());
    node.put("seconds", found.seconds());
    try {
      store.append(node.toString());
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the measurement after change "
              + change.id()
              + " cannot be saved; it is kept until the console ends",
          e);
    }
  }

  /** Saves the measurement that a line describes; returns false if the line is no measurement. */
  @GuardedBy("this")
  private boolean readMeasured(String line) throws IOException {
    JsonNode node = JSON.readTree(line);
    if (node == null || !node.path("measured").isTextual()) {
      return false;
    }
    double amplification = node.path("wa").asDouble(Double.NaN);
    measured.putIfAbsent(
        node.path("measured").asText(),
        new MeasuredCost(amplification, node.path("seconds").asDouble(), true));
    return true;
  }

  /** Returns the saved measurement after a change, if there is one. */
  synchronized Optional<MeasuredCost> measured(Change change) {
    return Optional.ofNullable(measured.get(change.id()));
  }

  /** Returns the changes of one table on one node, newest first; stopped merges count. */
  List<Change> of(String node, String table) {
    return all().stream()
        .filter(one -> one.node().equals(node) && one.table().equals(table))
        .toList();
  }

  /** Returns all changes, newest first. */
  synchronized List<Change> all() {
    List<Change> all = new ArrayList<>(changes);
    Collections.reverse(all);
    return all;
  }

  /** Returns the change with this id, if there is one. */
  synchronized Optional<Change> find(String id) {
    return changes.stream().filter(change -> change.id().equals(id)).findFirst();
  }
}
