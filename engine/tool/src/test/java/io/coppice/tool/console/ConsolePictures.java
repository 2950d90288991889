// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.tool.console.watch.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Takes the pictures of the console for the documents: three processes with a gigabyte of tables
 * together, watched for ten minutes. Run it by {@code .ci/console-pictures}.
 */
public final class ConsolePictures {

  private static final int NODES = 3;
  private static final int FIRST_PORT = 7301;

  /** Bytes of all tables together; the pictures wait for them. */
  private static final long ALL_BYTES = Long.getLong("pictures.bytes", 1_000_000_000);

  private static final long MINUTE = 60_000;
  private static final int MINUTES = Integer.getInteger("pictures.minutes", 10);
  private static final int VALUE_BYTES = 500;

  /** Bytes that each node writes in a second: a gigabyte in ten minutes, with some overwrites. */
  private static final int RATE = Integer.getInteger("pictures.rate", 700_000);

  private static final String[][] FAMILIES = {
    {"orders", "delayed,vct=8,table_size=1MiB"},
    {"carts", "split-forest,table_size=1MiB"},
    {"events", "tiered,table_size=4MiB"},
  };

  private ConsolePictures() {}

  /**
   * Writes with {@code write DIRECTORY} until standard input ends, takes pictures with {@code
   * pictures IMAGES MINUTES} of running writers, and does both with {@code all IMAGES}.
   */
  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "write" -> write(Path.of(arguments[1]));
      case "pictures" -> pictures(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      default -> all(Path.of(arguments[1]));
    }
  }

  private static void all(Path images) throws Exception {
    Path directory = Files.createTempDirectory("coppice-pictures");
    List<Process> writers = new ArrayList<>();
    // Also after a signal. A writer that this process cannot end ends with its standard input.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(writers, directory)));
    for (int node = 0; node < NODES; node++) {
      writers.add(writer(directory.resolve("node" + node), FIRST_PORT + node));
    }
    pictures(images, MINUTES);
  }

  private static void clean(List<Process> writers, Path directory) {
    writers.forEach(Process::destroyForcibly);
    writers.forEach(writer -> writer.onExit().join());
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      System.err.println(directory + " is left: " + e.getMessage());
    }
  }

  private static Process writer(Path directory, int port) throws IOException {
    String jmx = "-Dcom.sun.management.jmxremote.";
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-Dpictures.rate=" + RATE,
            "-Dpictures.bytes=" + ALL_BYTES,
            jmx + "port=" + port,
            jmx + "rmi.port=" + port,
            jmx + "host=127.0.0.1",
            jmx + "authenticate=false",
            jmx + "ssl=false",
            "-Djava.rmi.server.hostname=127.0.0.1",
            "-cp",
            System.getProperty("java.class.path"),
            ConsolePictures.class.getName(),
            "write",
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static void write(Path directory) throws Exception {
    StoreOptions.Builder options =
        StoreOptions.builder()
            .name("shop")
            .jmx(true)
            .memtableBytes(6 << 20)
            .durability(Durability.NONE);
    for (String[] family : FAMILIES) {
      options.family(family[0], family[1]);
    }
    AtomicBoolean ended = new AtomicBoolean();
    Thread input = new Thread(() -> awaitEnd(ended), "input");
    input.setDaemon(true);
    input.start();
    try (Store store = Store.open(directory, options.build())) {
      List<Family> families = new ArrayList<>();
      for (String[] one : FAMILIES) {
        families.add(store.family(one[0]));
      }
      Random random = new Random(directory.toString().hashCode());
      byte[] value = new byte[VALUE_BYTES];
      int keys = (int) (ALL_BYTES / NODES / FAMILIES.length / VALUE_BYTES * 2);
      int slice = RATE / 20 / VALUE_BYTES;
      while (!ended.get()) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
        for (int i = 0; i < slice; i++) {
          Family family = families.get(i % families.size());
          random.nextBytes(value);
          family.put(key(random, keys), value);
          if (i % 4 == 0) {
            family.get(key(random, keys));
          }
        }
        TimeUnit.NANOSECONDS.sleep(Math.max(0, end - System.nanoTime()));
      }
    }
  }

  private static void awaitEnd(AtomicBoolean ended) {
    try {
      System.in.read();
    } catch (IOException e) {
      // It has ended, too.
    }
    ended.set(true);
  }

  private static byte[] key(Random random, int keys) {
    return String.format("user%08d", random.nextInt(keys)).getBytes();
  }

  /** A process that is asked over JMX on this machine. */
  private record Node(String name, int port, JMXConnector[] open) implements Endpoint {
    @Override
    public MBeanServerConnection connect() throws IOException {
      open[0] =
          JMXConnectorFactory.connect(
              new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"));
      return open[0].getMBeanServerConnection();
    }

    @Override
    public void close() {
      if (open[0] != null) {
        try {
          open[0].close();
        } catch (IOException e) {
          // The process is gone.
        }
      }
    }
  }

  private static void pictures(Path images, int minutes) throws Exception {
    List<Endpoint> nodes = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      nodes.add(new Node("10.0.0." + (node + 1) + ":7199", FIRST_PORT + node, new JMXConnector[1]));
    }
    List<String> kept = new ArrayList<>();
    ChangeStore changes =
        new ChangeStore() {
          @Override
          public List<String> lines() {
            return kept;
          }

          @Override
          public void append(String line) {
            kept.add(line);
          }
        };
    try (Console console = Console.start(new Console.Options(nodes, 0, true), changes);
        Playwright playwright = Chromium.playwright();
        Browser browser = Chromium.browser(playwright, 10 * MINUTE)) {
      Page page =
          browser.newPage(
              new Browser.NewPageOptions()
                  .setViewportSize(1280, 800)
                  .setReducedMotion(ReducedMotion.REDUCE)
                  .setColorScheme(ColorScheme.LIGHT));
      page.setDefaultTimeout(10 * MINUTE);
      System.out.println(console.address());
      Thread.sleep(minutes * MINUTE);
      page.navigate(console.address().toString());
      page.waitForFunction(
          "bytes => Coppice.state?.nodes.reduce((sum, one) => sum + one.live, 0) >= bytes",
          (double) ALL_BYTES);
      new Walk(page, images).all();
    }
  }

  /** The way through the page on which the pictures are taken. */
  private record Walk(Page page, Path images) {

    private static final String TABLE = "shop/orders";

    void all() {
      page.waitForSelector("tr[data-table='" + TABLE + "']");
      shot("overview");
      open(TABLE);
      page.waitForFunction("() => document.querySelector('#forest')?.dataset.virtual > 1");
      page.waitForFunction("() => document.querySelector('#forest').dataset.merges > 0");
      shot("forest");
      page.keyboard().press("c");
      page.waitForSelector("#compactions tbody tr");
      shot("compactions");
      page.keyboard().press("o");
      open(TABLE);
      page.keyboard().press("3");
      page.waitForSelector("#suggest:not(:disabled)");
      page.fill("input[name=vct]", "99");
      page.waitForSelector("#fault-vct:not(:empty)");
      page.evaluate("() => document.activeElement.blur()");
      shot("tune-fault");
      page.fill("input[name=vct]", "8");
      page.click("#suggest");
      page.waitForSelector("#suggestions, #advice .room");
      page.selectOption("#aim", "wa");
      shot("suggestions");
      page.click("#suggestions >> text=Use >> nth=0");
      page.waitForSelector("#simulate:not(:disabled)");
      page.click("#simulate");
      page.waitForSelector("#results:not(.stale) #forecast");
      page.evaluate("() => { document.getElementById('advice').replaceChildren(); }");
      shot("tune");
      page.click("#apply");
      page.click("#yes");
      page.waitForSelector("#since");
      page.waitForTimeout(2 * MINUTE);
      shot("tuned");
      page.keyboard().press("2");
      page.waitForSelector("#course");
      page.hover("#course canvas >> nth=0");
      page.waitForSelector("#card:not([hidden])");
      shot("amplification");
      page.mouse().move(0, 0);
      page.keyboard().press("5");
      page.waitForSelector("#nodes");
      shot("nodes");
      page.evaluate("() => document.activeElement.blur()");
      page.keyboard().press("h");
      page.waitForSelector("#history");
      shot("history");
    }

    private void open(String table) {
      page.click("tr[data-table='" + table + "'] a >> nth=0");
      page.waitForSelector(".tabs");
      page.evaluate("() => document.activeElement.blur()");
    }

    /** Saves a picture that is as high as the shown content. */
    private void shot(String name) {
      page.evaluate(
          "() => { document.getElementById('toast').hidden = true; window.scrollTo(0, 0); }");
      double height =
          ((Number)
                  page.evaluate(
                      "() => Math.max(document.getElementById('main').getBoundingClientRect().bottom,"
                          + " (document.querySelector('#card:not([hidden])')"
                          + "?.getBoundingClientRect().bottom ?? 0) + 12)"))
              .doubleValue();
      page.screenshot(
          new Page.ScreenshotOptions()
              .setPath(images.resolve("console-" + name + ".png"))
              .setFullPage(true)
              .setClip(0, 0, 1280, height));
    }
  }
}
