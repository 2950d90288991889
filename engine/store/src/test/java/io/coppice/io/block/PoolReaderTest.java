// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a pool of threads does on a device that does not answer. */
class PoolReaderTest {

  private static final int THREADS = 2;
  private static final long SOON = 1;

  private final MemoryBudget memory = MemoryBudget.ofMebibytes(1);

  @Test
  void closingLeavesAloneWhatNeverComesBack() throws Exception {
    Hanging file = new Hanging();
    PoolReader reader = new PoolReader(memory, false, THREADS, SOON);
    ReadBatch batch = reader.newBatch();
    for (int i = 0; i < 2 * THREADS; i++) {
      batch.add(file, i, 1);
    }
    batch.submit();
    file.begun.await();
    reader.close();
    assertThat(file.reads.get()).isEqualTo(THREADS);
    // What was not begun has failed, and is not begun any more.
    long queued = (1L << THREADS) - 1 << THREADS;
    batch.awaitAll(queued);
    for (int i = THREADS; i < 2 * THREADS; i++) {
      int read = i;
      assertThatThrownBy(() -> batch.take(read, new byte[1], 0)).isInstanceOf(IOException.class);
    }
    assertThat(reader.inFlight()).isEqualTo(THREADS);
    file.answers.countDown();
    batch.awaitAll((1L << THREADS) - 1);
    for (int i = 0; i < THREADS; i++) {
      batch.take(i, new byte[1], 0);
    }
    assertThat(reader.inFlight()).isZero();
    assertThat(file.reads.get()).isEqualTo(THREADS);
    batch.close();
  }

  /** Of a machine that has no thread to give, for a while. */
  private static final class FewThreads extends PoolReader {
    private int left;

    FewThreads(MemoryBudget memory) {
      super(memory, false, 4, SOON);
    }

    @Override
    void launch(Thread worker) {
      if (left-- <= 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      super.launch(worker);
    }
  }

  private static byte[] read(PoolReader reader, int reads) throws IOException {
    byte[] target = new byte[reads];
    try (ReadBatch batch = reader.newBatch()) {
      for (int i = 0; i < reads; i++) {
        batch.add(new Sure(), i, 1);
      }
      batch.submit();
      batch.awaitAll((1L << reads) - 1);
      for (int i = 0; i < reads; i++) {
        batch.take(i, target, i);
      }
    }
    return target;
  }

  @Test
  void withoutAThreadReadsFailAndWithTheNextOneTheyAreServed() throws Exception {
    FewThreads reader = new FewThreads(memory);
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> read(reader, 3))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no thread can be started");
      assertThat(reader.inFlight()).isZero();
    }
    reader.left = 1;
    for (int i = 0; i < 10; i++) {
      // One serves them all, and wakes however often others cannot be started.
      assertThat(read(reader, 3)).containsExactly(7, 7, 7);
    }
    reader.left = 100;
    assertThat(read(reader, 3)).containsExactly(7, 7, 7);
    reader.close();
    assertThat(reader.inFlight()).isZero();
  }

  @Test
  void aFullQueueHoldsCallersUpAndLosesNothing() throws Exception {
    int callers = 8;
    Hanging file = new Hanging();
    PoolReader reader = new PoolReader(memory, false, THREADS, SOON);
    AtomicInteger come = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    CountDownLatch submitted = new CountDownLatch(callers);
    for (int i = 0; i < callers; i++) {
      Thread thread =
          new Thread(
              () -> {
                try (ReadBatch batch = reader.newBatch()) {
                  for (int read = 0; read < ReadBatch.MAX_READS; read++) {
                    batch.add(file, read, 1);
                  }
                  batch.submit();
                  submitted.countDown();
                  batch.awaitAll(-1);
                  for (int read = 0; read < ReadBatch.MAX_READS; read++) {
                    batch.take(read, new byte[1], 0);
                    come.incrementAndGet();
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    submitted.await();
    file.begun.await();
    assertThat(reader.inFlight()).isEqualTo(callers * ReadBatch.MAX_READS);
    assertThat(file.reads.get()).as("at the device").isEqualTo(THREADS);
    assertThat(threads).allMatch(Thread::isAlive);
    file.answers.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(come).hasValue(callers * ReadBatch.MAX_READS);
    assertThat(reader.inFlight()).isZero();
    reader.close();
  }

  /** Has the same byte everywhere. */
  private static final class Sure implements Disk.InputFile {
    @Override
    public String name() {
      return "sure";
    }

    @Override
    public long length() {
      return 100;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) {
      Arrays.fill(target, offset, offset + length, (byte) 7);
    }

    @Override
    public void close() {}
  }

  /** Answers once it is told to. */
  private static final class Hanging implements Disk.InputFile {

    final CountDownLatch begun = new CountDownLatch(THREADS);
    final CountDownLatch answers = new CountDownLatch(1);
    final AtomicInteger reads = new AtomicInteger();

    @Override
    public String name() {
      return "hanging";
    }

    @Override
    public long length() {
      return 100;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      reads.incrementAndGet();
      begun.countDown();
      try {
        answers.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() {}
  }
}
