// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;

class NodeReaderTest {

  private static final String JAR = "/opt/lib/guava.jar:/opt/lib/coppice-cassandra-5.0-1.2.0.jar";

  /** Of Cassandra's {@code StorageService}. */
  public interface StorageAnswers {
    String getReleaseVersion();
  }

  /** Of {@code java.lang:type=Runtime}. */
  public interface RuntimeAnswers {
    String getSpecVersion();

    String getClassPath();
  }

  private record Process(String getSpecVersion, String getClassPath) implements RuntimeAnswers {}

  private static boolean plugin(String cassandra, String jdk, String classPath) throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    StorageAnswers storage = () -> cassandra;
    beans.registerMBean(
        new StandardMBean(storage, StorageAnswers.class, false),
        new ObjectName("org.apache.cassandra.db:type=StorageService"));
    beans.registerMBean(
        new StandardMBean(new Process(jdk, classPath), RuntimeAnswers.class, false),
        new ObjectName("java.lang:type=Runtime"));
    NodeReader reader = new NodeReader(new Beans(beans));
    boolean seen = reader.look(id -> false, 0).plugin();
    for (int i = 0; i < 6; i++) {
      assertThat(reader.look(id -> false, 0).plugin()).isEqualTo(seen);
    }
    return seen;
  }

  @Test
  void aNodeWithoutATableOfOursTellsByItsClassPathWhetherItHasThePlugin() throws Exception {
    assertThat(plugin("5.0.9", "17", JAR)).isTrue();
    assertThat(plugin("5.0.9", "17", "/opt/lib/guava.jar")).isFalse();
    assertThat(plugin("5.0.9", "11", JAR)).isFalse();
    assertThat(plugin("5.0.9", "1.8", JAR)).isFalse();
    assertThat(plugin("6.0-alpha2", "17", JAR)).isFalse();
    assertThat(plugin("5.0.9", "17", JAR.replace("-5.0-", "-6.0-"))).isFalse();
  }

  @Test
  void aProcessThatIsNoCassandraHasNone() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    assertThat(new NodeReader(new Beans(beans)).look(id -> true, 0).plugin()).isFalse();
  }
}
