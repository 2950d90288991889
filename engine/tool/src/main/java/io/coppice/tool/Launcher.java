// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.lang.reflect.InvocationTargetException;

/**
 * The main class of the tool jar, which refuses Java versions that are too old for {@link Main}.
 * Maven compiles it separately for Java 8, so that an old JVM can load it. It must not use newer
 * APIs or other classes of Coppice.
 */
public final class Launcher {

  private static final int JAVA = 17;
  private static final int FAILED = 1;

  private Launcher() {}

  /**
   * Passes the arguments to {@link Main}, which ends the process. On a Java version that is too
   * old, prints the reason and ends with exit code 1.
   *
   * @throws Throwable any error of {@link Main}
   */
  public static void main(String[] args) throws Throwable {
    String version = System.getProperty("java.specification.version");
    String refused = refused(version, System.getProperty("java.home"));
    if (refused != null) {
      System.err.println(refused);
      System.exit(FAILED);
    }
    try {
      Class.forName("io.coppice.tool.Main")
          .getMethod("main", String[].class)
          .invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /**
   * Returns the message that a Java version is too old for the tool, or null if it is new enough.
   *
   * @param version value of {@code java.specification.version}, such as 1.8 or 17
   * @param home directory of this Java, for the message
   */
  public static String refused(String version, String home) {
    String feature = version.startsWith("1.") ? version.substring("1.".length()) : version;
    return Integer.parseInt(feature) >= JAVA
        ? null
        : "coppice-tool needs Java "
            + JAVA
            + " or newer, and this is Java "
            + feature
            + " in "
            + home
            + "; install a JDK "
            + JAVA
            + " and start its bin/java";
  }
}
