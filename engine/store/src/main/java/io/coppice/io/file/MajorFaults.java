// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Page faults of this process that waited for a device, as counted by Linux. */
final class MajorFaults {

  /** Result on systems that do not count major faults. */
  static final long UNKNOWN = -1;

  private static final Path STAT = Path.of("/proc/self/stat");

  /**
   * Number of fields of /proc/self/stat between the command's closing parenthesis and the count,
   * see proc(5).
   */
  private static final int FIELDS_BEFORE = 9;

  private MajorFaults() {}

  /**
   * Returns the count since the process started, or {@link #UNKNOWN}. Reads a file of the system.
   */
  static long ofProcess() {
    try {
      return parse(Files.readString(STAT, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /**
   * Returns the count in a line of /proc/self/stat, or {@link #UNKNOWN}. Parses it after the last
   * parenthesis, because a command may contain spaces and parentheses.
   */
  static long parse(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
    try {
      return fields.length > FIELDS_BEFORE ? Long.parseLong(fields[FIELDS_BEFORE]) : UNKNOWN;
    } catch (NumberFormatException e) {
      return UNKNOWN;
    }
  }
}
