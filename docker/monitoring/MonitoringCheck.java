// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.tools.attach.VirtualMachine;
import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.StalledException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The whole check of the monitoring kit, started by {@code check.sh}: a real Cassandra node with
 * 100 tables and the exporter's agent, an embedded store with 100 families in this process, and
 * Prometheus. Each series, recording, panel and alert must have data, and a scrape must be cheap.
 * Prints a page. Ends with 1 if something is missing.
 */
public class MonitoringCheck {

  private static final int TABLES = 100;
  private static final int SCRAPES = 20;
  private static final double MOST_MILLIS = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int NODE_PORT = 29404;
  private static final int STORE_PORT = 29405;
  private static final int PROMETHEUS_PORT = 29090;
  private static final int CQL_PORT = 29142;
  private static final List<String> STRATEGIES =
      List.of("SplitForest", "Delayed", "Grouped", "LazyBinomial");

  private final Path kit;
  private final Path work;
  private final Path agent;
  private final Path bench;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final List<Process> started = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();
  private volatile boolean ending;
  private boolean stopped;

  MonitoringCheck(Path kit, Path work, Path agent, Path bench) {
    this.kit = kit;
    this.work = work;
    this.agent = agent;
    this.bench = bench;
  }

  /** Takes the directories of the kit and of temporary files, the agent's jar and the bench jar. */
  public static void main(String[] args) throws Exception {
    MonitoringCheck check =
        new MonitoringCheck(
            Path.of(args[0]), Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
    Runtime.getRuntime().addShutdownHook(new Thread(check::end));
    check.run();
    System.exit(check.missing.isEmpty() ? 0 : 1);
  }

  /** Ends all processes that this check has started, with their descendants, and starts no more. */
  private synchronized void end() {
    ending = true;
    stopped = true;
    List<ProcessHandle> all = new ArrayList<>();
    for (Process process : started) {
      process.descendants().forEach(all::add);
      all.add(process.toHandle());
      process.destroy();
    }
    for (ProcessHandle each : all) {
      try {
        each.onExit().get(60, TimeUnit.SECONDS);
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        each.destroyForcibly();
      }
    }
  }

  private synchronized Process start(ProcessBuilder builder) throws IOException {
    if (stopped) {
      throw new IllegalStateException("the check is ending");
    }
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private void run() throws Exception {
    System.out.println("# The monitoring kit, checked\n");
    System.out.println(
        "`docker/monitoring/check.sh` prints this page. The steps are in"
            + " [the guide](../how-to/monitor.md).\n");
    String cassandra = startNode();
    System.out.printf(
        "| Node | Exporter agent | Server | JDK | Processors |\n|---|---|---|---|---:|\n"
            + "| %s | %s | %s | %s | %d |\n\n",
        cassandra,
        agent.getFileName().toString().replaceAll("^.*-([\\d.]+)\\.jar$", "$1"),
        lines("prometheus", "--version")
            .get(0)
            .replaceAll("^prometheus, version ([^ ]+) .*$", "Prometheus $1"),
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors());
    try (CqlSession session =
            CqlSession.builder()
                .addContactPoint(new InetSocketAddress("127.0.0.1", CQL_PORT))
                .withLocalDatacenter("datacenter1")
                .withConfigLoader(
                    DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, PATIENCE)
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, PATIENCE)
                        .withDuration(
                            DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, PATIENCE)
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .build())
                .build();
        Store store = openStore();
        Store blocked = openBlocked()) {
      fill(session);
      Thread load = new Thread(() -> load(session, store), "load");
      load.setDaemon(true);
      load.start();
      startPrometheus();
      series("cassandra", "jmx-cassandra.yml", List.of("keyspace", "table"));
      series("store", "jmx-store.yml", List.of("store"));
      recordings();
      panels();
      alerts();
      ending = true;
      load.join();
      System.out.println("## Cost of a scrape\n");
      System.out.printf(
          "Median and maximum of %d scrapes, at least 1.1 s apart. The limit of the median is %.0f"
              + " ms. The processor time is that of the process, whatever else it did.%n%n",
          SCRAPES, MOST_MILLIS);
      System.out.println(
          "| Process | Series | Answer, kB | Median, ms | Maximum, ms | Processor, ms per scrape |");
      System.out.println("|---|---:|---:|---:|---:|---:|");
      scrapes("Cassandra, " + TABLES + " tables", NODE_PORT);
      scrapes("store, " + TABLES + " families", STORE_PORT);
    }
    System.out.println();
    System.out.println(
        missing.isEmpty() ? "Nothing is missing." : "Missing: " + String.join("; ", missing));
  }

  /** Returns what the node is. */
  private String startNode() throws Exception {
    Process cluster =
        start(
            new ProcessBuilder(
                    java(),
                    "-jar",
                    bench.toString(),
                    "cluster",
                    "up",
                    "--nodes=1",
                    "--heap=1024",
                    "--cql-port=" + CQL_PORT,
                    "--dir=" + work.resolve("cluster"))
                .redirectError(work.resolve("cluster.err").toFile())
                .redirectOutput(work.resolve("cluster.out").toFile()));
    Path out = work.resolve("cluster.out");
    await(
        "the node",
        () -> Files.readString(out).contains("The cluster is up.") || !cluster.isAlive());
    String printed = Files.readString(out);
    if (!cluster.isAlive()) {
      throw new IllegalStateException(printed + Files.readString(work.resolve("cluster.err")));
    }
    ProcessHandle node =
        cluster
            .descendants()
            .filter(one -> one.info().command().orElse("").endsWith("java"))
            .findFirst()
            .orElseThrow();
    VirtualMachine machine = VirtualMachine.attach(Long.toString(node.pid()));
    machine.loadAgent(
        agent.toString(), "127.0.0.1:" + NODE_PORT + ":" + kit.resolve("jmx-cassandra.yml"));
    machine.detach();
    Matcher version = Pattern.compile("Cassandra [\\d.]+").matcher(printed);
    return version.find() ? version.group() : "Cassandra";
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> lines(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<String> lines = process.inputReader().lines().toList();
    process.waitFor();
    return lines;
  }

  private Store openStore() throws IOException {
    StoreOptions.Builder options =
        StoreOptions.builder()
            .name("orders")
            .jmx(true)
            .policy("split-forest,fanout=4,table_size=1MiB")
            .memtableBytes(1 << 20)
            .blockCacheBytes(4 << 20)
            .io("read")
            .durability(Durability.NONE);
    for (int i = 1; i < TABLES; i++) {
      options.family("f" + i, "leveled,table_size=1MiB");
    }
    Store store = Store.open(work.resolve("store"), options.build());
    for (String family : store.families().stream().map(Family::name).sorted().toList()) {
      for (int i = 0; i < 50; i++) {
        store.family(family).put(("key" + i).getBytes(StandardCharsets.UTF_8), new byte[100]);
      }
    }
    store.flush();
    return store;
  }

  /** A store whose limit of transient space is too small for its merges. */
  private Store openBlocked() throws IOException {
    Store store =
        Store.open(
            work.resolve("blocked"),
            StoreOptions.builder()
                .name("blocked")
                .jmx(true)
                .policy("leveled,l0_trigger=4,table_size=256KiB")
                .maxTransientSpace(1024)
                .memtableBytes(64 << 10)
                .durability(Durability.NONE)
                .build());
    try {
      for (int i = 0; i < 2_000; i++) {
        store.put(
            ("key" + i * 7919 % 1000).getBytes(StandardCharsets.UTF_8), new byte[20_000]);
      }
      missing.add("the blocked store still takes writes");
    } catch (StalledException e) {
      // Level 0 is full, and no merge fits.
    }
    return store;
  }

  private void fill(CqlSession session) throws Exception {
    session.execute(
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy',"
            + " 'replication_factor': 1}");
    for (int i = 0; i < TABLES; i++) {
      session.execute(
          "CREATE TABLE ks.t"
              + i
              + " (pk int PRIMARY KEY, v blob) WITH compaction = {'class':"
              + " 'io.coppice.cassandra."
              + STRATEGIES.get(i % STRATEGIES.size())
              + "CompactionStrategy', 'table_size': '1MiB'}");
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < TABLES; i++) {
        for (int pk = 0; pk < 20; pk++) {
          insert(session, i, pk, 1_000);
        }
      }
      nodetool("flush", "ks");
    }
  }

  private static void insert(CqlSession session, int table, int pk, int bytes) {
    session.execute(
        "INSERT INTO ks.t" + table + " (pk, v) VALUES (" + pk + ", 0x" + "ab".repeat(bytes) + ")");
  }

  private void nodetool(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(java(), "@" + work.resolve("cluster/node1/nodetool")));
    command.addAll(List.of(words));
    List<String> printed = lines(command.toArray(String[]::new));
    if (!printed.isEmpty()) {
      throw new IllegalStateException(String.join("\n", printed));
    }
  }

  /** Writes and reads both, gently, until the check ends. */
  private void load(CqlSession session, Store store) {
    Random random = new Random(1);
    try {
      while (!ending) {
        for (int i = 0; i < 200 && !ending; i++) {
          insert(session, random.nextInt(TABLES), random.nextInt(100), 1_000);
          session.execute(
              "SELECT pk FROM ks.t" + random.nextInt(TABLES) + " WHERE pk = " + random.nextInt(20));
        }
        for (int i = 0; i < 2_000 && !ending; i++) {
          byte[] key = ("key" + random.nextInt(50_000)).getBytes(StandardCharsets.UTF_8);
          store.put(key, new byte[500]);
          store.get(("key" + random.nextInt(50)).getBytes(StandardCharsets.UTF_8));
        }
        nodetool("flush", "ks");
      }
    } catch (Exception e) {
      if (!ending) {
        missing.add("the load: " + e);
      }
    }
  }

  private void startPrometheus() throws Exception {
    Path config = work.resolve("prometheus.yml");
    Files.writeString(
        config,
        """
        global: {scrape_interval: 5s, evaluation_interval: 5s}
        rule_files: ["%s"]
        scrape_configs:
          - job_name: cassandra
            static_configs: [{targets: ["127.0.0.1:%d"]}]
          - job_name: store
            static_configs: [{targets: ["127.0.0.1:%d"]}]
        """
            .formatted(kit.resolve("rules.yml"), NODE_PORT, STORE_PORT));
    start(
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + work.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + PROMETHEUS_PORT)
            .redirectErrorStream(true)
            .redirectOutput(work.resolve("prometheus.log").toFile()));
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static boolean await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      if (condition.holds()) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(500);
    }
    System.err.println("waited in vain for " + what);
    return false;
  }

  private JsonNode ask(String query) throws Exception {
    String address =
        "http://127.0.0.1:"
            + PROMETHEUS_PORT
            + "/api/v1/query?query="
            + URLEncoder.encode(query, StandardCharsets.UTF_8);
    try {
      JsonNode answer = json.readTree(get(address));
      if (!answer.path("status").asText().equals("success")) {
        throw new IllegalStateException(query + ": " + answer);
      }
      return answer.at("/data/result");
    } catch (IOException e) {
      // Prometheus is still starting.
      return json.createArrayNode();
    }
  }

  private String get(String address) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Returns the number of series that a query answers, after a wait for the first. */
  private int awaited(String what, String query) throws Exception {
    int[] found = new int[1];
    if (!await(
        query,
        () -> {
          found[0] = ask(query).size();
          return found[0] > 0;
        })) {
      missing.add(what + ": " + query);
    }
    return found[0];
  }

  private static List<String> names(Path rules) throws IOException {
    return Files.readAllLines(rules).stream()
        .filter(line -> line.startsWith("    name: "))
        .map(line -> line.substring("    name: ".length()))
        .distinct()
        .toList();
  }

  private void series(String job, String rules, List<String> labels) throws Exception {
    System.out.println("## Series of " + rules + "\n");
    System.out.println("| Series | Labels | Number |\n|---|---|---:|");
    for (String name : names(kit.resolve(rules))) {
      StringBuilder query = new StringBuilder(name + "{job=\"" + job + "\"");
      labels.forEach(label -> query.append(", ").append(label).append("!=\"\""));
      int number = awaited(rules, query + "}");
      TreeSet<String> shown = new TreeSet<>();
      ask(query + "}").forEach(one -> one.get("metric").fieldNames().forEachRemaining(shown::add));
      shown.removeAll(List.of("__name__", "instance", "job"));
      System.out.printf("| `%s` | %s | %d |%n", name, String.join(", ", shown), number);
    }
    System.out.println();
  }

  private void recordings() throws Exception {
    System.out.println("## Recording rules\n");
    System.out.println("| Recording | Series |\n|---|---:|");
    Matcher record =
        Pattern.compile("- record: (\\S+)").matcher(Files.readString(kit.resolve("rules.yml")));
    while (record.find()) {
      System.out.printf(
          "| `%s` | %d |%n", record.group(1), awaited("recording", record.group(1)));
    }
    System.out.println();
  }

  private void panels() throws Exception {
    System.out.println("## Queries of the panels\n");
    System.out.println("| Panel | Query | Series |\n|---|---|---:|");
    JsonNode dashboard = json.readTree(Files.readString(kit.resolve("dashboard.json")));
    for (JsonNode panel : dashboard.get("panels")) {
      for (JsonNode target : panel.path("targets")) {
        String query = target.get("expr").textValue().replaceAll("\\$\\w+", ".*");
        int number = awaited(panel.get("title").textValue(), query);
        System.out.printf(
            "| %s | `%s` | %d |%n",
            panel.get("title").textValue(),
            query.replaceAll("\\w+=~\"\\.\\*\"(, )?", "").replace("{}", "").replace("|", "\\|"),
            number);
      }
    }
    for (JsonNode variable : dashboard.at("/templating/list")) {
      String query = variable.at("/query/query").asText();
      Matcher values = Pattern.compile("label_values\\((.*), (\\w+)\\)").matcher(query);
      if (values.matches()) {
        String label = values.group(2);
        String selector = values.group(1).replaceAll("\\$\\w+", ".*");
        awaited("variable " + label, "count by (" + label + ") (" + selector + ")");
      }
    }
    System.out.println();
  }

  private void alerts() throws Exception {
    System.out.println("## Alerts\n");
    System.out.println(
        "Each side of each comparison has data. The store `blocked` has a space limit of 1 KiB,"
            + " which blocks its merges.\n");
    System.out.println("| Alert | Side | Series |\n|---|---|---:|");
    Matcher alert =
        Pattern.compile("- alert: (\\w+)\\n +expr: (.+)\\n")
            .matcher(Files.readString(kit.resolve("rules.yml")));
    Map<String, String> expressions = new LinkedHashMap<>();
    while (alert.find()) {
      expressions.put(alert.group(1), alert.group(2));
    }
    for (Map.Entry<String, String> one : expressions.entrySet()) {
      // No series is an hour old here.
      String expression = one.getValue().replaceAll(" offset \\w+", "");
      for (String side : expression.split(" (and|==|>|<) ")) {
        if (!side.matches("[\\d.]+")) {
          System.out.printf(
              "| %s | `%s` | %d |%n", one.getKey(), side, awaited(one.getKey(), side));
        }
      }
    }
    System.out.println();
    awaited(
        "alert of the blocked store",
        "ALERTS{alertname=\"CoppiceSpaceBoundBlocks\", store=\"blocked\"}");
    System.out.println("Alerts that wait or fire at the end:\n");
    System.out.println("| Alert | State | Of |\n|---|---|---|");
    for (JsonNode one : ask("ALERTS{alertname=~\"Coppice.*\"}")) {
      JsonNode labels = one.get("metric");
      System.out.printf(
          "| %s | %s | %s%s %s%s |%n",
          labels.path("alertname").asText(),
          labels.path("alertstate").asText(),
          labels.path("keyspace").asText(),
          labels.path("store").asText(),
          labels.path("table").asText(),
          labels.path("family").asText());
    }
    System.out.println();
  }

  private static double processorSeconds(String answer) {
    return answer
        .lines()
        .filter(line -> line.startsWith("process_cpu_seconds_total "))
        .mapToDouble(line -> Double.parseDouble(line.split(" ")[1]))
        .findFirst()
        .orElseThrow();
  }

  private void scrapes(String what, int port) throws Exception {
    double[] millis = new double[SCRAPES];
    String answer = "";
    String address = "http://127.0.0.1:" + port + "/metrics";
    double processor = processorSeconds(get(address));
    for (int i = 0; i < SCRAPES; i++) {
      // Values are computed at most once per second, so each scrape computes all of them.
      TimeUnit.MILLISECONDS.sleep(1_100);
      long start = System.nanoTime();
      answer = get(address);
      millis[i] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(millis);
    double median = (millis[SCRAPES / 2 - 1] + millis[SCRAPES / 2]) / 2;
    System.out.printf(
        Locale.ROOT,
        "| %s | %d | %d | %.1f | %.1f | %.0f |%n",
        what,
        answer.lines().filter(line -> line.startsWith("coppice_")).count(),
        answer.length() / 1_000,
        median,
        millis[SCRAPES - 1],
        (processorSeconds(answer) - processor) * 1_000 / SCRAPES);
    if (median > MOST_MILLIS) {
      missing.add(what + ": a scrape takes " + median + " ms");
    }
  }
}
