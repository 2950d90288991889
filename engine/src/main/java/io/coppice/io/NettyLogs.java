// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * The logger that Netty takes, without a complaint of SLF4J. Netty asks SLF4J first, which prints
 * three lines if nothing is bound to it, of either version, and takes the JDK's logger in the end;
 * this takes that at once. A program that has any other logger, or has chosen Netty's already, is
 * left alone.
 */
final class NettyLogs {

  /** What binds SLF4J 1, and whom Netty asks next. */
  private static final List<String> LOGGERS =
      List.of(
          "org/slf4j/impl/StaticLoggerBinder.class",
          "org/apache/logging/log4j/LogManager.class",
          "org/apache/log4j/Logger.class");

  /** The service that binds SLF4J 2, and the property that names its class instead. */
  private static final String BINDING = "org.slf4j.spi.SLF4JServiceProvider";

  private static final String NAMED = "slf4j.provider";

  private NettyLogs() {}

  /**
   * To be called before any other class of Netty is used. Safe to call again, and by any thread.
   */
  static void choose() {
    if (!hasLogger(InternalLoggerFactory.class.getClassLoader()) && !isChosen()) {
      InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }
  }

  /** True if Netty may find a logger there, or not even SLF4J that could complain. */
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

  /** True if it is an SLF4J 2 that may find a binding there. */
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

  /** True also where it cannot be told, as on the module path: nobody may look into Netty there. */
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
