// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import java.io.File;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A process with two copies of the engine and of its libraries, as a server of programs has. */
final class TwoLoaders {

  private TwoLoaders() {}

  /** Argument: a directory. */
  public static void main(String[] arguments) throws Exception {
    String one = Path.of(arguments[0], "one").toString();
    String two = Path.of(arguments[0], "two").toString();
    try (URLClassLoader loader = copy();
        URLClassLoader another = copy()) {
      Function<String, String> first = store(loader);
      Function<String, String> second = store(another);
      System.out.println(first.getClass() == second.getClass() ? "one copy" : "two copies");
      System.out.println(first.apply("open " + one));
      System.out.println(second.apply("open " + one));
      System.out.println(second.apply("open " + two));
      CompletableFuture<String> beside = CompletableFuture.supplyAsync(() -> second.apply("fill"));
      System.out.println(first.apply("fill"));
      System.out.println(beside.get());
      System.out.println(first.apply("close"));
      System.out.println(second.apply("count"));
      System.out.println(second.apply("close"));
      System.out.println(second.apply("open " + one));
      System.out.println(second.apply("count"));
      System.out.println(second.apply("close"));
    }
  }

  private static URLClassLoader copy() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      path.add(Path.of(entry).toUri().toURL());
    }
    return new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  @SuppressWarnings("unchecked")
  private static Function<String, String> store(ClassLoader loader) throws Exception {
    Constructor<?> constructor =
        loader.loadClass(LoadedStore.class.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return (Function<String, String>) constructor.newInstance();
  }
}
