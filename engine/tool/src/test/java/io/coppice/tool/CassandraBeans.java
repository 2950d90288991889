// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * A JMX agent on loopback that answers as Cassandra 5.0.9 does, in the few beans that preflight and
 * canary ask. What a real node answers is tested beside the plugin.
 */
public final class CassandraBeans implements AutoCloseable {

  public static final String UNIFIED =
      "{\"class\":\"org.apache.cassandra.db.compaction.UnifiedCompactionStrategy\"}";

  public static final String OURS =
      "{\"class\":\"io.coppice.cassandra.SplitForestCompactionStrategy\"}";

  /** Of {@code java.lang:type=Runtime}. */
  public interface RuntimeAnswers {
    String getSpecVersion();

    String getClassPath();
  }

  /** Of Cassandra's {@code StorageService}. */
  public interface StorageAnswers {
    String getReleaseVersion();

    String getLocalHostId();
  }

  /** Of Cassandra's {@code StorageProxy}. */
  public interface ProxyAnswers {
    Map<String, List<String>> getSchemaVersions();
  }

  /** Of a table. */
  public interface TableAnswers {
    String getCompactionParametersJson();

    void setCompactionParametersJson(String json);
  }

  /** Of our own bean of a table. */
  public interface StrategyAnswers {
    String getConfiguration();
  }

  /** Cannot be read by who asked, as an answer that does not come. */
  private static final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream from) throws IOException {
      throw new IOException("Read timed out");
    }
  }

  public String jdk = "17";
  String classPath = "/opt/cassandra/lib/guava.jar:/x/coppice-cassandra-5.0-0.1.0.jar";
  public String release = "5.0.9";
  public String hostId;

  /** When true it takes compaction parameters, and who sets them gets no answer. */
  public boolean answerLost;

  public boolean plugin = true;
  public Map<String, List<String>> schemas = Map.of("a1", List.of("127.0.0.1"));
  public String compaction = UNIFIED;

  private final MBeanServer beans = MBeanServerFactory.newMBeanServer();
  private final LocalAgent agent = new LocalAgent(beans);

  public CassandraBeans() throws IOException, JMException {
    hostId = "node " + host();
    register(
        "java.lang:type=Runtime",
        RuntimeAnswers.class,
        new RuntimeAnswers() {
          @Override
          public String getSpecVersion() {
            return jdk;
          }

          @Override
          public String getClassPath() {
            return classPath;
          }
        });
    register(
        "org.apache.cassandra.db:type=StorageService",
        StorageAnswers.class,
        new StorageAnswers() {
          @Override
          public String getReleaseVersion() {
            return release;
          }

          @Override
          public String getLocalHostId() {
            return hostId;
          }
        });
    register("org.apache.cassandra.db:type=StorageProxy", ProxyAnswers.class, () -> schemas);
    for (String table : List.of("keyspace=system,table=local", "keyspace=ks,table=t")) {
      register("org.apache.cassandra.db:type=Tables," + table, TableAnswers.class, table());
    }
  }

  private TableAnswers table() {
    return new TableAnswers() {
      @Override
      public String getCompactionParametersJson() {
        return compaction;
      }

      @Override
      public void setCompactionParametersJson(String json) {
        String refusal = "Could not set new local compaction strategy: ";
        if (json.contains("io.coppice") && !plugin) {
          throw new IllegalArgumentException(
              refusal + "Unable to find compaction strategy class 'io.coppice...'");
        }
        if (json.contains("__preflight__") || json.contains("fan_out")) {
          throw new IllegalArgumentException(
              refusal + "coppice 0.1.0: option '__preflight__' is not understood");
        }
        compaction = json;
        if (answerLost) {
          throw new LostException();
        }
      }
    };
  }

  /** From now on the table has a bean of ours. */
  public void withStrategy() throws JMException {
    register("io.coppice:type=Strategy,keyspace=ks,table=t", StrategyAnswers.class, () -> UNIFIED);
  }

  private <T> void register(String name, Class<T> type, T bean) throws JMException {
    beans.registerMBean(new StandardMBean(bean, type, false), new ObjectName(name));
  }

  public String host() {
    return agent.host();
  }

  @Override
  public void close() throws IOException {
    agent.close();
  }
}
