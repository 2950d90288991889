// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much the system reads around a page of a mapping that is not in memory: a figure of the block
 * device, which decides what such a page costs.
 */
final class ReadAhead {

  private ReadAhead() {}

  /** Of the device that holds a path, such as {@code 128KB}; {@code unknown} where nobody says. */
  static String of(Path path) {
    try {
      long device = ((Number) Files.getAttribute(path, "unix:dev")).longValue();
      long major = device >>> 8 & 0xFFF;
      long minor = device & 0xFF | device >>> 12 & 0xFFF00;
      Path block = Path.of("/sys/dev/block", major + ":" + minor).toRealPath();
      Path queue = block.resolve("queue/read_ahead_kb");
      if (!Files.exists(queue)) {
        queue = block.resolveSibling("queue/read_ahead_kb");
      }
      return Files.readString(queue).trim() + "KB";
    } catch (IOException | RuntimeException e) {
      return "unknown";
    }
  }
}
