// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Readahead of the kernel: bytes that it reads around a missing page of a mapping. It is a setting
 * of the block device, and determines the cost of such a page.
 */
final class KernelReadahead {

  private KernelReadahead() {}

  /**
   * Returns the setting of the device that holds a path, such as {@code 128KB} for 128 KiB, or
   * {@code unknown}.
   */
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
