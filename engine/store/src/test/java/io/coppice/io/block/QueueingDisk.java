// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.FileKind;
import io.coppice.io.ReadBatch;
import io.coppice.io.ReadMode;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.ColdDisk;
import io.coppice.io.file.MappingBudget;
import io.coppice.io.uring.FakeRing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A disk of the file system whose reader of blocks is a pool with one thread, or a ring without a
 * kernel, and keeps what it is asked for in its queue while it is told to. Notes which files come
 * and go.
 */
public final class QueueingDisk extends ColdDisk {

  private static final long NEVER = TimeUnit.HOURS.toNanos(1);

  private final boolean ring;
  private final FakeRing.Opener rings =
      new FakeRing.Opener(FakeRing.Fault.NONE, new java.util.Random(5));
  private final List<String> journal = new CopyOnWriteArrayList<>();
  private BlockReader reader;

  /** What keeps the thread of the pool busy. */
  private ReadBatch blocking;

  private Blocking block;

  private QueueingDisk(RealDisk disk, boolean ring) {
    super(disk);
    this.ring = ring;
  }

  /**
   * Opens a directory, which is made if it is not there.
   *
   * @param reader ring or pool
   */
  public static QueueingDisk open(
      Path directory, String reader, ReadMode mode, MappingBudget mappings) throws IOException {
    return new QueueingDisk(RealDisk.open(directory, mode, mappings), reader.equals("ring"));
  }

  @Override
  public BlockReader blockReader(BlockReaderOptions options) {
    reader =
        ring
            ? new RingReader(options.memory(), options.direct(), rings, NEVER)
            : new PoolReader(options.memory(), options.direct(), 1, NEVER);
    return reader;
  }

  /** From now on what is asked for waits in the queue. */
  public void hold() throws IOException {
    blocking = reader.newBatch();
    block = new Blocking();
    if (ring) {
      // The ring is opened for the first read.
      try (InputFile any = disk.open(anyButLogs())) {
        blocking.add(any, 0, 1);
        blocking.submit();
        blocking.awaitAll(1);
      }
      rings.hold(true);
    } else {
      blocking.add(block, 0, 1);
      blocking.submit();
      uninterrupted(block.begun);
    }
  }

  /** A log may be removed as it is opened. */
  private String anyButLogs() throws IOException {
    return disk.list().stream()
        .filter(name -> FileKind.WAL.numberOf(name).isEmpty())
        .findFirst()
        .orElseThrow();
  }

  /** Reads in the queue. */
  public int queued() {
    return reader.inFlight() - (ring ? 0 : 1);
  }

  /** Lets the queue go on. */
  public void release() {
    if (ring) {
      rings.hold(false);
    } else {
      block.ends.countDown();
      blocking.awaitAll(1);
    }
    blocking.close();
  }

  /** {@code + name} for each file that was created, {@code - name} for each that was deleted. */
  public List<String> journal() {
    return journal;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    journal.add("+ " + name);
    return new PassingOutput(super.create(name)) {
      @Override
      public void sync() {
        // No test of queued reads needs durable data, and a slow device would cost minutes.
      }
    };
  }

  @Override
  public void syncDirectory() {
    // No test of queued reads needs durable names.
  }

  @Override
  public void delete(String name) throws IOException {
    journal.add("- " + name);
    super.delete(name);
  }

  private static void uninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends when it is told to. */
  private static final class Blocking implements InputFile {

    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch ends = new CountDownLatch(1);

    @Override
    public String name() {
      return "blocking";
    }

    @Override
    public long length() {
      return 1;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) {
      begun.countDown();
      uninterrupted(ends);
    }

    @Override
    public void close() {}
  }
}
