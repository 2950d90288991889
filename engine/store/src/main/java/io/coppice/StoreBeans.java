// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.bytes.NameText;
import io.coppice.metrics.MetricBeans;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * JMX beans of an open store in the JVM's own agent, one for each family. If a bean's name is
 * taken, the family goes without one and a warning is logged, because an invisible store is better
 * than one that fails to open. Safe to share between threads.
 */
final class StoreBeans implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private final MBeanServer agent = ManagementFactory.getPlatformMBeanServer();
  private final Map<Integer, ObjectName> registered = new ConcurrentHashMap<>();
  private final Store store;

  StoreBeans(Store store) {
    this.store = store;
  }

  void add(FamilyParts family) {
    try {
      ObjectName bean =
          new ObjectName(
              "io.coppice:type=Store,name="
                  + MetricBeans.quoted(store.options().name)
                  + ",family="
                  + MetricBeans.quoted(family.name()));
      agent.registerMBean(FamilyBean.of(store, family), bean);
      registered.put(family.number(), bean);
    } catch (JMException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "family "
              + NameText.quoted(family.name())
              + " of store "
              + store.options().name
              + " has no bean; StoreOptions.Builder.name gives each open store a name of its own",
          e);
    }
  }

  void remove(FamilyParts family) {
    ObjectName bean = registered.remove(family.number());
    if (bean != null) {
      unregister(bean);
    }
  }

  private void unregister(ObjectName bean) {
    try {
      agent.unregisterMBean(bean);
    } catch (JMException e) {
      LOG.log(System.Logger.Level.WARNING, bean + " was already unregistered by other code", e);
    }
  }

  @Override
  public void close() {
    for (ObjectName bean : registered.values()) {
      unregister(bean);
    }
    registered.clear();
  }
}
