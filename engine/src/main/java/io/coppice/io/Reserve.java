// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Room on the disk set aside in a file, to be given up when the disk is full, so that the manifest
 * can still be written and merges can still end and remove their inputs. It is made of random
 * bytes, as neither holes nor what compresses well would keep room, and it is removed rather than
 * overwritten, which some file systems need room for.
 *
 * <p>While it is released others should write nothing, or they would use the room up. Safe to share
 * between threads.
 */
public final class Reserve {

  /** Below this the room is too small to be of use. */
  public static final long MIN_BYTES = 64 << 10;

  private static final String NAME = FileKind.RESERVE.fileName(0);
  private static final int PIECE_BYTES = 64 << 10;

  /** Others need to write too once the reserve is there again. */
  private static final int MARGIN_SHARE = 4;

  private final Disk disk;
  private final LongSupplier wantedBytes;

  /** Bytes set aside. Guarded by this. */
  private long heldBytes;

  private volatile boolean released;

  private Reserve(Disk disk, LongSupplier wantedBytes) {
    this.disk = disk;
    this.wantedBytes = wantedBytes;
  }

  /**
   * Takes over what an earlier owner set aside, whatever its size.
   *
   * @param wantedBytes how large it is to be; asked each time it is made
   */
  public static Reserve open(Disk disk, LongSupplier wantedBytes) throws IOException {
    Reserve reserve = new Reserve(disk, wantedBytes);
    if (disk.list().contains(NAME)) {
      try (Disk.InputFile file = disk.open(NAME)) {
        reserve.heldBytes = file.length();
      }
    }
    return reserve;
  }

  /**
   * Sets the room aside unless that is done or the disk is too full. Not finding room is no error:
   * the reserve helps where it can.
   *
   * @return false if the reserve was released and cannot be made again yet
   */
  public synchronized boolean ensure() {
    long wanted = Math.max(MIN_BYTES, wantedBytes.getAsLong());
    if (heldBytes >= wanted / 2) {
      return true;
    }
    try {
      if (disk.freeBytes() + heldBytes >= wanted + wanted / MARGIN_SHARE) {
        make(wanted);
        heldBytes = wanted;
        released = false;
      }
    } catch (IOException e) {
      heldBytes = 0;
    }
    return !released;
  }

  private void make(long bytes) throws IOException {
    disk.delete(NAME);
    Disk.OutputFile file = disk.create(NAME);
    try (file) {
      byte[] piece = new byte[PIECE_BYTES];
      byte[] envelope = Envelope.of(FileKind.RESERVE, 0).encode();
      SplittableRandom random = new SplittableRandom(bytes);
      for (long at = 0; at < bytes; at += PIECE_BYTES) {
        random.nextBytes(piece);
        if (at == 0) {
          System.arraycopy(envelope, 0, piece, 0, envelope.length);
        }
        file.write(piece, 0, (int) Math.min(PIECE_BYTES, bytes - at));
      }
    } catch (IOException e) {
      disk.delete(NAME);
      throw e;
    }
  }

  /** Gives the room up; false if there is none to give. */
  public synchronized boolean release() {
    if (heldBytes == 0) {
      return false;
    }
    try {
      disk.delete(NAME);
    } catch (IOException e) {
      return false;
    }
    heldBytes = 0;
    released = true;
    return true;
  }

  /** True from {@link #release} until the room is set aside again. */
  public boolean released() {
    return released;
  }

  /** How large it is to be. */
  public long wantedBytes() {
    return Math.max(MIN_BYTES, wantedBytes.getAsLong());
  }
}
