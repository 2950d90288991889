// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.watching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchingTest {

  @TempDir Path directory;

  @Test
  void bothSidesDoTheSameAndTellWhatItCost() throws Exception {
    for (boolean on : new boolean[] {true, false}) {
      Costs costs = WatchingProcess.measure(on, directory.resolve("store"), 5000, 7);
      assertThat(costs.fillNanos()).isNotNegative();
      assertThat(costs.readNanos()).isNotNegative();
      assertThat(costs.fillBytes()).isNotNegative();
      assertThat(Costs.of(costs.words())).isEqualTo(costs);
    }
    assertThat(directory).isEmptyDirectory();
  }

  /** A figure that cannot be read. */
  public interface Broken {
    /** Throws. */
    long getValue();
  }

  @Test
  void aBeanThatDoesNotAnswerIsTold() throws Exception {
    Broken broken =
        () -> {
          throw new IllegalStateException("planted");
        };
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName("io.coppice:type=Metrics,store=watching,name=Broken");
    beans.registerMBean(new StandardMBean(broken, Broken.class), name);
    try {
      assertThatThrownBy(() -> WatchingProcess.measure(true, directory.resolve("store"), 1000, 7))
          .hasMessageContaining("was not watched")
          .hasMessageContaining("name=Broken does not answer");
    } finally {
      beans.unregisterMBean(name);
    }
    assertThat(directory).isEmptyDirectory();
  }
}
