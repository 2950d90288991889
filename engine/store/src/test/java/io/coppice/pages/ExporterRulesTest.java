// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.testing.ExporterRules;
import io.coppice.testing.ExporterRules.Rule;
import io.coppice.testing.ExporterRules.Series;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The exporter rules of {@code docker/monitoring} fit the beans of a store. */
class ExporterRulesTest {

  private static final String STORE = "orders, \"new\"";
  private static final String FAMILY = "a b=c";

  @TempDir Path directory;

  @Test
  void eachRuleExportsABeanUnderTheNamesOfStoreAndFamily() throws Exception {
    MBeanServer agent = ManagementFactory.getPlatformMBeanServer();
    ExporterRules rules = ExporterRules.of(ExporterRules.KIT.resolve("jmx-store.yml"));
    StoreOptions.Builder options = MetricsPageTest.options(new MetricRegistry(), STORE).jmx(true);
    Set<Rule> used = new HashSet<>();
    Set<Series> series = new HashSet<>();
    try (Store store = Store.open(directory, options.family(FAMILY, "leveled").build())) {
      MetricsPageTest.fill(store);
      for (String include : rules.includes()) {
        for (ObjectName bean : agent.queryNames(new ObjectName(include), null)) {
          if (!bean.getKeyProperty("store").equals(ObjectName.quote(STORE))) {
            continue;
          }
          for (MBeanAttributeInfo attribute : agent.getMBeanInfo(bean).getAttributes()) {
            Optional<Series> one = rules.series(bean, attribute.getName());
            if (one.isPresent()) {
              used.add(rules.rule(bean, attribute.getName()).orElseThrow());
              assertThat(series.add(one.get())).as(one + " twice, of " + bean).isTrue();
              assertThat(agent.getAttribute(bean, attribute.getName())).isInstanceOf(Number.class);
            }
          }
        }
      }
    }
    assertThat(used).containsExactlyInAnyOrderElementsOf(rules.rules());
    // The exporter takes the text of the bean's name, in which JMX escapes quotes.
    String store = STORE.replace("\"", "\\\"");
    for (String family : List.of("default", MetricsPageTest.FAMILY, FAMILY)) {
      assertThat(series)
          .contains(new Series("coppice_backlog_bytes", Map.of("store", store, "family", family)));
    }
    assertThat(series).contains(new Series("coppice_store_read_only", Map.of("store", store)));
  }
}
