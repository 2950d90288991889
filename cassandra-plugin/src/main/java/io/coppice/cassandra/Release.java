// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Optional;
import org.apache.cassandra.utils.FBUtilities;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which version of the plugin this is, for which line of Cassandra, and on which it runs. */
final class Release {

  private static final Logger LOGGER = LoggerFactory.getLogger(Release.class);

  /** The line of Cassandra whose strategy interface this was compiled against. */
  static final String LINE = "5.0";

  private Release() {}

  /** Logs one line: the first sign that the jar has arrived. */
  static void announce() {
    LOGGER.info(
        "coppice {} (for Cassandra {}.x) on {}",
        version(),
        LINE,
        FBUtilities.getReleaseVersionString());
  }

  /** The version in the jar's manifest, or "unpackaged". */
  static String version() {
    String version = Release.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }

  /** What is wrong with running on this Cassandra, if anything. */
  static Optional<String> complaint() {
    return complaint(FBUtilities.getReleaseVersionString());
  }

  /** Likewise for a version by name; one that does not start with a number cannot be judged. */
  static Optional<String> complaint(String cassandra) {
    boolean known = cassandra.matches("\\d.*");
    if (!known || cassandra.matches("5\\.0([.-].*)?")) {
      return Optional.empty();
    }
    return Optional.of(
        "this node runs Cassandra "
            + cassandra
            + ", but coppice-cassandra-"
            + LINE
            + " "
            + version()
            + " is for Cassandra "
            + LINE
            + ".x; install the jar of the node's own line");
  }
}
