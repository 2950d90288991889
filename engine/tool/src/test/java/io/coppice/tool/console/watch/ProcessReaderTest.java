// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.policy.observe.OpenRecords;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.Test;

class ProcessReaderTest {

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

  /** Of a table or family of ours. */
  public interface StrategyAnswers {
    CompositeData snapshot();

    CompositeData tableMap();
  }

  private record Strategy(CompositeData snapshot, CompositeData tableMap)
      implements StrategyAnswers {}

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
    ProcessReader reader = new ProcessReader(new Beans(beans));
    boolean seen = reader.sample(id -> false, 0).plugin();
    for (int i = 0; i < 6; i++) {
      assertThat(reader.sample(id -> false, 0).plugin()).isEqualTo(seen);
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

  /** Cannot be reached, and says so only once it is told to. */
  private static final class HeldUp implements Endpoint {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    public String name() {
      return "n1:7199";
    }

    @Override
    public MBeanServerConnection connect() throws IOException {
      asked.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new IOException("nobody is there");
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  @Test
  void whoCallsAProcessThatHoldsUpALookIsToldSo() throws Exception {
    HeldUp endpoint = new HeldUp();
    WatchedProcess node = new WatchedProcess(endpoint, 0);
    node.start();
    endpoint.asked.await();
    try {
      assertThatThrownBy(() -> node.call(reader -> reader))
          .isInstanceOf(IOException.class)
          .hasMessage("n1:7199 is busy with a sample; the call was not made, try again");
    } finally {
      endpoint.released.countDown();
      node.close();
    }
  }

  /** Threads of the console's page are few. */
  @Test
  void whoOpensATableDoesNotWaitForTheLookUnderWay() throws Exception {
    HeldUp endpoint = new HeldUp();
    WatchedProcess node = new WatchedProcess(endpoint, 0);
    node.start();
    endpoint.asked.await();
    Thread opens = new Thread(() -> node.watching("ks.t"), "opens a table");
    opens.start();
    try {
      opens.join(60_000);
      assertThat(opens.isAlive()).isFalse();
    } finally {
      endpoint.released.countDown();
      node.close();
    }
  }

  /** What is seen of something under way that a bean of ours tells of. */
  private static RunningCompaction seen(String bean, String code) throws Exception {
    StrategySnapshot snapshot =
        new StrategySnapshot(
            "t",
            "tiered",
            "tiered",
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            new StrategySnapshot.Amplification(1, 1, 0, 0),
            new StrategySnapshot.Backlog(0, 0, -1, 0, 0, 0, 0),
            List.of());
    TableMap.Merge merge = new TableMap.Merge("id", 1, 0, 1, 0.5, 10, 5, 0, code, "why");
    TableMap map = TableMap.of("t", 0, TableMap.TOKEN, List.of(), List.of(merge));
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    beans.registerMBean(
        new StandardMBean(
            new Strategy(OpenRecords.open(snapshot), OpenRecords.open(map)),
            StrategyAnswers.class,
            false),
        new ObjectName("io.coppice:type=" + bean));
    ProcessStatus view = new ProcessReader(new Beans(beans)).sample(id -> true, 0);
    assertThat(view.compactions()).hasSize(1);
    return view.compactions().get(0);
  }

  /** Of such a task is lost what it has not finished, and whoever began it has to do so again. */
  @Test
  void aTaskOfCassandraOnATableOfOursIsNoMergeOfOurs() throws Exception {
    assertThat(seen("Strategy,keyspace=ks,table=t", "merge").own()).isTrue();
    RunningCompaction cleanup = seen("Strategy,keyspace=ks,table=t", "compaction");
    assertThat(cleanup.own()).isFalse();
    assertThat(cleanup.table()).isEqualTo("ks.t");
    assertThat(seen("Store,name=s,family=default", "compaction").own())
        .as("a policy of the application's own may call its reasons so")
        .isTrue();
  }

  /** Endpoint without beans. It signals when a sample connects to it. */
  private static final class Empty implements Endpoint {
    private final CountDownLatch asked = new CountDownLatch(1);

    @Override
    public String name() {
      return "n1:7199";
    }

    @Override
    public MBeanServerConnection connect() {
      asked.countDown();
      return MBeanServerFactory.newMBeanServer();
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  @Test
  void whoGetsNoAnswerIsToldThatItMayHaveBeenDone() throws Exception {
    Empty endpoint = new Empty();
    try (WatchedProcess node = new WatchedProcess(endpoint)) {
      node.start();
      endpoint.asked.await();
      assertThatThrownBy(() -> node.call(ProcessReaderTest::unanswered))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("n1:7199: Read timed out")
          .hasMessageContaining("the call may have taken effect");
    }
  }

  private static Object unanswered(ProcessReader reader) throws IOException {
    throw new IOException("Read timed out");
  }

  @Test
  void aProcessThatIsNoCassandraHasNone() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    assertThat(new ProcessReader(new Beans(beans)).sample(id -> true, 0).plugin()).isFalse();
  }
}
