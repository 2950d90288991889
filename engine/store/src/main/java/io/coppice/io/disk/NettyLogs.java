// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Choice of Netty's logger that avoids warnings of SLF4J. Netty asks SLF4J first, and SLF4J, in
 * either version, prints three lines if no logger is bound to it; Netty then falls back to the
 * JDK's logger. This class chooses the JDK's logger at once. It changes nothing in a program that
 * has any other logger or has already chosen Netty's.
 */
final class NettyLogs {

  /**
   * Resource names of classes whose presence shows that Netty may find a logger: the binding of
   * SLF4J 1, Log4j 2 and Log4j 1.
   */
  private static final List<String> LOGGERS =
      List.of(
          "org/slf4j/impl/StaticLoggerBinder.class",
          "org/apache/logging/log4j/LogManager.class",
          "org/apache/log4j/Logger.class");

  /** Service that binds SLF4J 2, and the property that names its class instead. */
  private static final String BINDING = "org.slf4j.spi.SLF4JServiceProvider";

  private static final String NAMED = "slf4j.provider";

  private NettyLogs() {}

  /**
   * Chooses the logger of Netty. Must be called before any other use of Netty, which would choose
   * first. Repeated calls are harmless; safe to share between threads.
   */
  static void choose() {
    if (!hasLogger(InternalLoggerFactory.class.getClassLoader()) && !isChosen()) {
      InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }
  }

  /**
   * Returns whether Netty's class loader may find a logger, or finds no SLF4J that could print
   * warnings.
   */
  static boolean hasLogger(ClassLoader netty) {
    ClassLoader slf4j;
    try {
      slf4j = Class.forName("org.slf4j.LoggerFactory", false, netty).getClassLoader();
    } catch (ClassNotFoundException | LinkageError e) {
      return true;
    }
    return Stream.of(netty, slf4j, Thread.currentThread().getContextClassLoader())
        .filter(Objects::nonNull)
        .anyMatch(
            loader ->
                LOGGERS.stream().anyMatch(name -> loader.getResource(name) != null)
                    || isBound(slf4j, loader));
  }

  /** Returns whether SLF4J 2 is present and may find a binding. */
  private static boolean isBound(ClassLoader slf4j, ClassLoader loader) {
    try {
      Class<?> binding = Class.forName(BINDING, false, slf4j);
      return System.getProperty(NAMED) != null
          || ServiceLoader.load(binding, loader).stream().findAny().isPresent();
    } catch (ClassNotFoundException e) {
      return false;
    } catch (LinkageError | ServiceConfigurationError e) {
      return true;
    }
  }

  /**
   * Returns whether Netty's logger was chosen before. Also true if that is unknown, as on the
   * module path, where Netty's fields are inaccessible.
   */
  private static boolean isChosen() {
    try {
      Field chosen = InternalLoggerFactory.class.getDeclaredField("defaultFactory");
      chosen.setAccessible(true);
      return chosen.get(null) != null;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return true;
    }
  }
}
