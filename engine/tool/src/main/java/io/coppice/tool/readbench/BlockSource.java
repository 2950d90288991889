// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import com.sun.nio.file.ExtendedOpenOption;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.io.disk.HostMemory;
import io.coppice.read.BlockReadBenchmark;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A way to read blocks of files. Thread-safe; each thread has its own client. */
interface BlockSource extends Closeable {

  /** Returns the name of this source in result tables. */
  String name();

  /** Returns whether this source bypasses the page cache, so that earlier reads have no effect. */
  boolean direct();

  /** Returns a new client for one thread, which the caller closes. */
  Client client() throws IOException;

  /** Returns the search scheme that this source applies. */
  default SearchScheme scheme() {
    return SearchScheme.SERIAL;
  }

  /** The reads of one thread. */
  interface Client extends Closeable {
    /**
     * Reads blocks in their order, and returns once the needed ones have arrived.
     *
     * @param file for each block, the index of its file in {@link BlockFiles#files}
     * @param offset for each block, its offset in the file in bytes
     * @param count number of blocks, at least 1
     * @param hit the index of the last block needed; {@code count} if all are needed and none ends
     *     the search
     * @return the number of blocks requested
     * @throws IOException if a read fails
     */
    int read(int[] file, long[] offset, int count, int hit) throws IOException;
  }

  /** A serial source that reads from memory mappings with the system's default advice. */
  final class Mappings implements BlockSource {

    /** Largest part of a file that one mapping covers, in bytes. */
    private static final long PART_BYTES = 1L << 30;

    private final List<MappedByteBuffer[]> maps = new ArrayList<>();

    Mappings(BlockFiles files) throws IOException {
      for (var path : files.files()) {
        try (FileChannel channel = FileChannel.open(path)) {
          long length = channel.size();
          MappedByteBuffer[] parts = new MappedByteBuffer[(int) (length / PART_BYTES) + 1];
          for (int i = 0; i < parts.length; i++) {
            long start = i * PART_BYTES;
            long bytes = Math.min(PART_BYTES, length - start);
            parts[i] = channel.map(FileChannel.MapMode.READ_ONLY, start, bytes);
          }
          maps.add(parts);
        }
      }
    }

    @Override
    public String name() {
      return "mapping";
    }

    @Override
    public boolean direct() {
      return false;
    }

    @Override
    public Client client() {
      byte[] target = new byte[BlockFiles.BLOCK_BYTES];
      return new Client() {
        @Override
        public int read(int[] file, long[] offset, int count, int hit) {
          int needed = Math.min(hit + 1, count);
          for (int i = 0; i < needed; i++) {
            MappedByteBuffer part = maps.get(file[i])[(int) (offset[i] / PART_BYTES)];
            part.get((int) (offset[i] % PART_BYTES), target);
          }
          return needed;
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() {
      maps.clear();
    }
  }

  /** A serial source that reads at positions and bypasses the page cache. */
  final class DirectChannels implements BlockSource {

    private final List<FileChannel> channels = new ArrayList<>();

    DirectChannels(BlockFiles files) throws IOException {
      try {
        for (var path : files.files()) {
          channels.add(FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT));
        }
      } catch (IOException | RuntimeException e) {
        close();
        throw e;
      }
    }

    @Override
    public String name() {
      return "positional direct";
    }

    @Override
    public boolean direct() {
      return true;
    }

    @Override
    public Client client() {
      int bytes = BlockFiles.BLOCK_BYTES;
      ByteBuffer target = ByteBuffer.allocateDirect(2 * bytes).alignedSlice(bytes);
      return new Client() {
        @Override
        public int read(int[] file, long[] offset, int count, int hit) throws IOException {
          int needed = Math.min(hit + 1, count);
          for (int i = 0; i < needed; i++) {
            int read = channels.get(file[i]).read(target.clear().limit(bytes), offset[i]);
            if (read != bytes) {
              throw new EOFException("a block came short: " + read);
            }
          }
          return needed;
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public void close() throws IOException {
      for (FileChannel channel : channels) {
        channel.close();
      }
    }
  }

  /** A parallel source that reads all blocks of a query at once through a reader of the engine. */
  final class Reader implements BlockSource {

    private static final long MEMORY_BYTES = 256 << 20;

    private final String kind;
    private final boolean direct;
    private final BlockReader reader;
    private final List<Disk.InputFile> inputs = new ArrayList<>();

    Reader(Disk disk, BlockFiles files, String kind, boolean direct) throws IOException {
      this.kind = kind;
      this.direct = direct;
      long bytes = Math.min(MEMORY_BYTES, HostMemory.ofProcess().directBytes());
      MemoryBudget memory = MemoryBudget.ofBytes(bytes);
      reader = disk.blockReader(new BlockReaderOptions(kind, direct, memory));
      for (var path : files.files()) {
        inputs.add(disk.open(path.getFileName().toString()));
      }
    }

    @Override
    public String name() {
      return direct ? kind + " direct" : kind;
    }

    @Override
    public boolean direct() {
      return direct;
    }

    @Override
    public Client client() {
      ReadBatch batch = reader.newBatch();
      byte[] target = new byte[BlockFiles.BLOCK_BYTES];
      return new Client() {
        @Override
        public int read(int[] file, long[] offset, int count, int hit) throws IOException {
          for (int i = 0; i < count; i++) {
            batch.add(inputs.get(file[i]), offset[i], BlockFiles.BLOCK_BYTES);
          }
          batch.submit();
          batch.awaitAll(-1L >>> (Long.SIZE - count));
          for (int i = 0; i < count; i++) {
            batch.take(i, target, 0);
          }
          batch.clear();
          return count;
        }

        @Override
        public void close() {
          batch.close();
        }
      };
    }

    @Override
    public void close() throws IOException {
      reader.close();
      for (Disk.InputFile input : inputs) {
        input.close();
      }
    }
  }

  /** A source that applies a search scheme of the engine to the reader of another source. */
  final class Scheme implements BlockSource {

    private final Reader by;
    private final SearchScheme scheme;
    private final BlockReadBenchmark search;

    Scheme(Reader by, SearchScheme scheme) {
      this.by = by;
      this.scheme = scheme;
      this.search = new BlockReadBenchmark(scheme, by.reader);
    }

    @Override
    public String name() {
      return by.name();
    }

    @Override
    public boolean direct() {
      return by.direct();
    }

    @Override
    public SearchScheme scheme() {
      return scheme;
    }

    @Override
    public Client client() {
      BlockReadBenchmark.Client searching = search.client();
      Disk.InputFile[] inputs = new Disk.InputFile[ReadBatch.MAX_READS];
      return new Client() {
        @Override
        public int read(int[] file, long[] offset, int count, int hit) throws IOException {
          for (int i = 0; i < count; i++) {
            inputs[i] = by.inputs.get(file[i]);
          }
          return searching.search(inputs, offset, BlockFiles.BLOCK_BYTES, count, hit);
        }

        @Override
        public void close() {
          searching.close();
        }
      };
    }

    @Override
    public void close() {}
  }
}
