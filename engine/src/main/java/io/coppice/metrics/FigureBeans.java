// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import com.codahale.metrics.jmx.ObjectNameFactory;
import java.lang.management.ManagementFactory;
import java.util.Hashtable;
import java.util.Set;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** The figures of a store as beans, named like those of Cassandra's tables. */
final class FigureBeans {

  private static final String DOMAIN = "io.coppice";

  private FigureBeans() {}

  /**
   * Starts to show figures, and goes on as they come and go; the reporter is the caller's to close.
   *
   * @param prefix with which the names begin
   * @param names those that are shown; asked anew for each that comes
   */
  static JmxReporter start(MetricRegistry registry, String prefix, Set<String> names) {
    JmxReporter reporter =
        JmxReporter.forRegistry(registry)
            .registerWith(ManagementFactory.getPlatformMBeanServer())
            .inDomain(DOMAIN)
            .filter((name, metric) -> names.contains(name))
            .createsObjectNamesWith(names(prefix))
            .build();
    reporter.start();
    return reporter;
  }

  private static ObjectNameFactory names(String prefix) {
    String store = prefix.substring(prefix.indexOf('.') + 1);
    return (type, domain, name) -> name(store, name.substring(prefix.length() + 1));
  }

  /** A family's figure has a small letter first, as families are named so. */
  private static ObjectName name(String store, String figure) {
    Hashtable<String, String> keys = new Hashtable<>();
    keys.put("type", "Metrics");
    keys.put("store", quoted(store));
    int dot = figure.indexOf('.');
    if (dot > 0 && !Character.isUpperCase(figure.charAt(0))) {
      keys.put("family", figure.substring(0, dot));
      keys.put("name", figure.substring(dot + 1));
    } else {
      keys.put("name", figure);
    }
    try {
      return new ObjectName(DOMAIN, keys);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(figure, e);
    }
  }

  private static String quoted(String text) {
    return text.matches("[\\w.-]+") ? text : ObjectName.quote(text);
  }
}
