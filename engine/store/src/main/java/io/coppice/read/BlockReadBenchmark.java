// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.read.stats.ReadLatencyModel;
import io.coppice.read.stats.SearchWidth;
import java.io.IOException;

/**
 * Benchmark driver that reads blocks of arbitrary files in the pattern of a lookup. It reads as
 * many at once as a scheme allows, in the steps of {@link ParallelSearch}, until it has the block
 * with the key and all blocks before it. There are no filters, all blocks belong to one level, and
 * each block counts as uncached. Safe to share between threads, each with its own client.
 */
public final class BlockReadBenchmark {

  private final SearchScheme scheme;
  private final BlockReader reader;

  /** Statistics that all clients of an adaptive search share. */
  private final SearchWidth width = new SearchWidth();

  private final ReadLatencyModel times = new ReadLatencyModel();

  /** Creates a driver; the width of a fixed-count scheme is {@link LookupContext#DEFAULT_WIDTH}. */
  public BlockReadBenchmark(SearchScheme scheme, BlockReader reader) {
    this.scheme = scheme;
    this.reader = reader;
  }

  /** Returns a new client for one thread. */
  public Client client() {
    return new Client();
  }

  /** Client of one thread, which carries out searches. */
  public final class Client implements AutoCloseable {

    private final ReadBatch batch = reader.newBatch();
    private byte[] alone = new byte[0];

    // State of the current search.
    private int blocks;

    /**
     * Number of requested blocks. Both this and the number of completed ones, below, count in order
     * of priority.
     */
    private int asked;

    private int answered;

    /** Read number of each block in the batch; unused for a block that this thread read itself. */
    private final int[] readOf = new int[ReadBatch.MAX_READS];

    private long ended;
    private int most;
    private boolean toppedUp;
    private int others;
    private long begun;
    private boolean toLearn;

    private Client() {}

    /**
     * Reads blocks of one length, in order of priority, and returns when all needed ones have
     * arrived.
     *
     * @param files file of each block
     * @param offsets position of each block in its file
     * @param length length of each block in bytes
     * @param blocks 1 to {@link ReadBatch#MAX_READS}
     * @param hit the block that ends the search; {@code blocks} if none does
     * @return the number of requested blocks
     * @throws IOException if a needed block cannot be read
     */
    public int search(Disk.InputFile[] files, long[] offsets, int length, int blocks, int hit)
        throws IOException {
      this.blocks = blocks;
      asked = 0;
      answered = 0;
      ended = 0;
      toppedUp = scheme == SearchScheme.FIXED_COUNT || scheme == SearchScheme.ADAPTIVE;
      int needed = Math.min(hit + 1, blocks);
      try {
        while (answered < needed) {
          if (answered == asked || (toppedUp && !hasEnded(answered))) {
            ask(files, offsets, length);
          }
          if (answered < asked) {
            take();
          }
        }
      } finally {
        batch.clear();
      }
      width.learn(needed, hit < blocks);
      return asked;
    }

    private boolean hasEnded(int block) {
      return (ended >>> readOf[block] & 1) != 0;
    }

    /**
     * Requests further blocks as the scheme allows. The calling thread reads a block itself if it
     * is the only one.
     */
    private void ask(Disk.InputFile[] files, long[] offsets, int length) throws IOException {
      int open = asked - answered;
      int limit = limit(open) - open;
      int rest = blocks - asked;
      int withRest = toppedUp ? limit + (limit + open) / ParallelSearch.REST_SHARE : limit;
      int count = rest <= withRest ? rest : limit;
      if (count == 1 && open == 0) {
        if (alone.length < length) {
          alone = new byte[length];
        }
        begin(1);
        reader.alone(1);
        try {
          batch.readAlone(files[asked], offsets[asked], alone, 0, length);
        } finally {
          reader.alone(-1);
        }
        times.learn(others, 1, System.nanoTime() - begun);
        asked++;
        answered++;
        return;
      }
      toLearn = open == 0;
      if (toLearn) {
        begin(count);
      }
      for (int i = 0; i < count; i++, asked++) {
        readOf[asked] = batch.add(files[asked], offsets[asked], length);
      }
      batch.submit();
    }

    private void begin(int own) {
      others = reader.inFlight();
      times.began(own);
      begun = System.nanoTime();
    }

    private int limit(int open) {
      switch (scheme) {
        case SERIAL -> {
          return 1;
        }
        case FIXED_COUNT -> {
          return LookupContext.DEFAULT_WIDTH;
        }
        case PRIORITY_AWARE -> {
          return ParallelSearch.STAGE_READS;
        }
        default -> {
          if (open == 0) {
            most = width.choose(reader.inFlight(), times);
          }
          return most;
        }
      }
    }

    private void take() throws IOException {
      if (!hasEnded(answered)) {
        int open = asked - answered;
        int together = ParallelSearch.together(open, reader.inFlight());
        long several = -1L >>> (Long.SIZE - together) << readOf[answered];
        batch.awaitAll(several);
        ended |= several;
        if (toLearn) {
          times.learn(others, together, System.nanoTime() - begun);
          toLearn = false;
        }
      }
      batch.lend(readOf[answered]);
      answered++;
    }

    @Override
    public void close() {
      batch.close();
    }
  }
}
