// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.io.file.DeferredInterrupt;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Directory that holds its own descriptor, so its names can be made durable even if no other
 * descriptor is left. An interrupt closes a channel, which is then opened again. It has no effect
 * on systems that cannot open directories.
 */
final class SyncedDirectory implements Closeable {

  private final Path path;

  @GuardedBy("this")
  private FileChannel channel;

  private SyncedDirectory(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  static SyncedDirectory open(Path path) throws IOException {
    return new SyncedDirectory(path, PrivateFiles.isPosix(path) ? channel(path) : null);
  }

  private static FileChannel channel(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ);
  }

  synchronized void sync() throws IOException {
    if (channel == null) {
      return;
    }
    try (DeferredInterrupt interrupt = new DeferredInterrupt()) {
      while (true) {
        try {
          channel.force(true);
          return;
        } catch (ClosedChannelException e) {
          interrupt.absorb();
          channel = channel(path);
        }
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
