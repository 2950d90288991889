// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.MetricRegistryListener;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class MetricBeansTest {

  /** A registry, shared with other users, that fails once it knows the listener. */
  private static final class FailingRegistry extends MetricRegistry {
    @Override
    public void addListener(MetricRegistryListener listener) {
      super.addListener(listener);
      throw new IllegalStateException("no beans here");
    }
  }

  @Test
  void aFailedStartLeavesNoBeanAndNoListener() throws Exception {
    MetricRegistry registry = new FailingRegistry();
    Gauge<Integer> gauge = () -> 1;
    registry.register("early", gauge);
    StoreMetrics.Owner owner = new StoreMetrics.Owner("", "figure");
    Map<String, StoreMetrics.Owner> owners = Map.of("early", owner, "late", owner);
    String store = "MetricBeansTest";
    assertThatThrownBy(() -> MetricBeans.start(registry, store, owners))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no beans here");
    assertThat(beans(store)).isEmpty();
    registry.register("late", gauge);
    assertThat(beans(store)).as("the listener left the registry").isEmpty();
  }

  private static Set<ObjectName> beans(String store) throws Exception {
    ObjectName pattern = new ObjectName("io.coppice:store=" + store + ",*");
    return ManagementFactory.getPlatformMBeanServer().queryNames(pattern, null);
  }
}
