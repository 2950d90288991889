// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.Endpoint;
import io.coppice.tool.console.watch.History;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.ProcessReader;
import io.coppice.tool.console.watch.ProcessStatus;
import io.coppice.tool.console.watch.Rates;
import io.coppice.tool.console.watch.RunningCompaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The state of processes as lines of text for a terminal. Each sample asks all of them. Used by one
 * thread.
 */
public final class Top implements AutoCloseable {

  private static final long MINUTE_MILLIS = 60_000;
  private static final String FORM = "%-28s %-14s %6s %6s %6s %9s %5s %10s %10s %10s";
  private static final int BAR = 20;
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB"};

  /** Process with its history. */
  private static final class Watched {
    private final Endpoint endpoint;
    private final History history = new History();
    private ProcessReader reader;
    private ProcessStatus view = ProcessStatus.NOTHING;
    private String fault = "";

    Watched(Endpoint endpoint) {
      this.endpoint = endpoint;
    }

    void sample() {
      try {
        if (reader == null) {
          reader = new ProcessReader(new Beans(endpoint.connect()));
        }
        view = reader.sample(id -> true, System.currentTimeMillis());
        history.note(view);
        fault = "";
      } catch (IOException | RuntimeException e) {
        reader = null;
        endpoint.close();
        String message = e.getMessage();
        fault = message == null || message.isEmpty() ? e.getClass().getSimpleName() : message;
        // The line begins with the address, and most messages name it too.
        fault =
            fault.startsWith(endpoint.name()) ? fault.substring(endpoint.name().length()) : fault;
        fault = fault.replaceFirst("^[: ]+", "");
      }
    }

    /**
     * Returns the windows of write amplification and rates as text, such as {@code WA since start ·
     * rates of 60 s}; empty without tables.
     */
    String windows() {
      return view.tables().stream().mapToDouble(table -> minute(table).seconds()).max().stream()
          .mapToObj(
              seconds -> String.format(Locale.ROOT, " · WA since start · rates of %.0f s", seconds))
          .findFirst()
          .orElse("");
    }

    Rates minute(LiveTable table) {
      return Rates.since(history.figures(table.id()), view.atMillis() - MINUTE_MILLIS);
    }
  }

  private final List<Watched> all = new ArrayList<>();

  /** Watches processes, at least one. {@link #close} closes their connections. */
  public Top(List<Endpoint> endpoints) {
    endpoints.forEach(endpoint -> all.add(new Watched(endpoint)));
  }

  /**
   * Takes a sample of all processes, one after the other, and waits for them. A process that does
   * not answer counts as lost until a later sample succeeds.
   */
  public void sample() {
    all.forEach(Watched::sample);
  }

  /** Returns whether all processes answered the last sample. */
  public boolean allAnswered() {
    return all.stream().allMatch(one -> one.fault.isEmpty());
  }

  /**
   * Returns the last sample as lines: for each process its name, a header, one line per table and
   * one per compaction, then an empty line.
   *
   * @param width most characters of a line; the rest is cut off
   */
  public List<String> lines(int width) {
    List<String> lines = new ArrayList<>();
    for (Watched one : all) {
      String version = one.view.version().isEmpty() ? "" : " · Cassandra " + one.view.version();
      lines.add(
          one.endpoint.name()
              + version
              + one.windows()
              + (one.fault.isEmpty() ? "" : " · lost: " + one.fault));
      lines.add(
          String.format(
              Locale.ROOT,
              FORM,
              "table",
              "strategy",
              "WA",
              "RA",
              "SA<=",
              "live",
              "runs",
              "backlog",
              "flushed/s",
              "merged/s"));
      one.view.tables().forEach(table -> lines.add(row(one, table)));
      if (one.view.tables().isEmpty()) {
        lines.add("no tables");
      }
      one.view.compactions().forEach(compaction -> lines.add(row(compaction)));
      lines.add("");
    }
    return lines.stream()
        .map(Top::plain)
        .map(line -> line.substring(0, Math.min(width, line.length())))
        .toList();
  }

  /** Replaces control characters, so that a process cannot control the terminal. */
  private static String plain(String text) {
    return text.replaceAll("\\p{Cntrl}|[\u0080-\u009f]", "?");
  }

  private static String row(Watched one, LiveTable table) {
    Rates minute = one.minute(table);
    LiveTable.Figures figures = table.figures();
    return String.format(
        Locale.ROOT,
        FORM,
        table.id(),
        table.strategy().replace("CompactionStrategy", ""),
        number(table.writeAmplification()),
        number(figures.tablesPerRead()),
        number(table.figures().spaceBound()),
        bytes(figures.liveBytes()),
        figures.runs() < 0 ? "-" : Long.toString(figures.runs()),
        figures.backlogBytes() < 0 ? figures.pending() + " plans" : bytes(figures.backlogBytes()),
        bytes(minute.perSecond(minute.flushedBytes())),
        bytes(minute.perSecond(minute.mergedBytes())));
  }

  private static String row(RunningCompaction one) {
    double share = one.totalBytes() == 0 ? 0 : (double) one.doneBytes() / one.totalBytes();
    int full = (int) Math.min(BAR, Math.round(share * BAR));
    return String.format(
        Locale.ROOT,
        "  %-26s [%s%s] %3.0f%% of %s  %s",
        one.table(),
        "#".repeat(full),
        ".".repeat(BAR - full),
        100 * share,
        bytes(one.totalBytes()),
        one.sentence().isEmpty() ? one.what() : one.sentence());
  }

  /** Returns the last sample of all processes as one line. */
  public String line() {
    List<String> parts = new ArrayList<>();
    for (Watched one : all) {
      if (!one.fault.isEmpty()) {
        parts.add(one.endpoint.name() + " lost: " + one.fault);
        continue;
      }
      for (LiveTable table : one.view.tables()) {
        parts.add(
            table.id()
                + " WA "
                + number(table.writeAmplification())
                + " live "
                + bytes(table.figures().liveBytes())
                + " backlog "
                + bytes(table.figures().backlogBytes()));
      }
      if (one.view.tables().isEmpty()) {
        parts.add(
            one.endpoint.name()
                + ": this JVM has no store with jmx(true) and no table with a Coppice strategy");
        continue;
      }
      int count = one.view.compactions().size();
      parts.add(
          count + (count == 1 ? " compaction on " : " compactions on ") + one.endpoint.name());
    }
    return plain(String.join(" | ", parts));
  }

  /**
   * Returns the last sample of all processes as JSON; an unknown value is null. Published names
   * never change.
   */
  public ObjectNode document() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode processes = root.putArray("processes");
    for (Watched one : all) {
      ObjectNode process = processes.addObject();
      process.put("process", one.endpoint.name());
      process.put("lost", one.fault.isEmpty() ? null : one.fault);
      count(process, "at_millis", one.view == ProcessStatus.NOTHING ? -1 : one.view.atMillis());
      ArrayNode tables = process.putArray("tables");
      one.view.tables().forEach(table -> figures(tables.addObject(), one, table));
      ArrayNode compactions = process.putArray("compactions");
      for (RunningCompaction running : one.view.compactions()) {
        ObjectNode node = compactions.addObject();
        node.put("table", running.table()).put("what", running.what());
        count(node, "done_bytes", running.doneBytes());
        count(node, "total_bytes", running.totalBytes());
      }
    }
    return root;
  }

  private static void figures(ObjectNode node, Watched one, LiveTable table) {
    Rates minute = one.minute(table);
    LiveTable.Figures figures = table.figures();
    node.put("table", table.id());
    node.put("strategy", table.strategy());
    ratio(node, "write_amplification", table.writeAmplification());
    ratio(node, "tables_per_read", figures.tablesPerRead());
    ratio(node, "space_amplification_bound", figures.spaceBound());
    count(node, "live_bytes", figures.liveBytes());
    count(node, "runs", figures.runs());
    count(node, "backlog_bytes", figures.backlogBytes());
    count(node, "pending_plans", figures.pending());
    ratio(node, "flushed_bytes_per_second", minute.perSecond(minute.flushedBytes()));
    ratio(node, "merged_bytes_per_second", minute.perSecond(minute.mergedBytes()));
  }

  /** Adds a whole number; null if the process does not report it. */
  private static void count(ObjectNode node, String name, long count) {
    if (count >= 0) {
      node.put(name, count);
    } else {
      node.putNull(name);
    }
  }

  /** Adds a ratio or rate; null if the process does not report it. */
  private static void ratio(ObjectNode node, String name, double figure) {
    if (Double.isFinite(figure) && figure >= 0) {
      node.put(name, figure);
    } else {
      node.putNull(name);
    }
  }

  private static String number(double number) {
    return Double.isFinite(number) ? String.format(Locale.ROOT, "%.2f", number) : "-";
  }

  private static String bytes(double bytes) {
    if (!Double.isFinite(bytes) || bytes < 0) {
      return "-";
    }
    int unit = 0;
    double amount = bytes;
    while (amount >= 999.5 && unit < UNITS.length - 1) {
      amount /= 1000;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.3g %s", amount, UNITS[unit]);
  }

  @Override
  public void close() {
    all.forEach(one -> one.endpoint.close());
  }
}
