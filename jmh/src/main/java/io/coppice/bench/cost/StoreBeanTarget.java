// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.bench.suite.Directories;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.UniformDraws;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;

/** A store of this process with many small tables, and a JMX connection to it over loopback. */
final class StoreBeanTarget {

  private static final String NAME = "consolecost";
  private static final int VALUE_BYTES = 1000;
  private static final int BATCH = 4096;

  private StoreBeanTarget() {}

  /**
   * Opens a store and writes until it has the given number of tables and no merge runs or is
   * wanted.
   */
  static BeanTarget with(int tables, Path directory) throws IOException, JMException {
    Directories.delete(directory);
    Store store =
        Store.open(
            directory,
            StoreOptions.builder()
                .name(NAME)
                .jmx(true)
                .policy("split-forest,table_size=16KiB")
                .memtableBytes(1 << 20)
                .durability(Durability.NONE)
                .build());
    fill(store, tables);
    JMXConnectorServer server =
        JMXConnectorServerFactory.newJMXConnectorServer(
            new JMXServiceURL("service:jmx:rmi://127.0.0.1"),
            null,
            ManagementFactory.getPlatformMBeanServer());
    server.start();
    JMXConnector connector = JMXConnectorFactory.connect(server.getAddress());
    return new BeanTarget(
        "store, " + tables(store) + " tables",
        connector.getMBeanServerConnection(),
        new ObjectName("io.coppice:type=Store,name=" + NAME + ",family=default"),
        () -> {
          connector.close();
          server.stop();
          store.close();
          Directories.delete(directory);
        });
  }

  private static void fill(Store store, int tables) {
    UniformDraws draws = new UniformDraws(1, Integer.MAX_VALUE);
    byte[] key = new byte[BenchmarkKeys.BYTES];
    byte[] value = new byte[VALUE_BYTES];
    while (tables(store) < tables) {
      for (int i = 0; i < BATCH; i++) {
        BenchmarkKeys.write(key, draws.next());
        store.put(key, value);
      }
      store.flush();
      store.awaitIdle();
    }
  }

  private static int tables(Store store) {
    return store.stats().levels().stream().mapToInt(StoreStats.LevelStats::segments).sum();
  }
}
