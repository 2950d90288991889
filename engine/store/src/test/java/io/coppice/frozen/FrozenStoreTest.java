// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.model.KindsModel;
import io.coppice.recovery.Dump;
import io.coppice.table.NativeCodec;
import io.coppice.table.block.BlockCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stores that earlier versions wrote open, show what they held, are written to and merged on. They
 * lie in {@code src/test/resources/frozen}; the README there says how new ones are made.
 */
class FrozenStoreTest {

  private static final Path FROZEN = Path.of("src", "test", "resources", "frozen");
  private static final long MAX_BYTES = 220 << 10;

  private static final int FORMAT_AT = 12;
  private static final int NUMBER_AT = 32;
  private static final int CHECKSUM_AT = 44;

  private static final Pattern BLOCK =
      Pattern.compile(" +block [0-9]+ @([0-9]+), ([0-9]+) bytes, .*");
  private static final int TRAILER_BYTES = 5;

  /** Stands where a codec's code does. */
  private static final int PADDED = 3;

  /** What the dumps of the stores of a version must tell, so that nothing is left unfrozen. */
  private static final List<String> EVERY_KIND =
      List.of(
          // Files.
          "[0-9]+\\.wal: wal, .*",
          "[0-9]+\\.tbl: table, .*",
          "[0-9]+\\.manifest: manifest, .*",
          "filters\\.slots: filters, .*",
          "CURRENT: current, .*",
          "RESERVE: reserve, .*",
          " +torn end of [0-9]+ bytes",
          // Changes of the manifest.
          " +add L[0-9]+ run [0-9]+ slice .*",
          " +remove slice .*",
          " +trim slice .*",
          " +move slice .*",
          " +add L[0-9]+ run [0-9]+( fed by .*)?",
          " +next number .*",
          " +last sequence .*",
          " +log floor .*",
          " +key order .*",
          " +policy .*",
          " +regroup slices .*",
          " +in family .*",
          " +create family .*",
          " +drop family .*",
          " +MergeOperatorName.*",
          " +ClockFloor.*",
          " +CutSegment.*",
          // And of its snapshot.
          " +record 0 .*: snapshot",
          " +L[0-9]+ run [0-9]+.*",
          " +group [0-9]+ of [0-9]+ tables",
          " +slice [0-9]+ \\(.*",
          // Entries of tables and logs, and filters.
          " +put .*",
          " +delete .*",
          " +merge .*",
          " +expiring .*",
          " +delete range .*",
          " +delete_range .*",
          " +put .* in family [0-9]+.*",
          " +unit [0-9]+ .*");

  @TempDir private Path scratch;

  static List<Path> stores() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path version : versions()) {
      try (Stream<Path> stores = Files.list(version)) {
        stores.filter(Files::isDirectory).sorted().forEach(found::add);
      }
    }
    assertThat(found).hasSizeGreaterThanOrEqualTo(FrozenStore.values().length);
    return found;
  }

  private static List<Path> versions() throws IOException {
    try (Stream<Path> versions = Files.list(FROZEN)) {
      return versions.filter(Files::isDirectory).sorted().toList();
    }
  }

  private static FrozenContents contents(Path store) throws IOException {
    Path file = store.resolveSibling(store.getFileName() + "." + FrozenStore.CONTENTS);
    return FrozenContents.parse(Files.readAllLines(file, StandardCharsets.US_ASCII));
  }

  private static void needsItsCodecs(Path store) {
    if (store.endsWith("codecs")) {
      NativeCodec.needed();
    }
  }

  private Path copyOf(Path store) throws IOException {
    Path copy = Files.createDirectories(scratch.resolve("copy"));
    try (Stream<Path> files = Files.list(store)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  private static StoreOptions options() {
    return StoreOptions.builder()
        .durability(Durability.BUFFERED)
        .mergeOperator(KindsModel.APPEND)
        .mergeOperator("users", KindsModel.APPEND)
        .build();
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aFrozenStoreIsReadWrittenToMergedAndOpenedAgain(Path frozen) throws IOException {
    needsItsCodecs(frozen);
    Path copy = copyOf(frozen);
    FrozenContents contents = contents(frozen);
    assertThat(Store.verify(copy).damages()).isEmpty();
    try (Store store = Store.openReadOnly(copy, options())) {
      contents.check(store);
    }
    try (Store store = Store.open(copy, options())) {
      contents.check(store);
      for (Family family : store.families()) {
        int count = 0;
        for (byte[] key : contents.keys(family.name())) {
          switch (count++ % 4) {
            case 0 -> contents.put(family, key, new byte[count % 200]);
            case 1 -> contents.delete(family, key);
            case 2 -> contents.merge(family, key, new byte[] {'~'});
            default -> contents.put(family, Arrays.copyOf(key, key.length + 1), key);
          }
        }
      }
      contents.check(store);
      store.compact();
      contents.check(store);
    }
    assertThat(Store.verify(copy).damages()).isEmpty();
    try (Store store = Store.open(copy, options())) {
      contents.check(store);
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aFileOfANewerFormatIsRefusedAndNothingIsLost(Path frozen) throws IOException {
    needsItsCodecs(frozen);
    Map<String, byte[]> files = new HashMap<>();
    try (Stream<Path> list = Files.list(frozen)) {
      for (Path file : list.toList()) {
        files.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    for (String name : files.keySet()) {
      if (name.equals(FileKind.RESERVE.fileName(0))) {
        continue;
      }
      MemDisk disk = new MemDisk();
      files.forEach(disk::setBytes);
      byte[] newer = files.get(name).clone();
      int newest = name.endsWith(".manifest") ? 2 : 1;
      Coding.putFixed32(newer, FORMAT_AT, newest + 1);
      long number = Coding.fixed64(newer, NUMBER_AT);
      Coding.putFixed32(newer, CHECKSUM_AT, Checksum.of(number, 0, newer, 0, CHECKSUM_AT));
      disk.setBytes(name, newer);
      String words =
          name + " has format " + (newest + 1) + ", this version reads formats 1 to " + newest;
      assertThatThrownBy(() -> TestStores.openReadOnly(disk, options()).close())
          .isInstanceOf(VersionException.class)
          .hasMessage(words);
      MemDisk again = disk.reopen();
      assertThatThrownBy(() -> TestStores.open(again, options()).close())
          .isInstanceOf(VersionException.class)
          .hasMessage(words);
      MemDisk after = again.reopen();
      assertThat(after.bytes(name)).isEqualTo(newer);
      after.setBytes(name, files.get(name));
      try (Store store = TestStores.open(after, options())) {
        contents(frozen).check(store);
      }
    }
  }

  @Test
  void theFrozenStoresOfEachVersionHoldEveryKindOfThingAndAreSmall() throws IOException {
    NativeCodec.needed();
    for (Path version : versions()) {
      assertHoldsAll(version);
    }
  }

  @Test
  void newOnesCanBeMade() throws IOException {
    NativeCodec.needed();
    for (FrozenStore store : FrozenStore.values()) {
      store.write(scratch);
    }
    assertHoldsAll(scratch);
  }

  @Test
  @EnabledIfSystemProperty(named = "freeze", matches = "v[0-9]+")
  void newOnesAreMadeWhenAskedFor() throws IOException {
    Path version = FROZEN.resolve(System.getProperty("freeze"));
    if (Files.exists(version)) {
      throw new FileAlreadyExistsException(version + " is frozen");
    }
    for (FrozenStore store : FrozenStore.values()) {
      store.write(version);
    }
  }

  /** Which codecs the blocks have, by the last bytes of each. */
  private static Set<Integer> codecs(MemDisk disk, List<String> dump) throws IOException {
    Set<Integer> codecs = new TreeSet<>();
    String file = "";
    for (String line : dump) {
      Matcher block = BLOCK.matcher(line);
      if (line.matches("[0-9]+\\.tbl: table, .*")) {
        file = line.substring(0, line.indexOf(':'));
      } else if (block.matches()) {
        int end = Integer.parseInt(block.group(1)) + Integer.parseInt(block.group(2));
        codecs.add((int) disk.bytes(file)[end - TRAILER_BYTES]);
      }
    }
    return codecs;
  }

  private static void assertHoldsAll(Path version) throws IOException {
    List<String> dump = new ArrayList<>();
    Set<Integer> codecs = new TreeSet<>();
    long bytes = 0;
    List<Path> stores;
    try (Stream<Path> list = Files.list(version)) {
      stores = list.sorted().toList();
    }
    for (Path store : stores) {
      if (!Files.isDirectory(store)) {
        bytes += Files.size(store);
        continue;
      }
      MemDisk disk = new MemDisk();
      try (Stream<Path> list = Files.list(store)) {
        for (Path file : list.toList()) {
          disk.setBytes(file.getFileName().toString(), Files.readAllBytes(file));
          bytes += Files.size(file);
        }
      }
      List<String> lines = new ArrayList<>();
      assertThat(Dump.write(disk, List.of(), false, lines::add, progress -> {})).isZero();
      codecs.addAll(codecs(disk, lines));
      dump.addAll(lines);
    }
    assertThat(bytes).isLessThan(MAX_BYTES);
    Set<Integer> known = new TreeSet<>(Set.of(PADDED));
    Arrays.stream(BlockCodec.values()).map(BlockCodec::code).forEach(known::add);
    assertThat(codecs).isEqualTo(known);
    for (String line : EVERY_KIND) {
      assertThat(dump).as(version + " has no " + line).anyMatch(found -> found.matches(line));
    }
  }
}
