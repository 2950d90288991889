// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.Disk;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Disks that guard changes pass none on by default, also of methods that are still to come. */
class ForwardingDiskTest {

  /** Methods of a disk that change nothing on it. */
  private static final Set<String> READING =
      Set.of("open", "map", "list", "freeBytes", "describe", "close", "unread", "owner");

  /** The default moves by {@code link} and {@code delete}, which are guarded. */
  private static final String BY_OTHERS = "keepAside";

  @ParameterizedTest
  @ValueSource(classes = {ReadOnlyDisk.class, FailStopDisk.class})
  void eachChangeIsDeclared(Class<?> guard) {
    Set<String> changes = new TreeSet<>();
    for (Method method : Disk.class.getMethods()) {
      changes.add(method.getName());
    }
    changes.removeAll(READING);
    changes.remove(BY_OTHERS);
    assertThat(Arrays.stream(guard.getDeclaredMethods()).map(Method::getName)).containsAll(changes);
  }
}
