// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.io.ChildJvm;
import io.coppice.io.MemDisk;
import io.coppice.recovery.StoreVerifier;
import io.coppice.testing.Seeds;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks compressed by level, with and without the codecs' libraries. */
class StoreCompressionTest {

  private static final int KEYS = 3000;

  @TempDir Path directory;

  private static StoreOptions options(String compression) {
    return StoreOptions.builder()
        .policy("leveled,table_size=64KiB")
        .memtableBytes(64 << 10)
        .durability(Durability.BUFFERED)
        .compression(compression)
        .build();
  }

  private static void fill(Store store, boolean compressible) {
    Random random = new Random(Seeds.seed(20261121));
    for (int i = 0; i < KEYS; i++) {
      // Out of order, so that tables are merged into their levels rather than moved there.
      int number = i * 1009 % KEYS;
      store.put(key(number), value(number, compressible, random));
    }
  }

  private static void check(Store store, boolean compressible) {
    Random random = new Random(Seeds.seed(20261121));
    for (int i = 0; i < KEYS; i++) {
      int number = i * 1009 % KEYS;
      assertThat(store.get(key(number))).isEqualTo(value(number, compressible, random));
    }
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      int count = 0;
      for (cursor.last(); cursor.valid(); cursor.prev()) {
        count++;
        assertThat(ByteBuffer.wrap(cursor.key()).getInt()).isEqualTo(KEYS - count);
      }
      assertThat(count).isEqualTo(KEYS);
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static byte[] value(int number, boolean compressible, Random random) {
    byte[] value = new byte[100];
    if (compressible) {
      Arrays.fill(value, (byte) number);
    } else {
      random.nextBytes(value);
    }
    return value;
  }

  @Test
  void tablesOfALevelHaveItsCodec() throws IOException {
    long plain = bytesAtRest("none", true);
    assertThat(bytesAtRest("none,lz4", true)).isLessThan(plain / 3);
    assertThat(bytesAtRest(NativeCodec.orLz4("none,zstd"), true)).isLessThan(plain / 3);
    assertThat(bytesAtRest(NativeCodec.orLz4("zstd,none"), true)).isEqualTo(plain);
  }

  @Test
  void blocksThatDoNotShrinkAreStoredAsTheyAre() throws IOException {
    // Each table tells in a byte or two more that no block of it is compressed.
    long plain = bytesAtRest("none", false);
    assertThat(bytesAtRest("lz4", false)).isEqualTo(plain);
    assertThat(bytesAtRest(NativeCodec.orLz4("zstd"), false)).isEqualTo(plain);
  }

  private static long bytesAtRest(String compression, boolean compressible) throws IOException {
    MemDisk disk = new MemDisk();
    long bytes;
    try (Store store = TestStores.open(disk, options(compression))) {
      fill(store, compressible);
      store.compact();
      check(store, compressible);
      bytes = store.stats().tableBytes();
    }
    try (Store store = TestStores.open(disk.reopen(), options("none"))) {
      check(store, compressible);
    }
    assertThat(StoreVerifier.verify(disk.reopen()).damages()).isEmpty();
    return bytes;
  }

  @Test
  void valuesFarLargerThanABlockAreCompressedUnlessTheyShrinkToNothing() throws IOException {
    NativeCodec.needed();
    MemDisk disk = new MemDisk();
    byte[] text = new byte[1 << 20];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) (i * 31L >>> 9);
    }
    try (Store store = TestStores.open(disk, options("zstd"))) {
      store.put(key(1), text);
      store.flush();
      long first = store.stats().tableBytes();
      assertThat(first).isLessThan(1 << 19);
      store.put(key(2), new byte[1 << 20]);
      store.flush();
      assertThat(store.stats().tableBytes()).isBetween(1L << 20, first + (1 << 20) + 4096);
      assertThat(store.get(key(1))).isEqualTo(text);
      assertThat(store.get(key(2))).isEqualTo(new byte[1 << 20]);
    }
  }

  @Test
  void aCodecThatIsNotOnTheClassPathIsNamedWithItsArtifact() throws Exception {
    NativeCodec.needed();
    for (String codec : List.of("lz4", "zstd")) {
      try (Store store = Store.open(directory.resolve(codec), options(codec))) {
        fill(store, true);
        store.flush();
      }
    }
    List<String> command =
        ChildJvm.builder(List.of(), WithoutCodecs.class, directory.toString()).command();
    int at = command.indexOf("-cp") + 1;
    command.set(
        at,
        Arrays.stream(command.get(at).split(File.pathSeparator))
            .filter(entry -> !entry.contains("lz4-java") && !entry.contains("zstd-jni"))
            .collect(Collectors.joining(File.pathSeparator)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(said.lines())
        .hasSize(4)
        .allMatch(line -> line.startsWith("InvalidOptionsException "))
        .anyMatch(line -> line.contains("compression (lz4): lz4 needs at.yawk.lz4:lz4-java "))
        .anyMatch(line -> line.contains("(none,zstd): zstd needs com.github.luben:zstd-jni "))
        .anyMatch(line -> line.contains(".tbl has compressed blocks: lz4 needs at.yawk.lz4"))
        .anyMatch(line -> line.contains(".tbl has compressed blocks: zstd needs com.github"));
  }

  /** Asks for codecs, and opens the stores that need them. */
  static final class WithoutCodecs {

    private WithoutCodecs() {}

    public static void main(String[] arguments) {
      for (String text : List.of("lz4", "none,zstd")) {
        say(() -> options(text));
      }
      for (String codec : List.of("lz4", "zstd")) {
        say(() -> Store.open(Path.of(arguments[0], codec), options("none")).close());
      }
    }

    private static void say(Runnable attempt) {
      try {
        attempt.run();
        System.out.println("nothing was thrown");
      } catch (RuntimeException e) {
        System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
      }
    }
  }
}
