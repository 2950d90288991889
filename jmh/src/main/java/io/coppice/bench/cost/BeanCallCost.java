// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import com.sun.management.OperatingSystemMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * Cost of one bean operation over JMX.
 *
 * @param operation name of the operation
 * @param medianMillis median duration of a round trip, with the client's part
 * @param maxMillis longest duration of a round trip
 * @param processorMillis processor time per call of the process with the bean, including its other
 *     work
 * @param bytes serialized size of the answer
 */
record BeanCallCost(
    String operation, double medianMillis, double maxMillis, double processorMillis, long bytes) {

  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * Measures an operation of a bean.
   *
   * @param before number of unmeasured calls that run first, so that the JVM compiles the code
   * @param times number of measured calls, at least 1
   * @throws IOException if the process does not answer
   * @throws JMException if the bean is missing or the operation fails
   */
  static BeanCallCost at(
      MBeanServerConnection beans, ObjectName bean, String operation, int before, int times)
      throws IOException, JMException {
    OperatingSystemMXBean system =
        JMX.newMXBeanProxy(
            beans,
            new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME),
            OperatingSystemMXBean.class);
    for (int i = 0; i < before; i++) {
      ask(beans, bean, operation);
    }
    double[] millis = new double[times];
    long processor = system.getProcessCpuTime();
    Object answer = null;
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      answer = ask(beans, bean, operation);
      millis[i] = (System.nanoTime() - start) / NANOS_PER_MILLI;
    }
    processor = system.getProcessCpuTime() - processor;
    Arrays.sort(millis);
    return new BeanCallCost(
        operation,
        millis[times / 2],
        millis[times - 1],
        processor / NANOS_PER_MILLI / times,
        size(answer));
  }

  private static Object ask(MBeanServerConnection beans, ObjectName bean, String operation)
      throws IOException, JMException {
    return beans.invoke(bean, operation, new Object[0], new String[0]);
  }

  private static long size(Object answer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(answer);
    }
    return bytes.size();
  }
}
