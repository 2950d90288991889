// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

/**
 * A disk whose blocks seem to be on a device, in part, and come from there in any order. What seems
 * so, the seed decides for each block, for good.
 */
public final class ShuffledDisk extends PassingDisk {

  private final long seed;
  private final int coldPercent;
  private boolean inOrder;
  private final AtomicInteger serialReads = new AtomicInteger();

  /** One read in so many fails; 0 if none does. */
  private volatile int failOneIn;

  private final Random dice;
  private volatile ShuffledReader reader;
  private volatile BiPredicate<String, Long> broken = (name, offset) -> false;

  /**
   * Passes on to a disk, which is closed with this one.
   *
   * @param coldPercent of blocks that are not in memory
   */
  public ShuffledDisk(Disk disk, long seed, int coldPercent) {
    super(disk);
    this.seed = seed;
    this.coldPercent = coldPercent;
    this.dice = new Random(seed);
  }

  /** Blocks come in the order in which they were asked for, from the thread that asks. */
  public ShuffledDisk inOrder() {
    inOrder = true;
    return this;
  }

  /** From now on one read in so many fails, of those made at once with others. */
  public ShuffledDisk failOneIn(int reads) {
    failOneIn = reads;
    return this;
  }

  /** What is read of a mapped file and fails, by name and offset. */
  public void fail(BiPredicate<String, Long> where) {
    broken = where;
  }

  /** What reads the blocks of the store that is open on the disk. */
  public ShuffledReader reader() {
    return reader;
  }

  /** Blocks that were read one by one. */
  public int serialReads() {
    return serialReads.get();
  }

  private synchronized boolean draw() {
    return failOneIn > 0 && dice.nextInt(failOneIn) == 0;
  }

  @Override
  public BlockReader blockReader(BlockReaderOptions options) {
    if (inOrder) {
      return super.blockReader(options);
    }
    reader = new ShuffledReader(seed, this::draw);
    return reader;
  }

  @Override
  public InputFile map(String name) throws IOException {
    return new Input(disk.map(name));
  }

  private final class Input extends PassingInput {

    Input(InputFile file) {
      super(file);
    }

    @Override
    public boolean likelyInMemory(long position, int length) {
      long hash = (seed ^ name().hashCode() * 31L ^ position) * 0x9E3779B97F4A7C15L;
      return (hash >>> 33) % 100 >= coldPercent;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      serialReads.incrementAndGet();
      if (broken.test(name(), position)) {
        throw new IOException(name() + " cannot be read at offset " + position + ": broken");
      }
      super.read(position, target, offset, length);
    }
  }
}
