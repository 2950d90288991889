// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import java.util.Optional;
import org.apache.cassandra.utils.FBUtilities;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Version of the plugin and of the Cassandra line that it is built for, compared with the running
 * version.
 */
public final class PluginVersion {

  private static final Logger LOGGER = LoggerFactory.getLogger(PluginVersion.class);

  /** Cassandra line whose strategy interface the plugin was compiled against. */
  static final String LINE = "5.0";

  private PluginVersion() {}

  /** Logs the versions of plugin and node, the first sign that the jar is installed. */
  public static void announce() {
    LOGGER.info(
        "coppice {} (for Cassandra {}.x) on {}",
        version(),
        LINE,
        FBUtilities.getReleaseVersionString());
  }

  /** Returns the version in the jar's manifest, or "unpackaged". */
  public static String version() {
    String version = PluginVersion.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }

  /** Returns the reason why the plugin does not fit this node's Cassandra; empty if it fits. */
  static Optional<String> complaint() {
    return complaint(FBUtilities.getReleaseVersionString());
  }

  /**
   * Returns the reason why the plugin does not fit a Cassandra version; empty if it fits. A version
   * that does not start with a digit is unknown and counts as fitting.
   */
  static Optional<String> complaint(String cassandra) {
    boolean known = cassandra.matches("\\d.*");
    if (!known || cassandra.matches("5\\.0([.-].*)?")) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            "this node runs Cassandra %s, but coppice-cassandra-%s %s is for Cassandra"
                + " %s.x; install the jar of the node's own line",
            cassandra, LINE, version(), LINE));
  }
}
