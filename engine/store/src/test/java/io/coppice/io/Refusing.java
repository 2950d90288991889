// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/** A disk on which everything that could change something is an error of whoever asks. */
public final class Refusing {

  private static final Set<String> READS =
      Set.of(
          "open", "map", "list", "freeBytes", "describe", "stamp", "owner", "blockReader", "close");

  private Refusing() {}

  /** Lets reads of this disk through, and nothing else. */
  public static Disk writes(Disk disk) {
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, arguments) -> {
              if (!READS.contains(method.getName())) {
                throw new AssertionError("a call of " + method.getName());
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
