// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Loads the engine and its crash tests once more, apart from those of the test, some classes of
 * them changed, and without assertions: what catches a change is an answer.
 */
final class EngineLoader extends ClassLoader {

  /** Classes as the compiler left them: hundreds of loaders need the same. */
  private static final Map<String, byte[]> BYTES = new ConcurrentHashMap<>();

  private final Map<String, UnaryOperator<byte[]>> changes;

  EngineLoader(Map<String, UnaryOperator<byte[]>> changes) {
    super(EngineLoader.class.getClassLoader());
    this.changes = changes;
    setDefaultAssertionStatus(false);
  }

  /** An object of one of the classes, made by its constructor without parameters. */
  @SuppressWarnings("unchecked")
  Function<String, String> function(Class<?> type) {
    try {
      var constructor = loadClass(type.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      return (Function<String, String>) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(type.getName(), e);
    }
  }

  static byte[] bytes(String name) {
    return BYTES.computeIfAbsent(
        name,
        x -> {
          String file = "/" + x.replace('.', '/') + ".class";
          try (InputStream in = EngineLoader.class.getResourceAsStream(file)) {
            return in == null ? new byte[0] : in.readAllBytes();
          } catch (IOException e) {
            throw new AssertionError(file, e);
          }
        });
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("io.coppice.") || bytes(name).length == 0) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      if (known != null) {
        return known;
      }
      byte[] bytes = bytes(name);
      UnaryOperator<byte[]> change = changes.get(name);
      byte[] changed = change == null ? bytes : change.apply(bytes);
      return defineClass(name, changed, 0, changed.length);
    }
  }
}
