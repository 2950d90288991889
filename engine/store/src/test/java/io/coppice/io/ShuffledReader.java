// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Reads that end in an order that a seed draws, in the thread that waits for them. What was given
 * up is read later all the same, when its file may be gone, into bytes that a later read may not
 * see. Now and then a read fails or is cut short, if asked for.
 */
public final class ShuffledReader implements BlockReader {

  private static final byte POISON = (byte) 0xA5;

  private final long seed;
  private final AtomicLong batches = new AtomicLong();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicLong reads = new AtomicLong();
  private final BooleanSupplier failing;

  /**
   * Makes one.
   *
   * @param failing asked for each read whether it is to fail
   */
  public ShuffledReader(long seed, BooleanSupplier failing) {
    this.seed = seed;
    this.failing = failing;
  }

  @Override
  public ReadBatch newBatch() {
    return new Batch(new Random(seed + batches.getAndIncrement()));
  }

  @Override
  public int inFlight() {
    return inFlight.get();
  }

  /** Reads that were submitted. */
  public long reads() {
    return reads.get();
  }

  @Override
  public String describe() {
    return "shuffled";
  }

  @Override
  public void close() {}

  /** One block to be read. */
  private static final class Wanted {
    final Disk.InputFile file;
    final long offset;
    final byte[] bytes;
    final boolean fails;
    IOException failure;

    Wanted(Disk.InputFile file, long offset, int length, boolean fails) {
      this.file = file;
      this.offset = offset;
      this.bytes = new byte[length];
      this.fails = fails;
    }

    void read(Random random) {
      if (fails) {
        failure =
            random.nextBoolean()
                ? new IOException(file.name() + " cannot be read at offset " + offset + ": drawn")
                : new EOFException(file.name() + " ends behind offset " + offset + ": drawn");
        return;
      }
      try {
        file.read(offset, bytes, 0, bytes.length);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  private final class Batch implements ReadBatch {
    private final Random random;
    private final List<Wanted> added = new ArrayList<>();
    private final List<Wanted> givenUp = new ArrayList<>();

    /** What a clear has ended: lent until a read is added. */
    private final List<Wanted> lent = new ArrayList<>();

    private int submitted;
    private long done;

    Batch(Random random) {
      this.random = random;
    }

    @Override
    public int add(Disk.InputFile file, long offset, int length) {
      if (added.size() == MAX_READS) {
        throw new AssertionError("more than " + MAX_READS + " reads in a batch");
      }
      lent.forEach(each -> Arrays.fill(each.bytes, POISON));
      lent.clear();
      added.add(new Wanted(file, offset, length, failing.getAsBoolean()));
      return added.size() - 1;
    }

    @Override
    public void submit() {
      inFlight.addAndGet(added.size() - submitted);
      reads.addAndGet(added.size() - submitted);
      submitted = added.size();
      if (random.nextInt(3) == 0) {
        finishOne();
      }
      finishGivenUp();
    }

    @Override
    public long await(long any) {
      if (any == 0 || (submitted < MAX_READS && any >>> submitted != 0)) {
        throw new AssertionError(Long.toBinaryString(any) + " of " + submitted + " submitted");
      }
      while ((done & any) == 0) {
        finishOne();
      }
      return done & any;
    }

    /** Ends one of the reads that are under way, if there is any. */
    private void finishOne() {
      int open = submitted - Long.bitCount(done);
      if (open == 0) {
        return;
      }
      int chosen = 0;
      for (int left = random.nextInt(open); ; chosen++) {
        if ((done & 1L << chosen) == 0 && left-- == 0) {
          break;
        }
      }
      added.get(chosen).read(random);
      done |= 1L << chosen;
      inFlight.decrementAndGet();
    }

    private void finishGivenUp() {
      while (!givenUp.isEmpty() && random.nextBoolean()) {
        try {
          givenUp.remove(random.nextInt(givenUp.size())).read(random);
        } catch (RuntimeException e) {
          // Its file was closed meanwhile, which nobody waits to hear.
        }
        inFlight.decrementAndGet();
      }
    }

    @Override
    public void take(int read, byte[] target, int at) throws IOException {
      byte[] bytes = lend(read);
      System.arraycopy(bytes, 0, target, at, bytes.length);
    }

    @Override
    public byte[] lend(int read) throws IOException {
      Wanted wanted = added.get(read);
      if ((done & 1L << read) == 0) {
        throw new AssertionError("read " + read + " is taken before it has ended");
      }
      if (wanted.failure != null) {
        throw wanted.failure;
      }
      return wanted.bytes;
    }

    @Override
    public void clear() {
      for (int i = 0; i < submitted; i++) {
        if ((done & 1L << i) == 0) {
          givenUp.add(added.get(i));
        } else {
          lent.add(added.get(i));
        }
      }
      added.clear();
      submitted = 0;
      done = 0;
    }

    @Override
    public void close() {
      clear();
      inFlight.addAndGet(-givenUp.size());
      givenUp.clear();
    }
  }
}
