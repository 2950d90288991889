// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.cassandra.service.CassandraDaemon;

/**
 * Main class of a measured node: an unmodified Cassandra daemon, a {@link Recorder} and a {@link
 * PlanningMeter}. The process ends by itself once the process that started it has ended in any way.
 */
public final class RecordedNode {

  /** System property with the id of the process that started this one. */
  public static final String STARTER = "coppice.starter";

  private RecordedNode() {}

  /**
   * Starts the daemon and returns once it answers CQL.
   *
   * @param args ignored
   * @throws JMException if the recorder cannot be registered
   */
  public static void main(String[] args) throws JMException {
    endWith(Long.getLong(STARTER));
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    beans.registerMBean(new Recorder(), new ObjectName(RecorderMXBean.NAME));
    beans.registerMBean(new PlanningMeter(), new ObjectName(PlanningMeterMXBean.NAME));
    CassandraDaemon.main(args);
  }

  private static void endWith(Long starter) {
    if (starter == null) {
      return;
    }
    Runnable end = () -> Runtime.getRuntime().halt(1);
    ProcessHandle.of(starter).ifPresentOrElse(alive -> alive.onExit().thenRun(end), end);
  }
}
