// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.ClosedException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.BlockReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.ReadBatch;
import io.coppice.io.disk.RealDisk;
import io.coppice.testing.Seeds;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every reader of blocks does. Bytes of a file are a function of its number and the offset.
 */
public abstract class BlockReaderContract {

  private static final int FILES = 20;

  /** Not a multiple of a page. */
  private static final int FILE_BYTES = 300_000;

  @TempDir private Path directory;
  private final MemoryBudget memory = MemoryBudget.ofMebibytes(64);
  private final List<Disk.InputFile> files = new ArrayList<>();
  private RealDisk disk;
  private long descriptors;
  private BlockReader reader;

  /** Opens the reader that is tested. */
  public abstract BlockReader open(RealDisk on, MemoryBudget ledger);

  /** Looks whether the reader has read as it should, once it has read much. */
  public void checkUse(BlockReader used) {}

  @BeforeEach
  void openFiles() throws IOException {
    Path store = directory.resolve("store");
    try (RealDisk writing = RealDisk.open(store)) {
      for (int i = 0; i < FILES; i++) {
        try (Disk.OutputFile file = writing.create(FileKind.TABLE.fileName(i))) {
          file.write(content(i), 0, FILE_BYTES);
        }
      }
    }
    disk = RealDisk.open(store);
    // So that no ring of another test's probe is counted.
    RingProbe.ofProcess();
    descriptors = openDescriptors();
    for (int i = 0; i < FILES; i++) {
      files.add(
          i % 3 == 0
              ? disk.open(FileKind.TABLE.fileName(i))
              : disk.map(FileKind.TABLE.fileName(i)));
    }
    reader = open(disk, memory);
  }

  @AfterEach
  void leavesNothingBehind() throws IOException {
    if (reader != null) {
      reader.close();
      assertThat(reader.inFlight()).isZero();
    }
    for (Disk.InputFile file : files) {
      file.close();
    }
    assertThat(memory.usedBytes()).as("ledger").isZero();
    assertThat(openDescriptors()).as("descriptors").isEqualTo(descriptors);
    disk.close();
  }

  @Test
  void batchesOfAllSizesHaveTheBytesOfTheFiles() throws IOException {
    Random random = Seeds.random(Seeds.seed(1), 0);
    try (ReadBatch batch = reader.newBatch()) {
      for (int size : new int[] {1, 2, 17, 64, 3, 64}) {
        int[] file = new int[size];
        int[] offset = new int[size];
        int[] length = new int[size];
        for (int i = 0; i < size; i++) {
          file[i] = random.nextInt(FILES);
          length[i] = random.nextInt(8) == 0 ? random.nextInt(60_000) : random.nextInt(5_000);
          offset[i] = random.nextInt(FILE_BYTES - length[i] + 1);
          assertThat(batch.add(files.get(file[i]), offset[i], length[i])).isEqualTo(i);
        }
        batch.submit();
        awaitAll(batch, size);
        for (int i = 0; i < size; i++) {
          check(batch, i, file[i], offset[i], length[i]);
        }
        batch.clear();
      }
    }
  }

  @Test
  void everyAlignmentHasItsBytes() throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      for (int shift = 0; shift < 4096; shift += 61) {
        int[] lengths = {1, 100, 4096, 4200, 8191, 20_000};
        for (int length : lengths) {
          batch.add(files.get(1), 8192 + shift, length);
        }
        batch.submit();
        awaitAll(batch, lengths.length);
        for (int i = 0; i < lengths.length; i++) {
          check(batch, i, 1, 8192 + shift, lengths[i]);
        }
        batch.clear();
        for (int length : lengths) {
          byte[] found = new byte[length + 2];
          batch.readAlone(files.get(1), 8192 + shift, found, 1, length);
          check(found, 1, 8192 + shift, length);
        }
      }
    }
    checkUse(reader);
  }

  @Test
  void theLastByteIsReadAndTheOneBehindItIsTheEnd() throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      batch.add(files.get(2), FILE_BYTES - 5, 5);
      batch.add(files.get(2), FILE_BYTES - 5, 6);
      batch.add(files.get(2), FILE_BYTES + 100_000, 1);
      batch.add(files.get(2), FILE_BYTES, 0);
      batch.add(files.get(0), FILE_BYTES - 4_000, 4_001);
      batch.submit();
      awaitAll(batch, 5);
      check(batch, 0, 2, FILE_BYTES - 5, 5);
      check(batch, 3, 2, FILE_BYTES, 0);
      for (int read : new int[] {1, 2, 4}) {
        assertThatThrownBy(() -> batch.take(read, new byte[5_000], 0))
            .isInstanceOf(EOFException.class)
            .hasMessageContaining(
                read == 4 ? FileKind.TABLE.fileName(0) : FileKind.TABLE.fileName(2));
      }
    }
  }

  @Test
  void aReadAloneEndsWithTheFileAndIsRefusedByAClosedOne() throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      byte[] found = new byte[7];
      batch.readAlone(files.get(2), FILE_BYTES - 5, found, 1, 5);
      check(found, 2, FILE_BYTES - 5, 5);
      for (int at : new int[] {FILE_BYTES - 5, FILE_BYTES + 100_000}) {
        assertThatThrownBy(() -> batch.readAlone(files.get(2), at, found, 0, 6))
            .isInstanceOf(EOFException.class);
      }
      Thread.currentThread().interrupt();
      batch.readAlone(files.get(4), 100, found, 1, 5);
      assertThat(Thread.interrupted()).isTrue();
      check(found, 4, 100, 5);
      files.get(2).close();
      assertThatThrownBy(() -> batch.readAlone(files.get(2), 0, found, 0, 6))
          .isInstanceOf(ClosedException.class);
    }
    assertThat(reader.inFlight()).isZero();
  }

  @Test
  void whatIsLentStaysUntilTheBatchIsUsedAgain() throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 17; i++) {
          batch.add(files.get(i), 5000 * round, 4_200);
        }
        batch.submit();
        batch.awaitAll(1L << 3 | 1L << 9);
        byte[] lent = batch.lend(9);
        batch.clear();
        byte[] found = new byte[4_202];
        System.arraycopy(lent, 0, found, 1, 4_200);
        check(found, 9, 5000 * round, 4_200);
      }
    }
  }

  @Test
  void aFileThatIsCutShortIsTheEndAndNotOldBytes() throws IOException {
    try (Disk.InputFile file = disk.open(FileKind.TABLE.fileName(5));
        ReadBatch batch = reader.newBatch()) {
      try (var channel =
          Files.newByteChannel(
              directory.resolve("store").resolve(FileKind.TABLE.fileName(5)),
              java.util.Set.of(java.nio.file.StandardOpenOption.WRITE))) {
        channel.truncate(10_000);
      }
      batch.add(file, 9_000, 1_000);
      batch.add(file, 9_000, 4_000);
      batch.add(file, 20_000, 4_000);
      batch.submit();
      awaitAll(batch, 3);
      check(batch, 0, 5, 9_000, 1_000);
      assertThatThrownBy(() -> batch.take(1, new byte[5_000], 0)).isInstanceOf(EOFException.class);
      assertThatThrownBy(() -> batch.take(2, new byte[5_000], 0)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void aDeletedFileIsReadWhileItIsOpen() throws IOException {
    disk.delete(FileKind.TABLE.fileName(4));
    disk.delete(FileKind.TABLE.fileName(3));
    try (ReadBatch batch = reader.newBatch()) {
      batch.add(files.get(4), 5_000, 4_096);
      batch.add(files.get(3), 5_000, 4_096);
      batch.submit();
      awaitAll(batch, 2);
      check(batch, 0, 4, 5_000, 4_096);
      check(batch, 1, 3, 5_000, 4_096);
    }
  }

  @Test
  void aClosedFileIsRefused() throws IOException {
    files.get(7).close();
    files.get(6).close();
    try (ReadBatch batch = reader.newBatch()) {
      for (int i = 6; i < 8; i++) {
        Disk.InputFile file = files.get(i);
        try {
          int read = batch.add(file, 0, 10);
          batch.submit();
          batch.await(1L << read);
          assertThatThrownBy(() -> batch.take(read, new byte[10], 0))
              .isInstanceOf(IOException.class)
              .hasMessageContaining(file.name());
        } catch (ClosedException e) {
          assertThat(e).hasMessageContaining(file.name());
        }
      }
    }
  }

  @Test
  void aFailingReadFailsAlone() throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      batch.add(files.get(1), 77, 100);
      batch.add(new FailingFile(), 4_096, 100);
      batch.add(files.get(2), 78, 100);
      batch.submit();
      awaitAll(batch, 3);
      check(batch, 0, 1, 77, 100);
      check(batch, 2, 2, 78, 100);
      assertThatThrownBy(() -> batch.take(1, new byte[100], 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("broken")
          .hasMessageContaining("4096");
    }
  }

  @Test
  void whatIsGivenUpComesHomeAndHarmsNobody() throws IOException {
    Random random = Seeds.random(Seeds.seed(2), 0);
    try (ReadBatch batch = reader.newBatch()) {
      for (int round = 0; round < 200; round++) {
        int size = 1 + random.nextInt(64);
        int[] file = new int[size];
        int[] offset = new int[size];
        for (int i = 0; i < size; i++) {
          file[i] = random.nextInt(FILES);
          offset[i] = random.nextInt(FILE_BYTES - 4_096);
          batch.add(files.get(file[i]), offset[i], 4_096);
        }
        int submitted = random.nextInt(5) == 0 ? 0 : 1;
        if (submitted != 0) {
          batch.submit();
          int wanted = random.nextInt(size);
          batch.await(1L << wanted);
          check(batch, wanted, file[wanted], offset[wanted], 4_096);
        }
        batch.clear();
      }
    }
  }

  @Test
  void anInterruptIsKeptAndFailsNoRead() throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      Thread.currentThread().interrupt();
      for (int i = 0; i < 64; i++) {
        batch.add(files.get(i % FILES), 4_096L * (i % 60), 4_096);
      }
      batch.submit();
      awaitAll(batch, 64);
      assertThat(Thread.interrupted()).isTrue();
      for (int i = 0; i < 64; i++) {
        check(batch, i, i % FILES, 4_096 * (i % 60), 4_096);
      }
    }
  }

  @Test
  void manyThreadsShareAReader() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        Random random = Seeds.random(Seeds.seed(3), t);
        done.add(threads.submit(() -> readAtRandom(random, 100)));
      }
      for (Future<?> each : done) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void closingLetsReadsEndAndRefusesLaterOnes() throws IOException {
    ReadBatch batch = reader.newBatch();
    for (int i = 0; i < 64; i++) {
      batch.add(files.get(i % FILES), 4_096L * i, 4_096);
    }
    batch.submit();
    reader.close();
    awaitAll(batch, 64);
    for (int i = 0; i < 64; i++) {
      check(batch, i, i % FILES, 4_096 * i, 4_096);
    }
    batch.clear();
    batch.add(files.get(1), 0, 10);
    batch.submit();
    batch.await(1);
    if (!reader.describe().startsWith("serial")) {
      assertThatThrownBy(() -> batch.take(0, new byte[10], 0)).isInstanceOf(IOException.class);
    }
    batch.close();
  }

  private Void readAtRandom(Random random, int rounds) throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      for (int round = 0; round < rounds; round++) {
        int size = 1 + random.nextInt(20);
        int[] file = new int[size];
        int[] offset = new int[size];
        for (int i = 0; i < size; i++) {
          file[i] = random.nextInt(FILES);
          offset[i] = random.nextInt(FILE_BYTES - 4_200);
          batch.add(files.get(file[i]), offset[i], 4_200);
        }
        batch.submit();
        for (int i = 0; i < size; i++) {
          batch.await(1L << i);
          check(batch, i, file[i], offset[i], 4_200);
        }
        batch.clear();
      }
    }
    return null;
  }

  private static void awaitAll(ReadBatch batch, int size) {
    long all = -1L >>> (64 - size);
    if (size % 2 == 0) {
      batch.awaitAll(all);
    }
    for (long left = all; left != 0; left &= ~batch.await(left)) {
      assertThat(batch).isNotNull();
    }
  }

  private static void check(ReadBatch batch, int read, int file, int offset, int length)
      throws IOException {
    byte[] found = new byte[length + 2];
    batch.take(read, found, 1);
    check(found, file, offset, length);
  }

  private static void check(byte[] found, int file, int offset, int length) {
    byte[] all = content(file);
    for (int i = 0; i < length; i++) {
      if (found[i + 1] != all[offset + i]) {
        throw new AssertionError(
            "f" + file + " offset " + offset + " length " + length + " differs at " + i);
      }
    }
    assertThat(found[0] | found[length + 1]).isZero();
  }

  private static byte[] content(int file) {
    return CONTENTS[file];
  }

  private static final byte[][] CONTENTS = new byte[FILES][FILE_BYTES];

  static {
    for (int i = 0; i < FILES; i++) {
      new Random(i).nextBytes(CONTENTS[i]);
      Arrays.fill(CONTENTS[i], 0, 4, (byte) i);
    }
  }

  /** Of files of this test, and of rings. */
  private long openDescriptors() throws IOException {
    Path own = Path.of("/proc/self/fd");
    if (!Files.isDirectory(own)) {
      return 0;
    }
    long count = 0;
    try (DirectoryStream<Path> open = Files.newDirectoryStream(own)) {
      for (Path each : open) {
        String target = target(each);
        if (target.startsWith(directory.toString()) || target.contains("io_uring")) {
          count++;
        }
      }
    }
    return count;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return "closed meanwhile";
    }
  }

  /** As if the device had lost its blocks. */
  private static final class FailingFile implements Disk.InputFile {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public long length() {
      return 100_000;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      throw new IOException("Input/output error");
    }

    @Override
    public void close() {}
  }
}
