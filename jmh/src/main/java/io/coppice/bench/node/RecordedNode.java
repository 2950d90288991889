// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.cassandra.service.CassandraDaemon;

/**
 * Main class of a measured node: an unmodified Cassandra daemon with a {@link Recorder} and a
 * {@link PlanningMeter} beside it. It ends by itself when the process that started it is gone,
 * however that ended.
 */
public final class RecordedNode {

  /** System property that holds the process id of the starter. */
  public static final String STARTER = "coppice.starter";

  private RecordedNode() {}

  /**
   * Starts the daemon and returns once it serves.
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
