// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Disk space reserved in a file and released when the disk is full. The manifest can then still be
 * written, and merges can end and remove their inputs. The file consists of random bytes, because
 * holes or compressible bytes would reserve nothing. It is removed rather than overwritten, because
 * some file systems need space to overwrite.
 *
 * <p>While the reserve is released, other code should not write, or it would use up the space. The
 * space is set aside again once more is free beside it than when it was released. Otherwise the
 * work that needs it would find the same lack of space. Safe to share between threads.
 */
public final class DiskSpaceReserve {

  /** Smallest useful size of a reserve in bytes. */
  public static final long MIN_BYTES = 64 << 10;

  private static final String NAME = FileKind.RESERVE.fileName(0);
  private static final int PIECE_BYTES = 64 << 10;

  /**
   * Divisor of the reserve's size: this part of it must stay free beside the reserve, for other
   * writers.
   */
  private static final int MARGIN_SHARE = 4;

  /**
   * After a release, this multiple of the free bytes of that time must be free beside the reserve
   * before the space is set aside again.
   */
  private static final int FREE_GROWTH = 2;

  /** Free space beside the reserve that always suffices, as a multiple of the reserve's size. */
  private static final int MAX_MARGIN = 4;

  /** Tolerated factor between the size of a reserve and the wanted size. */
  private static final int TOLERANCE = 2;

  /**
   * A reserve of at most this many bytes stays if it is too large, because it is not worth a new
   * file.
   */
  private static final long SHRINK_BYTES = 16 << 20;

  private final Disk disk;
  private final LongSupplier wantedBytes;

  /** Number of reserved bytes. */
  @GuardedBy("this")
  private long heldBytes;

  /** Free bytes at the release, which were too few for some work; 0 without a release. */
  @GuardedBy("this")
  private long freeAtRelease;

  private volatile boolean released;

  private DiskSpaceReserve(Disk disk, LongSupplier wantedBytes, long heldBytes) {
    this.disk = disk;
    this.wantedBytes = wantedBytes;
    this.heldBytes = heldBytes;
  }

  /**
   * Opens the reserve and keeps the file of an earlier owner, whatever its size. Creates no file;
   * {@link #ensure} does.
   *
   * @param wantedBytes supplies the wanted size in bytes; below {@link #MIN_BYTES} that counts.
   *     Called at each check
   */
  public static DiskSpaceReserve open(Disk disk, LongSupplier wantedBytes) throws IOException {
    long heldBytes = 0;
    if (disk.list().contains(NAME)) {
      try (Disk.InputFile file = disk.open(NAME)) {
        heldBytes = file.length();
      }
    }
    return new DiskSpaceReserve(disk, wantedBytes, heldBytes);
  }

  /**
   * Reserves the space again when the work that may have released it is done. This needs no growth
   * of the free space, unlike {@link #ensure}.
   */
  public synchronized void ensureAfterWork() {
    freeAtRelease = 0;
    ensure();
  }

  /**
   * Reserves the space unless that is done or the disk is too full. A reserve of half to twice the
   * wanted size stays. A larger one of more than 16 MiB shrinks, for example after most data were
   * deleted. A lack of space is not an error. If the reserve was released, twice the free bytes of
   * that time must remain free beside it, so that repeated attempts of the same work end.
   *
   * @return false if the reserve was released and cannot be created again yet; true otherwise, even
   *     if the disk has too little space for a first one
   */
  public synchronized boolean ensure() {
    long wanted = Math.max(MIN_BYTES, wantedBytes.getAsLong());
    boolean tooLarge = heldBytes > SHRINK_BYTES && heldBytes / TOLERANCE > wanted;
    if (heldBytes >= wanted / TOLERANCE && !tooLarge) {
      return true;
    }
    try {
      long margin =
          Math.max(
              wanted / MARGIN_SHARE, Math.min(FREE_GROWTH * freeAtRelease, MAX_MARGIN * wanted));
      long free = disk.freeBytes();
      if (free + heldBytes - wanted >= margin) {
        make(wanted, free < wanted);
      }
    } catch (IOException e) {
      // The next call tries again.
    }
    return !released;
  }

  /**
   * Replaces the file by one of a new size.
   *
   * @param scarce whether other writers could use up the space of the old file
   */
  @GuardedBy("this")
  private void make(long bytes, boolean scarce) throws IOException {
    boolean held = heldBytes > 0;
    disk.delete(NAME);
    heldBytes = 0;
    released |= held && scarce;
    try (Disk.OutputFile file = disk.create(NAME)) {
      byte[] piece = new byte[PIECE_BYTES];
      byte[] envelope = FileHeader.of(FileKind.RESERVE, 0).encode();
      SplittableRandom random = new SplittableRandom(bytes);
      for (long at = 0; at < bytes; at += PIECE_BYTES) {
        random.nextBytes(piece);
        if (at == 0) {
          System.arraycopy(envelope, 0, piece, 0, envelope.length);
        }
        file.write(piece, 0, (int) Math.min(PIECE_BYTES, bytes - at));
      }
    } catch (IOException e) {
      // Bytes written before the failure must not count as a lack of space.
      disk.delete(NAME);
      // Other failures, for example a lack of descriptors, leave the space to all writers.
      boolean full = FailStopDisk.reportsFullDisk(e) || disk.freeBytes() < bytes;
      released = full && (held || released);
      throw e;
    }
    heldBytes = bytes;
    freeAtRelease = 0;
    released = false;
  }

  /** Releases the reserved space. Returns whether its file was removed. */
  public synchronized boolean release() {
    if (heldBytes == 0) {
      return false;
    }
    try {
      long free = disk.freeBytes();
      disk.delete(NAME);
      freeAtRelease = free;
    } catch (IOException e) {
      return false;
    }
    heldBytes = 0;
    released = true;
    return true;
  }

  /**
   * Returns whether the space was released and not set aside again. A change of the reserve's size
   * counts as a release only while the disk has little other space.
   */
  public boolean released() {
    return released;
  }

  /** Returns the size in bytes that the reserve should have, at least {@link #MIN_BYTES}. */
  public long wantedBytes() {
    return Math.max(MIN_BYTES, wantedBytes.getAsLong());
  }
}
