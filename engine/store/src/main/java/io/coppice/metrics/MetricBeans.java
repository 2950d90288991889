// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import com.codahale.metrics.jmx.ObjectNameFactory;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * JMX beans of a store's metrics: their names and their reporter. A name is {@code
 * io.coppice:type=Metrics,store=...,family=...,name=...}; an empty store or family is left out.
 */
public final class MetricBeans {

  private static final String DOMAIN = "io.coppice";

  private MetricBeans() {}

  /**
   * Starts to show metrics, including later ones, as beans. The caller closes the reporter. A start
   * that fails removes the beans and the reporter's listener, and throws.
   *
   * @param store name in the bean's key {@code store}; "" leaves the key out
   * @param owners family and short name of each metric to show, by its full name in the registry;
   *     consulted again for each new metric
   */
  static JmxReporter start(
      MetricRegistry registry, String store, Map<String, StoreMetrics.Owner> owners) {
    JmxReporter reporter =
        JmxReporter.forRegistry(registry)
            .registerWith(ManagementFactory.getPlatformMBeanServer())
            .inDomain(DOMAIN)
            .filter((name, metric) -> owners.containsKey(name))
            .createsObjectNamesWith(names(store, owners))
            .build();
    try {
      reporter.start();
    } catch (RuntimeException | Error e) {
      try {
        reporter.close();
      } catch (RuntimeException | Error again) {
        e.addSuppressed(again);
      }
      throw e;
    }
    return reporter;
  }

  private static ObjectNameFactory names(String store, Map<String, StoreMetrics.Owner> owners) {
    return (type, domain, name) -> {
      StoreMetrics.Owner owner = owners.get(name);
      // The reporter also asks for removed metrics of other stores that share the registry.
      return owner == null ? name("", "", name) : name(store, owner.family(), owner.figure());
    };
  }

  private static ObjectName name(String store, String family, String figure) {
    // Exporters match a name as text, so its keys have a fixed order.
    StringBuilder name = new StringBuilder(DOMAIN).append(":type=Metrics");
    if (!store.isEmpty()) {
      name.append(",store=").append(quoted(store));
    }
    if (!family.isEmpty()) {
      name.append(",family=").append(quoted(family));
    }
    try {
      return new ObjectName(name.append(",name=").append(quoted(figure)).toString());
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(figure, e);
    }
  }

  /**
   * Returns a name as a value in an {@link ObjectName}: unchanged if it has only ASCII letters,
   * digits, {@code _}, {@code .} and {@code -}, otherwise as {@link ObjectName#quote} writes it.
   */
  public static String quoted(String text) {
    return text.matches("[\\w.-]+") ? text : ObjectName.quote(text);
  }
}
