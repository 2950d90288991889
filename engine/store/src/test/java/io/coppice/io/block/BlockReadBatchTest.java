// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.Disk;
import io.coppice.io.uring.AlignedMemory;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When a thread that waits for reads is woken. Reads end when the test says so. */
class BlockReadBatchTest {

  private static final int READS = 17;

  private final Held carrier = new Held();
  private final BlockReadBatch batch = new BlockReadBatch(carrier);

  @Test
  void whoWaitsForAllIsWokenOnceByTheLast() throws InterruptedException {
    Random random = Seeds.random(Seeds.seed(3), 0);
    for (int round = 0; round < 20; round++) {
      long awaited = 1 + (random.nextLong() & (1L << READS) - 2);
      Thread waiting = waitFor(() -> batch.awaitAll(awaited));
      List<BlockReadRequest> inAnyOrder = new ArrayList<>(carrier.requests);
      Collections.shuffle(inAnyOrder, random);
      int woken = 0;
      int missing = Long.bitCount(awaited);
      for (BlockReadRequest request : inAnyOrder) {
        boolean wanted = (awaited >>> request.number() & 1) != 0;
        missing -= wanted ? 1 : 0;
        boolean wakes = endAndWake(request);
        assertThat(wakes).isEqualTo(wanted && missing == 0);
        woken += wakes ? 1 : 0;
      }
      waiting.join();
      assertThat(woken).isEqualTo(1);
      forgetAll();
    }
  }

  @Test
  void whoWaitsForOneIsWokenByTheFirst() throws InterruptedException {
    Thread waiting = waitFor(() -> batch.await(1L << 4 | 1L << 9));
    assertThat(endAndWake(carrier.requests.get(3))).isFalse();
    assertThat(endAndWake(carrier.requests.get(9))).isTrue();
    waiting.join();
  }

  @Test
  void nobodyIsWokenWhoDoesNotWait() {
    submit();
    for (BlockReadRequest request : carrier.requests) {
      assertThat(endAndWake(request)).isFalse();
    }
    batch.awaitAll((1L << READS) - 1);
  }

  private void submit() {
    for (int i = 0; i < READS; i++) {
      batch.add(new Nothing(), 0, 1);
    }
    batch.submit();
  }

  private void forgetAll() {
    batch.clear();
    carrier.requests.clear();
  }

  /** Returns once a thread of its own waits. */
  private Thread waitFor(Runnable waits) {
    submit();
    Thread thread = new Thread(waits);
    thread.setDaemon(true);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  private static boolean endAndWake(BlockReadRequest request) {
    BlockReadBatch owner = request.owner();
    int number = request.number();
    assertThat(request.end(null)).isTrue();
    return owner.awaits(number) && owner.wake();
  }

  /** Keeps what it is to carry. */
  private static final class Held implements BlockReadBatch.Carrier {

    final List<BlockReadRequest> requests = new ArrayList<>();

    @Override
    public BlockReadRequest spare() {
      return new BlockReadRequest();
    }

    @Override
    public void carry(BlockReadRequest first, BlockReadRequest last, int count) {
      for (BlockReadRequest request = first; request != null; request = request.next) {
        requests.add(request);
      }
      assertThat(requests).hasSize(count);
    }

    @Override
    public DirectFiles pastCache() {
      return null;
    }

    @Override
    public AlignedMemory pages() {
      return null;
    }

    @Override
    public long lateNanos() {
      return Long.MAX_VALUE;
    }

    @Override
    public boolean late(BlockReadRequest request) {
      return false;
    }

    @Override
    public void carryAgain(BlockReadRequest request) {
      throw new AssertionError();
    }
  }

  /** A file that nobody reads. */
  private static final class Nothing implements Disk.InputFile {
    @Override
    public String name() {
      return "nothing";
    }

    @Override
    public long length() {
      return 1;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) {
      throw new AssertionError();
    }

    @Override
    public void close() {}
  }
}
