// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.coppice.policy.observe.TableMap;
import io.coppice.tool.console.watch.Endpoint;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.Rates;
import io.coppice.tool.console.watch.RunningCompaction;
import io.coppice.tool.console.watch.TableMapJson;
import io.coppice.tool.console.watch.WatchedProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The console: it watches processes and serves one page to this machine alone.
 *
 * <p>Its address contains a token in the fragment, which no browser sends or logs; the script of
 * the page sends it with each request. The console is read-only unless changes were allowed at its
 * start. Thread-safe.
 */
public final class Console implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Console");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int THREADS = 4;
  private static final long HOUR_MILLIS = 3_600_000;

  /**
   * Options of a console.
   *
   * @param endpoints at least one process; the console closes them
   * @param port 0 for any free port
   * @param allowChanges false for a read-only console
   */
  public record Options(List<Endpoint> endpoints, int port, boolean allowChanges) {}

  /** A handler of one path. Its answer is JSON. */
  private interface Route {
    byte[] answer(Request request) throws IOException, Refusal;
  }

  /** Request that the {@link Guard} accepted. */
  private record Request(Map<String, String> query, JsonNode body) {

    /** Returns a text field of the query or the body; empty if it is missing or of another type. */
    String text(String name) {
      JsonNode value = body.path(name);
      return value.isTextual() ? value.asText() : query.getOrDefault(name, "");
    }
  }

  private final Guard guard = new Guard();
  private final Page page = new Page();
  private final List<WatchedProcess> nodes = new ArrayList<>();
  private final Changes changes;
  private final LongSupplier nanos;
  private final TuningActions tuning;
  private final boolean allowChanges;
  private final HttpServer server;
  private final ExecutorService threads;
  private final ScheduledExecutorService measuring =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "coppice-console-measuring"));
  private final Semaphore simulating = new Semaphore(1);
  private final Map<String, Route> questions = new HashMap<>();
  private final Map<String, Route> orders = new HashMap<>();

  /**
   * Starts a console and its threads.
   *
   * @param store saves the changes that users make; the console uses it alone
   * @throws IOException if the port is in use or the saved changes cannot be read
   */
  public static Console start(Options options, ChangeStore store) throws IOException {
    return start(options, store, System::nanoTime);
  }

  /**
   * Starts a console and its threads.
   *
   * @param nanos a clock in nanoseconds, for the time limits of simulations
   */
  static Console start(Options options, ChangeStore store, LongSupplier nanos) throws IOException {
    return new Console(options, new Changes(store), nanos);
  }

  private Console(Options options, Changes changes, LongSupplier nanos) throws IOException {
    this.changes = changes;
    this.nanos = nanos;
    this.allowChanges = options.allowChanges();
    this.tuning = new TuningActions(changes, allowChanges);
    options.endpoints().forEach(endpoint -> nodes.add(new WatchedProcess(endpoint)));
    server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), options.port()), 0);
    threads = Executors.newFixedThreadPool(THREADS, task -> daemon(task, "coppice-console-http"));
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    questions.put("/api/state", request -> bytes(ConsoleJson.state(nodes, allowChanges)));
    questions.put("/api/table", this::table);
    questions.put("/api/picture", this::picture);
    questions.put("/api/policies", this::policies);
    questions.put("/api/changes", request -> bytes(ConsoleJson.changes(changes, nodes)));
    orders.put("/api/simulate", this::simulate);
    orders.put("/api/suggest", this::suggest);
    orders.put("/api/validate", this::validate);
    orders.put("/api/apply", this::apply);
    orders.put("/api/undo", this::undo);
    orders.put("/api/stop", this::stop);
    nodes.forEach(WatchedProcess::start);
    measuring.scheduleWithFixedDelay(this::measure, 1, 1, TimeUnit.MINUTES);
    server.start();
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Saves the measurements after changes whose first hour is over. */
  private void measure() {
    try {
      for (Change change : changes.all()) {
        if (changes.measured(change).isEmpty()) {
          ConsoleJson.measured(change, changes, nodes)
              .filter(MeasuredCost::over)
              .ifPresent(found -> changes.measured(change, found));
        }
      }
    } catch (RuntimeException e) {
      // An exception would end the schedule of this task.
      LOG.log(
          System.Logger.Level.ERROR,
          "the measurements after changes cannot be saved; the next round repeats them",
          e);
    }
  }

  /**
   * Returns the address to open, including the token. The address is a secret: anyone with it can
   * use the console.
   */
  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/#" + guard.token());
  }

  /**
   * Returns the address with the token, for a page that opens at one table.
   *
   * @param node name of the process
   * @param table id of the table in that process
   */
  public URI address(String node, String table) {
    return URI.create(address() + "/table/" + escaped(node) + "/" + escaped(table));
  }

  /** Escapes a text for the page's script, which reads a plus sign literally. */
  private static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void handle(HttpExchange exchange) throws IOException {
    String nonce = page.nonce();
    try (exchange) {
      headers(exchange.getResponseHeaders(), nonce);
      String path = exchange.getRequestURI().getPath();
      boolean secret = path.startsWith("/api/");
      boolean order = orders.containsKey(path);
      Optional<Integer> refusal = guard.refusal(exchange, order ? "POST" : "GET", secret);
      if (refusal.isPresent()) {
        if (refusal.get() == 405) {
          exchange.getResponseHeaders().set("Allow", order ? "POST" : "GET");
        }
        // The rest of a body, which nothing reads, must not block a thread.
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(refusal.get(), -1);
        return;
      }
      if (!secret) {
        Optional<Page.Asset> asset = page.asset(path, nonce);
        if (asset.isEmpty()) {
          exchange.sendResponseHeaders(404, -1);
        } else {
          send(exchange, 200, asset.get().type(), asset.get().bytes());
        }
        return;
      }
      api(exchange, path);
    }
  }

  private void api(HttpExchange exchange, String path) throws IOException {
    Route route = orders.getOrDefault(path, questions.get(path));
    int status = 200;
    byte[] answer;
    try {
      if (route == null) {
        throw new Refusal(404, "the console has no such page");
      }
      answer = route.answer(request(exchange));
    } catch (Refusal e) {
      status = e.status();
      answer = error(e.getMessage());
    } catch (IOException e) {
      status = 502;
      answer = error(e.getMessage());
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a request to the console failed", e);
      status = 500;
      answer = error("something went wrong; the console's log says what");
    }
    send(exchange, status, "application/json", answer);
  }

  private static byte[] error(String message) throws IOException {
    return bytes(JSON.createObjectNode().put("error", message == null ? "" : message));
  }

  private static byte[] bytes(ObjectNode node) throws JsonProcessingException {
    return JSON.writeValueAsBytes(node);
  }

  private static void headers(Headers headers, String nonce) {
    headers.set(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'nonce-"
            + nonce
            + "'; style-src 'nonce-"
            + nonce
            + "'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none';"
            + " frame-ancestors 'none'");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cache-Control", "no-store");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  private static Request request(HttpExchange exchange) throws IOException, Refusal {
    Map<String, String> query = new HashMap<>();
    String raw = exchange.getRequestURI().getRawQuery();
    if (raw != null) {
      for (String part : raw.split("&")) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          try {
            query.put(
                part.substring(0, equals),
                URLDecoder.decode(part.substring(equals + 1), StandardCharsets.UTF_8));
          } catch (IllegalArgumentException e) {
            throw new Refusal(400, "the query is not well formed");
          }
        }
      }
    }
    if (!exchange.getRequestMethod().equals("POST")) {
      return new Request(query, JSON.createObjectNode());
    }
    byte[] body = exchange.getRequestBody().readNBytes(Guard.MAX_BODY_BYTES + 1);
    if (body.length > Guard.MAX_BODY_BYTES) {
      throw new Refusal(413, "the request is too long");
    }
    try {
      JsonNode json = JSON.readTree(body);
      if (json instanceof ObjectNode) {
        return new Request(query, json);
      }
    } catch (JsonProcessingException e) {
      throw new Refusal(400, "the body is no JSON");
    }
    throw new Refusal(400, "the body is no JSON object");
  }

  private WatchedProcess node(Request request) throws Refusal {
    String name = request.text("node");
    return nodes.stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new Refusal(404, "this console was started without that node"));
  }

  private static LiveTable table(WatchedProcess node, Request request) throws Refusal {
    return table(node, request.text("table"));
  }

  private static LiveTable table(WatchedProcess node, String id) throws Refusal {
    return node.view().table(id).orElseThrow(() -> new Refusal(404, "the node has no such table"));
  }

  private byte[] table(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    LiveTable table = table(node, request);
    node.watching(table.id());
    String range = request.text("seconds");
    if (!range.matches("\\d{0,7}")) {
      throw new Refusal(400, "seconds is a number of at most seven digits");
    }
    long seconds = range.isEmpty() ? Long.MAX_VALUE / 1000 : Long.parseLong(range);
    return bytes(ConsoleJson.table(node, table, changes, nodes, seconds * 1000));
  }

  private byte[] policies(Request request) throws IOException, Refusal {
    return bytes(ConsoleJson.policies(table(node(request), request)));
  }

  private byte[] validate(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    return bytes(
        ConsoleJson.faults(
            TuningActions.faults(node, table(node, request), request.text("options"))));
  }

  private byte[] picture(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    LiveTable table = table(node, request);
    String at = request.text("at");
    if (!at.matches("\\d{1,16}")) {
      throw new Refusal(400, "at is a time in milliseconds");
    }
    long millis = Long.parseLong(at);
    byte[] map =
        node.history()
            .picture(table.id(), millis)
            .map(TableMapJson::unpack)
            .orElseThrow(() -> new Refusal(404, "there is no picture of that time"));
    return bytes(ConsoleJson.replay(map, node.history().decisions(table.id(), millis)));
  }

  private byte[] simulate(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    LiveTable table = table(node, request);
    String options = TuningActions.checked(request.text("options"));
    long hourAgo = node.view().atMillis() - HOUR_MILLIS;
    return simulated(
        node,
        table,
        (map, hour) ->
            ConsoleJson.trial(
                WhatIfTrial.of(
                    table,
                    map,
                    hour,
                    options,
                    WhatIfTrial.past(
                        node.history(), table, hourAgo, changes.of(node.name(), table.id())),
                    nanos),
                hour.seconds()));
  }

  private byte[] suggest(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    LiveTable table = table(node, request);
    return simulated(
        node,
        table,
        (map, hour) ->
            ConsoleJson.advice(WhatIfTrial.advise(table, map, hour, nanos), hour.seconds()));
  }

  /**
   * Function that simulates a table from its table map, given as JSON, under the load of the last
   * hour.
   */
  private interface Simulation {
    ObjectNode of(byte[] map, Rates hour) throws IOException;
  }

  /**
   * Simulates a table under the load of the last hour and returns the result as JSON.
   *
   * @throws Refusal (409) if the table lacks a Coppice policy or its first map, or the simulation
   *     refuses it; (429) while another simulation runs
   */
  private byte[] simulated(WatchedProcess node, LiveTable table, Simulation simulation)
      throws IOException, Refusal {
    TableMap map = node.map(table.id());
    if (!table.ours() || map == null) {
      throw new Refusal(409, "only tables with a policy of Coppice can be simulated");
    }
    if (!simulating.tryAcquire()) {
      throw new Refusal(429, "another simulation is under way; try again when it has ended");
    }
    try {
      long hourAgo = node.view().atMillis() - HOUR_MILLIS;
      Rates hour = Rates.since(node.history().figures(table.id()), hourAgo);
      return bytes(simulation.of(TableMapJson.json(map), hour));
    } catch (IllegalArgumentException e) {
      throw new Refusal(409, e.getMessage());
    } finally {
      simulating.release();
    }
  }

  private byte[] apply(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    LiveTable table = table(node, request);
    return answer(
        tuning.apply(
            node,
            table,
            request.text("options"),
            request.text("expected"),
            request.text("forecast")));
  }

  private byte[] answer(Change change) throws IOException {
    return bytes(ConsoleJson.change(change, changes));
  }

  private byte[] undo(Request request) throws IOException, Refusal {
    Change change =
        changes
            .find(request.text("change"))
            .orElseThrow(() -> new Refusal(404, "the console knows no change of that number"));
    WatchedProcess node =
        nodes.stream()
            .filter(one -> one.name().equals(change.node()))
            .findFirst()
            .orElseThrow(() -> new Refusal(404, "this console was started without that node"));
    return answer(tuning.undo(node, table(node, change.table()), change));
  }

  private byte[] stop(Request request) throws IOException, Refusal {
    WatchedProcess node = node(request);
    LiveTable table = table(node, request);
    String id = request.text("compaction");
    RunningCompaction compaction =
        node.view().compactions().stream()
            .filter(one -> one.id().equals(id) && one.table().equals(table.id()))
            .findFirst()
            .orElseThrow(() -> new Refusal(409, "the compaction has already ended"));
    return answer(tuning.stop(node, table, compaction));
  }

  @Override
  public void close() {
    server.stop(0);
    measuring.shutdownNow();
    threads.shutdownNow();
    nodes.forEach(WatchedProcess::close);
  }
}
