// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import io.coppice.Store;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A process that gives Netty a logger of its own, opens a store, and says whether that stayed. */
final class OwnNettyLogger {

  private static final Logger STORES = Logger.getLogger("io.coppice");

  private OwnNettyLogger() {}

  /** Argument: a directory. */
  public static void main(String[] arguments) {
    STORES.setLevel(Level.WARNING);
    InternalLoggerFactory own = new Own();
    InternalLoggerFactory.setDefaultFactory(own);
    try (Store store = Store.open(Path.of(arguments[0]))) {
      store.flush();
    }
    System.out.println(InternalLoggerFactory.getDefaultFactory() == own ? "kept" : "lost");
  }

  private static final class Own extends InternalLoggerFactory {
    @Override
    protected InternalLogger newInstance(String name) {
      return ((JdkLoggerFactory) JdkLoggerFactory.INSTANCE).newInstance(name);
    }
  }
}
