// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Loads policies and simulator once more, apart from those of the test, one class of them spoilt.
 */
final class SpoiltLoader extends ClassLoader {

  private static final String POLICIES = "io.coppice.policy.";

  /** Classes that are not spoilt, by name: hundreds of loaders need the same. */
  private static final Map<String, byte[]> RIGHT = new ConcurrentHashMap<>();

  private final String spoiltType;
  private final byte[] spoilt;

  private SpoiltLoader(String spoiltType, byte[] spoilt) {
    super(SpoiltLoader.class.getClassLoader());
    this.spoiltType = spoiltType;
    this.spoilt = spoilt;
  }

  /** The load, run with one comparison changed. */
  static double run(Comparison comparison, Comparison.Change change, String load) {
    try {
      Class<?> run =
          new SpoiltLoader(comparison.type(), comparison.spoilt(change))
              .loadClass(BoundedRun.class.getName());
      @SuppressWarnings("unchecked")
      Function<String, Double> loads =
          (Function<String, Double>) run.getDeclaredConstructor().newInstance();
      return loads.apply(load);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(comparison.toString(), e);
    }
  }

  private static byte[] right(String name) {
    return name.startsWith(POLICIES) ? Comparison.bounded(name) : Comparison.bytes(name);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(POLICIES) && !name.startsWith("io.coppice.simulator.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      byte[] bytes =
          name.equals(spoiltType) ? spoilt : RIGHT.computeIfAbsent(name, SpoiltLoader::right);
      return defineClass(name, bytes, 0, bytes.length);
    }
  }
}
