// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget;
import java.io.IOException;
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
