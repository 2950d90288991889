// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.tool.ToolRun;
import io.coppice.tool.console.watch.Endpoint;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** A store with beans in this process, and a console that watches it. */
final class WatchedStore implements AutoCloseable {

  static final String NODE = "this process";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  final String name = "orders" + NUMBERS.incrementAndGet();
  final Store store;
  final Console console;
  final List<String> kept = Collections.synchronizedList(new ArrayList<>());

  /** What was asked over {@link #connection}. */
  final List<String> asked = new ArrayList<>();

  /** When false the process cannot be reached. */
  volatile boolean reachable = true;

  /** When true changes cannot be kept. */
  volatile boolean diskFull;

  /** When true whoever asks the process meets an error. */
  volatile boolean broken;

  WatchedStore(Path directory, boolean allowChanges) throws IOException {
    store =
        Store.open(
            directory,
            StoreOptions.builder()
                .name(name)
                .jmx(true)
                .policy("delayed,table_size=16KiB,vct=8")
                .memtableBytes(64 << 10)
                .durability(Durability.NONE)
                .build());
    console =
        Console.start(
            new Console.Options(List.of(new Here()), 0, allowChanges),
            new ChangeStore() {
              @Override
              public List<String> lines() {
                return List.copyOf(kept);
              }

              @Override
              public void append(String line) throws IOException {
                if (diskFull) {
                  throw new IOException("no room");
                }
                kept.add(line);
              }
            },
            ToolRun.STANDING);
  }

  private final class Here implements Endpoint {
    @Override
    public String name() {
      return NODE;
    }

    @Override
    public MBeanServerConnection connect() throws IOException {
      if (!reachable) {
        throw new IOException("nobody is there");
      }
      return (MBeanServerConnection)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {MBeanServerConnection.class},
              (proxy, method, arguments) -> {
                if (!reachable) {
                  throw new IOException("nobody is there any more");
                }
                if (broken) {
                  throw new NoClassDefFoundError("a class is missing");
                }
                try {
                  return method.invoke(ManagementFactory.getPlatformMBeanServer(), arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    @Override
    public void close() {
      // The platform's own agent needs no closing.
    }
  }

  /** The process as a console sees it; what is asked of this store's beans goes into the list. */
  MBeanServerConnection connection() {
    return (MBeanServerConnection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MBeanServerConnection.class},
            (proxy, method, arguments) -> {
              if (arguments[0] instanceof ObjectName bean
                  && name.equals(bean.getKeyProperty("name"))) {
                asked.add(
                    method.getName().equals("invoke") ? (String) arguments[1] : method.getName());
              }
              return method.invoke(ManagementFactory.getPlatformMBeanServer(), arguments);
            });
  }

  URI address() {
    return console.address();
  }

  /** The table's id in the console. */
  String table() {
    return name + "/default";
  }

  /** What a path about the table answers; found is put behind it. */
  String about(String path) {
    return path
        + "?node="
        + URLEncoder.encode(NODE, StandardCharsets.UTF_8)
        + "&table="
        + URLEncoder.encode(table(), StandardCharsets.UTF_8);
  }

  /** A body about the table with further members. */
  String body(String members) {
    return "{\"node\":\"" + NODE + "\",\"table\":\"" + table() + "\"" + members + "}";
  }

  void write(Family family, int entries, long seed) {
    Random random = new Random(seed);
    byte[] value = new byte[200];
    for (int i = 0; i < entries; i++) {
      random.nextBytes(value);
      family.put(String.format("user%06d", random.nextInt(20_000)).getBytes(), value);
    }
  }

  void write(int entries, long seed) {
    write(store.family("default"), entries, seed);
  }

  JsonNode json(String path) throws IOException {
    HttpAnswer answer = HttpAnswer.get(address(), path);
    assertThat(answer.status()).as(path + ": " + answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body());
  }

  /** Asks until the answer is so. */
  JsonNode await(String path, Predicate<JsonNode> so) throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      HttpAnswer answer = HttpAnswer.get(address(), path);
      JsonNode json = JSON.readTree(answer.body());
      if (answer.status() == 200 && so.test(json)) {
        return json;
      }
      assertThat(System.nanoTime()).as(path + " still says " + answer.body()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Waits until the console has seen the table. */
  void awaitSeen() throws IOException {
    await(
        "/api/state",
        state -> state.at("/nodes/0/tables").findValuesAsText("id").contains(table()));
  }

  /** Waits until the console has a sample that began after this call. */
  void awaitNewerSample() throws IOException {
    long now = System.currentTimeMillis();
    await("/api/state", state -> state.at("/nodes/0/seen").asLong() > now);
  }

  @Override
  public void close() {
    console.close();
    store.close();
  }
}
