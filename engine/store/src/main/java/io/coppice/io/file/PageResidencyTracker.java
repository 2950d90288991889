// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * State of page residency that all files of a disk share. It chooses the reads that are timed,
 * decides when each file clears half of its residency bits, and suspends mappings while memory is
 * short. Safe to share between threads.
 *
 * <p>Normally, it times the reads of one page in {@value #USUALLY_ONE_IN}. After a slow read it
 * times all, until about {@value #TRUSTED_AFTER} reads were fast. The fields of this choice are
 * written without order: a lost update is harmless. A fast read usually writes only to one counter
 * of a {@link ReadTally}, which few threads share, because threads that write to one cache line
 * wait for each other.
 *
 * <p>A fault in a mapping costs far more than a read by call. The system reads the pages around it,
 * which evicts others. Every thread of the process may wait for the lock of its address space.
 * Mappings are suspended if more than about one timed read in {@value #FAULTS_PAY_BELOW} is a slow
 * copy out of a mapping, and major faults explain at least half of these copies. The slow copies
 * suffice if the system counts no faults. A suspension lasts a second. One that starts soon after
 * the last is twice as long, up to a minute.
 */
public final class PageResidencyTracker {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** Normally the reads of one page in this many are timed; a power of two. */
  private static final int USUALLY_ONE_IN = 16;

  /**
   * Duration in nanoseconds above which a read is slow. Reads from the device take longer, and
   * copies within memory take less unless the thread loses its time slice.
   */
  private static final long SLOW_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /** Number of fast reads since the last slow one that end its suspicion. */
  private static final int TRUSTED_AFTER = 64;

  private static final long DECAY_NANOS = TimeUnit.MINUTES.toNanos(3);

  /** Number of reads from the device between two checks of the clock, a power of two. */
  private static final int READS_PER_CHECK = 1024;

  /**
   * Number of timed reads per slow read below which mappings are suspended. A mapping saves about a
   * microsecond per read. A fault costs a few hundred microseconds more than a read by call.
   */
  private static final int FAULTS_PAY_BELOW = 256;

  /**
   * Number of slow reads in a window after which the faults are counted. Four come by chance within
   * seconds even if only one read in a thousand is slow, and repeated suspensions last ever longer.
   */
  static final int SLOW_READS_PER_CHECK = 16;

  /** Number of timed reads in a window. The next slow read after them starts another window. */
  static final int WINDOW_READS = SLOW_READS_PER_CHECK * FAULTS_PAY_BELOW;

  static final long SHORTEST_SUSPENSION_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_SUSPENSION_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * A suspension is twice as long as the last one if it follows within this multiple of its length.
   */
  private static final int SOON = 4;

  private final LongSupplier nanoTime;
  private final LongSupplier majorFaults;

  /** Count of timed reads that were fast. */
  private final ReadTally fast = new ReadTally();

  private int timedMask = USUALLY_ONE_IN - 1;

  /** Count of fast reads before the last slow one. */
  private long fastBefore;

  private int suspicions;
  private int broughtIn;
  private long decayedAt;
  private volatile int decays;
  private volatile long slow;

  // State of the current window, which begins with its first slow read.
  @GuardedBy("this")
  private long windowBegin;

  @GuardedBy("this")
  private int windowSlow;

  @GuardedBy("this")
  private long windowFaults;

  private volatile boolean suspended;

  /** End of the last suspension, in nanoseconds. Written under the monitor of this. */
  private volatile long suspendedUntil;

  @GuardedBy("this")
  private long suspensionNanos;

  /** Creates a tracker of the page faults of this process. */
  public PageResidencyTracker() {
    this(System::nanoTime, MajorFaults::ofProcess);
  }

  /**
   * Creates a tracker with this clock and this count of faults.
   *
   * @param majorFaults count since any time, or {@link MajorFaults#UNKNOWN}
   */
  PageResidencyTracker(LongSupplier nanoTime, LongSupplier majorFaults) {
    this.nanoTime = nanoTime;
    this.majorFaults = majorFaults;
    this.decayedAt = nanoTime.getAsLong();
    beginWindow(majorFaults.getAsLong());
  }

  /** Returns a mask for numbers of reads. A read is timed if its number has no bit of the mask. */
  int timedMask() {
    return timedMask;
  }

  /**
   * Returns the number of times that each file should have cleared half of its bits since the disk
   * was opened. A file compares it with its own count.
   */
  int decays() {
    return decays;
  }

  /**
   * Returns the number of slow reads of pages believed to be in memory, since the disk was opened.
   */
  long slowReads() {
    return slow;
  }

  /** Returns whether mappings are suspended, so that files are read by calls only. */
  boolean suspended() {
    return suspended;
  }

  /**
   * Judges a timed read, which may take one nanosecond per byte more than {@link #SLOW_NANOS}. A
   * single slow read may have lost its time slice, so only the second of two close ones counts.
   *
   * @param mapped whether it was a copy out of a mapping
   * @return whether to clear the bits around the read
   */
  boolean slow(int length, long nanos, boolean mapped) {
    if (!mapped) {
      resumeInTime();
    }
    if (nanos <= SLOW_NANOS + length) {
      countFast();
      return false;
    }
    if (mapped) {
      countSlowMapped();
    }
    boolean suspected = timedMask == 0;
    slow++;
    fastBefore = fast.sum();
    timedMask = 0;
    if (!suspected) {
      suspicions++;
    }
    return suspected;
  }

  private void countFast() {
    if (fast.increment() && timedMask == 0 && fast.sum() - fastBefore >= TRUSTED_AFTER) {
      timedMask = USUALLY_ONE_IN - 1;
    }
  }

  private void countSlowMapped() {
    boolean first;
    synchronized (this) {
      if (fast.sum() - windowBegin >= WINDOW_READS) {
        beginWindow(majorFaults.getAsLong());
      }
      windowSlow++;
      first = windowSlow >= SLOW_READS_PER_CHECK && check();
    }
    if (first) {
      LOG.log(
          System.Logger.Level.INFO,
          "mapped pages of tables are evicted while they are still read, so tables are read by"
              + " system calls until this stops; leave more memory to the page cache for faster"
              + " reads");
    }
  }

  @GuardedBy("this")
  private void beginWindow(long faults) {
    windowFaults = faults;
    windowBegin = fast.sum();
    windowSlow = 0;
  }

  /**
   * Suspends the mappings if major faults explain at least half of the slow reads.
   *
   * @return whether this is the first suspension
   */
  @GuardedBy("this")
  private boolean check() {
    if (suspended) {
      return false;
    }
    long faults = majorFaults.getAsLong();
    boolean counted = windowFaults != MajorFaults.UNKNOWN;
    boolean confirmed =
        faults == MajorFaults.UNKNOWN ? !counted : faults - windowFaults >= windowSlow / 2;
    boolean first = confirmed && suspensionNanos == 0;
    if (confirmed) {
      suspend(first);
    }
    beginWindow(faults == MajorFaults.UNKNOWN ? windowFaults : faults);
    return first;
  }

  @GuardedBy("this")
  private void suspend(boolean first) {
    long now = nanoTime.getAsLong();
    boolean soon = !first && now - suspendedUntil < SOON * suspensionNanos;
    suspensionNanos =
        soon ? Math.min(2 * suspensionNanos, LONGEST_SUSPENSION_NANOS) : SHORTEST_SUSPENSION_NANOS;
    suspendedUntil = now + suspensionNanos;
    suspended = true;
  }

  /** Ends a suspension if its time is over. */
  private void resumeInTime() {
    if (suspended && nanoTime.getAsLong() - suspendedUntil >= 0) {
      resume();
    }
  }

  private synchronized void resume() {
    if (suspended && nanoTime.getAsLong() - suspendedUntil >= 0) {
      beginWindow(majorFaults.getAsLong());
      suspended = false;
    }
  }

  /** Returns the number of slow reads that raised a new suspicion, since the disk was opened. */
  int suspicions() {
    return suspicions;
  }

  /**
   * Counts a read from the device. Bits of page residency can only be wrong while such reads occur,
   * so only they make bits expire.
   */
  void broughtIn() {
    if ((++broughtIn & READS_PER_CHECK - 1) == 0) {
      resumeInTime();
      long now = nanoTime.getAsLong();
      if (now - decayedAt > DECAY_NANOS) {
        decayedAt = now;
        decay();
      }
    }
  }

  /** Makes half of all bits expire, in every file. */
  void decay() {
    decays++;
  }
}
