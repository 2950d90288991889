// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.ClosedException;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/**
 * Block reader for any disk that reads one block after another in the submitting thread. Safe to
 * share between threads; a batch belongs to one thread.
 */
public final class SerialReader implements BlockReader {

  @Override
  public ReadBatch newBatch() {
    return new Batch();
  }

  @Override
  public int inFlight() {
    return 0;
  }

  @Override
  public String describe() {
    return "serial";
  }

  @Override
  public void close() {}

  private static final class Batch implements ReadBatch {

    private final Disk.InputFile[] files = new Disk.InputFile[MAX_READS];
    private final long[] offsets = new long[MAX_READS];
    private final byte[][] bytes = new byte[MAX_READS][];
    private final int[] lengths = new int[MAX_READS];
    private final IOException[] failures = new IOException[MAX_READS];
    private int added;
    private int read;

    @Override
    public int add(Disk.InputFile file, long offset, int length) {
      files[added] = file;
      offsets[added] = offset;
      lengths[added] = length;
      if (bytes[added] == null || bytes[added].length < length) {
        bytes[added] = new byte[length];
      }
      return added++;
    }

    @Override
    public void submit() {
      for (; read < added; read++) {
        try {
          files[read].read(offsets[read], bytes[read], 0, lengths[read]);
        } catch (IOException e) {
          failures[read] = e;
        } catch (ClosedException e) {
          failures[read] = new IOException(e);
        }
      }
    }

    @Override
    public long await(long any) {
      assert any != 0 && (read == MAX_READS || any >>> read == 0) : "not submitted";
      return any;
    }

    @Override
    public void take(int number, byte[] target, int at) throws IOException {
      System.arraycopy(lend(number), 0, target, at, lengths[number]);
    }

    @Override
    public byte[] lend(int number) throws IOException {
      IOException failure = failures[number];
      if (failure instanceof EOFException) {
        throw failure;
      }
      if (failure != null) {
        throw new IOException(
            files[number].name() + " cannot be read at offset " + offsets[number], failure);
      }
      return bytes[number];
    }

    @Override
    public void clear() {
      Arrays.fill(files, 0, added, null);
      Arrays.fill(failures, 0, added, null);
      added = 0;
      read = 0;
    }

    @Override
    public void close() {
      clear();
    }
  }
}
