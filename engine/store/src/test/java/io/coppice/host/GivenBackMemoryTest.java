// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ChildJvm;
import io.coppice.io.MemDisk;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/**
 * On a JDK where libraries may not touch memory by themselves, and without native access, what a
 * store takes outside the heap goes back when it is freed: the process never collects garbage.
 */
class GivenBackMemoryTest {

  private static final int VALUES = 2_000;
  private static final int VALUE_BYTES = 32 << 10;
  private static final long MAX_BYTES = 24L << 20;

  @Test
  @EnabledForJreRange(minVersion = 25)
  void memoryGoesBackAtOnceWithoutNativeAccess() throws Exception {
    List<String> command = ChildJvm.builder(List.of(), Filling.class).command();
    command.remove("-XX:+UseSerialGC");
    command.addAll(
        1,
        List.of(
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:+UseEpsilonGC",
            "-XX:NativeMemoryTracking=summary",
            "-Xmx3g"));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    String[] figures = said.strip().split(" ");
    assertThat(Long.parseLong(figures[0])).as("most").isBetween(4L << 20, MAX_BYTES);
    assertThat(Long.parseLong(figures[1])).as("left").isLessThan(1 << 20);
  }

  /** Writes several times what memtables hold, and tells the most that was taken, and the rest. */
  static final class Filling {

    private static final Pattern OTHER = Pattern.compile("Other \\(reserved=([0-9]+)KB");

    private Filling() {}

    public static void main(String[] arguments) throws Exception {
      StoreOptions options =
          StoreOptions.builder()
              .memory(MemoryBudget.ofMebibytes(MAX_BYTES >> 20))
              .memtableBytes(2 << 20)
              .durability(Durability.NONE)
              .build();
      long before = outsideTheHeap();
      long most = 0;
      byte[] value = new byte[VALUE_BYTES];
      try (Store store = TestStores.open(new MemDisk(), options)) {
        for (int i = 0; i < VALUES; i++) {
          store.put(ByteBuffer.allocate(4).putInt(i % 100).array(), value);
          if (i % 100 == 0) {
            most = Math.max(most, outsideTheHeap() - before);
          }
        }
      }
      System.out.println(most + " " + (outsideTheHeap() - before));
    }

    /** What libraries have allocated, as the JVM tracks it. */
    private static long outsideTheHeap() throws Exception {
      String summary =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "vmNativeMemory",
                      new Object[] {new String[] {"summary"}},
                      new String[] {String[].class.getName()});
      Matcher other = OTHER.matcher(summary);
      return other.find() ? Long.parseLong(other.group(1)) << 10 : 0;
    }
  }
}
