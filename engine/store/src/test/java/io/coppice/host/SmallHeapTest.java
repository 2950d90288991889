// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.ChildJvm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A value that a small heap takes can be flushed and recovered there; a longer one is refused. */
class SmallHeapTest {

  @TempDir private Path directory;

  /** The process with the small heap. */
  static final class Writer {
    private Writer() {}

    /** Writes the largest values, and reopens what they are in; the heap decides how large. */
    public static void main(String[] arguments) {
      Path directory = Path.of(arguments[0]);
      byte[] key = "key".getBytes(StandardCharsets.US_ASCII);
      int largest = (int) (Runtime.getRuntime().maxMemory() / 5);
      try (Store store = Store.open(directory)) {
        try {
          store.put(ByteBuffer.wrap(key), ByteBuffer.allocateDirect(largest + 1));
          throw new AssertionError("it took a value that it cannot flush");
        } catch (IllegalArgumentException e) {
          assertThat(e).hasMessageContaining("-Xmx");
        }
        store.put(ByteBuffer.wrap(key), ByteBuffer.allocateDirect(largest));
        store.flush();
        store.put(ByteBuffer.wrap(key), ByteBuffer.allocateDirect(largest));
      }
      try (Store store = Store.open(directory)) {
        store.compact();
        assertThat(store.getInto(ByteBuffer.wrap(key), ByteBuffer.allocateDirect(largest)))
            .isEqualTo(largest);
        store.put(key, key);
      } catch (ReadOnlyException e) {
        throw new AssertionError(e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {48, 96})
  void whatASmallHeapTakesItCanFlush(int mebibytes) throws Exception {
    ProcessBuilder builder = ChildJvm.builder(List.of(), Writer.class, directory.toString());
    builder.command().add(1, "-Xmx" + mebibytes + "m");
    builder.command().add(1, "-XX:MaxDirectMemorySize=400m");
    Process process = builder.inheritIO().start();
    assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }
}
