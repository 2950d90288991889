// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.NameText;
import io.coppice.base.bytes.RandomNames;
import io.coppice.policy.observe.StrategyMXBean;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.testing.Seeds;
import io.coppice.tool.ToolRun;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JsonLines;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Families of any name: written, opened again, seen by beans and the tool, copied and repaired. */
class FamilyNamesTest {

  private static final MBeanServer AGENT = ManagementFactory.getPlatformMBeanServer();

  /** Versions that know format 1 alone refuse a manifest whose envelope says more. */
  private static final int OLD_FORMAT = 1;

  private static final int FORMAT_AT = 12;
  private static final int FAMILIES = 5;

  @TempDir private Path parent;

  private final MetricRegistry registry = new MetricRegistry();
  private int stores;

  private StoreOptions options(String store) {
    return StoreOptions.builder()
        .policy("leveled,table_size=16KiB")
        .memory(MemoryBudget.ofMebibytes(32))
        .memtableBytes(64 << 10)
        .name(store)
        .jmx(true)
        .metrics(registry)
        .build();
  }

  @Test
  void familiesOfAnyNameAreFoundAgain() {
    Seeds.forEachOfMany(1, this::goThrough);
  }

  private void goThrough(Random random) throws Exception {
    Set<String> names = new TreeSet<>();
    while (names.size() < FAMILIES) {
      names.add(RandomNames.of(random));
    }
    names.remove("default");
    String storeName = RandomNames.of(random) + stores;
    Path directory = parent.resolve("store" + stores++);
    try (Store store = Store.open(directory, options(storeName))) {
      for (String name : names) {
        Family family = store.createFamily(name);
        assertThat(family.name()).isEqualTo(name);
        family.put(bytes("key"), bytes(name));
        if (random.nextBoolean()) {
          store.flush();
        }
        assertThatThrownBy(() -> store.createFamily(name))
            .hasMessageContaining("there is a family " + NameText.quoted(name) + " already");
      }
      store.compact();
      assertBeans(storeName, names);
    }
    assertShown(directory, names);
    for (String file : files(directory)) {
      assertThat(file).matches("[0-9]{6}\\.(wal|tbl|manifest)|CURRENT|LOCK|RESERVE|filters.slots");
    }
    assertTool(directory, names);

    Path copy = parent.resolve("copy" + stores);
    assertThat(ToolRun.of("store", "checkpoint", "" + directory, "" + copy).code()).isZero();
    assertShown(copy, names);
    Files.delete(copy.resolve("CURRENT"));
    ToolRun repaired = ToolRun.of("store", "repair", copy.toString());
    assertVisible(repaired.out());
    assertShown(copy, names);

    try (Store store = Store.open(directory, options(storeName))) {
      for (String name : names) {
        store.dropFamily(name);
        assertThatThrownBy(() -> store.family(name))
            .hasMessageContaining("there is no family " + NameText.quoted(name));
        store.createFamily(name).put(bytes("key"), bytes("again"));
        store.dropFamily(name);
      }
      assertBeans(storeName, Set.of());
    }
    try (Store store = Store.open(directory, options(storeName))) {
      assertThat(store.families()).hasSize(1);
      assertThat(format(directory)).as("no name needs a newer one").isEqualTo(OLD_FORMAT);
    }
  }

  private void assertShown(Path directory, Set<String> names) throws IOException {
    assertThat(Store.verify(directory).damages()).isEmpty();
    try (Store store = Store.openReadOnly(directory, StoreOptions.defaults())) {
      assertShown(store, names);
    }
    try (Store store = Store.open(directory, options("shown" + stores++))) {
      assertShown(store, names);
    }
  }

  private static void assertShown(Store store, Set<String> names) {
    Set<String> found = new TreeSet<>();
    for (Family family : store.families()) {
      if (!family.name().equals("default")) {
        found.add(family.name());
        assertThat(family.get(bytes("key"))).isEqualTo(bytes(family.name()));
      }
      assertThat(store.family(family.name()).name()).isEqualTo(family.name());
      family.cursor(KeyRange.all()).close();
    }
    assertThat(found).isEqualTo(names);
  }

  /** Each family has its bean and the beans of its figures, and the registry's names are plain. */
  private void assertBeans(String store, Set<String> names) throws Exception {
    Set<String> all = new TreeSet<>(names);
    all.add("default");
    Set<String> strategies = new TreeSet<>();
    for (ObjectName bean : AGENT.queryNames(new ObjectName("io.coppice:type=Store,*"), null)) {
      if (unquoted(bean, "name").equals(store)) {
        strategies.add(unquoted(bean, "family"));
        StrategySnapshot snapshot =
            JMX.newMXBeanProxy(AGENT, bean, StrategyMXBean.class).snapshot().snapshot();
        assertVisible(snapshot.name().substring(store.length()));
      }
    }
    assertThat(strategies).isEqualTo(all);
    Set<String> measured = new TreeSet<>();
    int ofStore = 0;
    for (ObjectName bean : AGENT.queryNames(new ObjectName("io.coppice:type=Metrics,*"), null)) {
      if (bean.getKeyProperty("store") == null || !unquoted(bean, "store").equals(store)) {
        continue;
      }
      if (bean.getKeyProperty("family") == null) {
        ofStore++;
      } else {
        measured.add(unquoted(bean, "family"));
        AGENT.getAttribute(bean, "Value");
      }
    }
    assertThat(measured).isEqualTo(all);
    assertThat(ofStore).as("figures of the whole store").isGreaterThan(20);
    String prefix = "coppice." + store + ".";
    assertThat(registry.getNames())
        .filteredOn(name -> name.startsWith(prefix))
        .hasSizeGreaterThan(ofStore)
        .allMatch(name -> name.substring(prefix.length()).matches("[A-Za-z0-9_%.-]+"));
  }

  private static String unquoted(ObjectName bean, String key) {
    String value = bean.getKeyProperty(key);
    return value.startsWith("\"") ? ObjectName.unquote(value) : value;
  }

  private static void assertTool(Path directory, Set<String> names) throws IOException {
    ToolRun stats = ToolRun.of("store", "stats", "--why", directory.toString());
    assertVisible(stats.out());
    JsonNode json =
        new ObjectMapper()
            .readTree(ToolRun.of("store", "stats", "--json", directory.toString()).out());
    Set<String> printed = new TreeSet<>(json.path("families").findValuesAsText("name"));
    printed.remove("default");
    assertThat(printed).isEqualTo(names);
    ToolRun dump = ToolRun.of("store", "dump", directory.toString());
    assertThat(dump.code()).as(dump.err()).isZero();
    assertVisible(dump.out());
    for (String name : names) {
      String written = JsonLines.name(name);
      assertVisible(written);
      assertThat(stats.out()).contains("policy of " + written + ": ");
      ToolRun scan = tool(directory, written, "scan");
      assertThat(scan.out()).isEqualTo("key\t" + written + System.lineSeparator());
    }
    String name = names.iterator().next();
    String digits = "hex:" + HexFormat.of().formatHex(bytes(name));
    assertThat(tool(directory, digits, "put", "more", "value").code()).isZero();
    assertThat(tool(directory, digits, "get", "more").out().strip()).isEqualTo("value");
    assertThat(tool(directory, digits, "delete", "more").code()).isZero();
    ToolRun absent = tool(directory, digits + "3f3f", "get", "more");
    assertThat(absent.code()).isEqualTo(ExitCode.USAGE);
    assertVisible(absent.err());
    ToolRun broken = tool(directory, "hex:ff", "get", "more");
    assertThat(broken.code()).isEqualTo(ExitCode.USAGE);
    assertThat(broken.err()).contains("--family (hex:ff) must be text in UTF-8");
  }

  private static ToolRun tool(Path directory, String family, String verb, String... more) {
    List<String> line = new ArrayList<>(List.of("store", verb, "--family=" + family));
    line.add(directory.toString());
    line.addAll(List.of(more));
    return ToolRun.of(line.toArray(String[]::new));
  }

  private static void assertVisible(String text) {
    assertThat(text.codePoints().filter(code -> code != '\n' && code != '\t'))
        .as("%s", text)
        .allMatch(NameText::isVisible);
  }

  @Test
  void onlyAManifestWithSuchANameIsOfTheNewerFormat() throws IOException {
    Path directory = parent.resolve("format");
    try (Store store = Store.open(directory, options("format"))) {
      store.createFamily("plain-name_1");
      store.createFamily("x".repeat(64));
      assertThat(format(directory)).isEqualTo(OLD_FORMAT);
    }
    for (String name : List.of("Users", "a b", "a.b", "日本", "x".repeat(65))) {
      try (Store store = Store.open(directory, options("format"))) {
        assertThat(format(directory)).isEqualTo(OLD_FORMAT);
        store.createFamily(name).put(bytes("key"), bytes(name));
        assertThat(format(directory)).as(name).isGreaterThan(OLD_FORMAT);
      }
      try (Store store = Store.open(directory, options("format"))) {
        assertThat(format(directory)).as(name + " again").isGreaterThan(OLD_FORMAT);
        assertThat(store.family(name).get(bytes("key"))).isEqualTo(bytes(name));
        store.dropFamily(name);
      }
    }
    StoreOptions named = StoreOptions.builder().family("of options", "tiered").build();
    try (Store store = Store.open(directory, named)) {
      assertThat(format(directory)).isGreaterThan(OLD_FORMAT);
      assertThat(store.family("of options").policy()).startsWith("tiered");
    }
  }

  /** The format of the manifest in force. */
  private static int format(Path directory) throws IOException {
    String newest =
        files(directory).stream()
            .filter(name -> name.endsWith(".manifest"))
            .max(String::compareTo)
            .orElseThrow();
    byte[] bytes = Files.readAllBytes(directory.resolve(newest));
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(FORMAT_AT);
  }

  private static Set<String> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return new HashSet<>(files.map(file -> file.getFileName().toString()).toList());
    }
  }

  @Test
  void namesThatUtf8CannotHoldOrThatAreTooLongAreRefused() {
    Map<String, String> wrong =
        Map.of(
            "",
            "family name '' of 0 bytes must have 1 to 255 bytes in UTF-8; choose another name",
            "é".repeat(128),
            "family name '"
                + "é".repeat(128)
                + "' of 256 bytes must have 1 to 255 bytes in UTF-8; choose another name",
            "a\uD83C",
            "family name 'a\\u{d83c}' has an unpaired surrogate at index 1, which UTF-8 cannot"
                + " hold; choose another name",
            "\uDF33\uD83C",
            "family name '\\u{df33}\\u{d83c}' has an unpaired surrogate at index 0, which UTF-8"
                + " cannot hold; choose another name");
    Path directory = parent.resolve("refused");
    try (Store store = Store.open(directory, options("refused"))) {
      wrong.forEach(
          (name, message) -> {
            assertThatThrownBy(() -> store.createFamily(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
            assertThatThrownBy(() -> store.family(name)).hasMessage(message);
            assertThatThrownBy(() -> StoreOptions.builder().family(name, "tiered").build())
                .isInstanceOf(InvalidOptionsException.class)
                .hasMessageContaining(message);
          });
      assertThat(store.families()).hasSize(1);
      store.createFamily("\uD83C\uDF33".repeat(63)).put(bytes("key"), bytes("tree"));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
