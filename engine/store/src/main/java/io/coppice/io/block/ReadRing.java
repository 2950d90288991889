// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.io.file.DescriptorBudget;
import io.coppice.io.file.MappedFile;
import io.coppice.io.file.PageResidency;
import io.coppice.io.file.RealFile;
import io.coppice.io.uring.AlignedMemory;
import io.coppice.io.uring.OpenFlags;
import io.coppice.io.uring.Ring;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * One io_uring ring and the reads that it carries out. One batch at a time holds the ring, and the
 * batch's thread does all the work: it submits requests to the kernel and waits there for
 * completions. A read therefore needs no switch to another thread and back.
 *
 * <pre>
 *   batch's thread             kernel                       keeper (another thread)
 *   start(requests)
 *     buffer per request  ---->  opens the file, if needed
 *                       ---->  reads into the buffer
 *   await()            waits:  completes the operation      keep(): handles completions
 *     copies to the request,                                that no thread waits for
 *     frees the buffer
 * </pre>
 *
 * <ol>
 *   <li>Each request gets a buffer, or waits for one. If its file has no descriptor yet, the ring
 *       opens the file first; the buffer holds the path until then.
 *   <li>One system call submits all of that; another waits for the first completion.
 *   <li>A short read is continued while it makes progress. Afterwards its bytes are copied to the
 *       request, unless the request was abandoned, and the buffer is free.
 *   <li>Reads that a batch has abandoned continue. The next batch on the ring ends them in passing,
 *       or else the {@link RingReader}'s keeper does.
 * </ol>
 *
 * <p>Locks: {@code held} reserves the ring for a batch. {@code entered} is a spin lock around each
 * use of the ring, and guards the other fields. The keeper takes it only if it is free.
 *
 * <p>Exceptions never pass through the ring's callback. A failure in step 3 ends the use of the
 * ring after the call: the pool reads all requests, and buffers that the kernel owns stay reserved.
 */
final class ReadRing implements Ring.Completions {

  // Error numbers, the same on all processors of the kernel.
  private static final int EPERM = 1;
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;

  /** Numbers of operations that give advice begin here. */
  private static final int FIRST_ADVICE = Ring.MAX_OPERATIONS / 2;

  private static final int MAX_ADVICE = 64;

  /** Number of unexpected errors in a row after which the pool replaces the ring. */
  private static final int MAX_ODD = 64;

  /** Pause in nanoseconds between two checks of a ring that is being closed. */
  private static final long PAUSE_NANOS = 100_000;

  private final RingFiles files;
  private final RingBuffers buffers;
  private final PoolReader pool;
  private final RingReader reader;

  /** Set while a batch holds the ring. */
  private final AtomicBoolean held = new AtomicBoolean();

  /** Set while a thread uses the ring; guards the fields below. */
  private final AtomicBoolean entered = new AtomicBoolean();

  /** Ring in the kernel; null before opening and after closing. */
  private volatile Ring ring;

  private volatile long reads;

  /** Number of passes over the completions by threads other than those of batches. */
  private volatile long passes;

  /**
   * Time in nanoseconds when the thread that uses the ring began to wait for the kernel; 0 if it
   * does not wait.
   */
  private volatile long waitingSince;

  /** Whether all requests go to the pool from now on. */
  private volatile boolean givingUp;

  private BlockReadRequest head;
  private BlockReadRequest tail;
  private final RealFile[] advised = new RealFile[MAX_ADVICE];
  private int advising;
  private Throwable broken;
  private int odd;

  /** Whether operations were queued that the next {@link Ring#run} must submit. */
  private boolean unsubmitted;

  /** Whether the keeper uses the ring, instead of a batch's thread. */
  private boolean kept;

  ReadRing(RingFiles files, RingBuffers buffers, PoolReader pool, RingReader reader) {
    this.files = files;
    this.buffers = buffers;
    this.pool = pool;
    this.reader = reader;
  }

  /** Sets the kernel's ring, before any thread uses it. */
  void open(Ring opened) {
    ring = opened;
  }

  int buffers() {
    return buffers.most();
  }

  /**
   * Returns the number of reads that this ring has finished since its creation, failed ones
   * included.
   */
  long reads() {
    return reads;
  }

  /**
   * Returns the number of passes by other threads since the ring was created. Such a pass may have
   * ended a read that a batch waits for, or taken its wake-up.
   */
  long passes() {
    return passes;
  }

  /**
   * Reserves the ring for a batch; returns false if another batch has it. From then on all requests
   * in progress are abandoned ones or those of the batch.
   */
  boolean take() {
    return !held.get() && held.compareAndSet(false, true);
  }

  /** Releases the ring for the next batch. */
  void give() {
    held.set(false);
  }

  private void enter() {
    while (!entered.compareAndSet(false, true)) {
      // Any other thread inside stays only for one pass.
      Thread.yield();
    }
    adopt();
  }

  private boolean tryEnter() {
    if (entered.get() || !entered.compareAndSet(false, true)) {
      return false;
    }
    adopt();
    return true;
  }

  private void adopt() {
    if (ring != null) {
      ring.adopt();
    }
  }

  private void leave() {
    entered.set(false);
  }

  private void leaveAsOther() {
    kept = false;
    passes++;
    leave();
  }

  /** Starts linked requests of the batch that holds the ring. */
  void start(BlockReadRequest first) {
    enter();
    try {
      BlockReadRequest last = null;
      for (BlockReadRequest request = first; request != null; request = request.next) {
        request.inRing(true);
        last = request;
      }
      if (head == null) {
        head = first;
      } else {
        tail.next = first;
      }
      tail = last;
      turn(false);
    } finally {
      leave();
    }
  }

  /**
   * Waits for progress, for the batch that holds the ring and has a request in it.
   *
   * @param seen value of {@link #passes} before the batch checked whether it must wait
   * @return false if no request is in progress
   */
  boolean await(long seen) {
    enter();
    try {
      if (passes != seen) {
        return true;
      }
      long before = reads;
      boolean waits = !givingUp && buffers.used() > 0;
      waitingSince = waits ? System.nanoTime() | 1 : 0;
      turn(waits);
      waitingSince = 0;
      return waits || reads != before;
    } finally {
      leave();
    }
  }

  /**
   * Handles completions if no thread uses the ring. Otherwise wakes the thread that waits in it, if
   * it has waited for at least {@code lateNanos}.
   *
   * @return whether reads or advice may be in progress
   */
  boolean keep(long lateNanos) {
    if (tryEnter()) {
      kept = true;
      try {
        turn(false);
        return isUnderWay();
      } finally {
        leaveAsOther();
      }
    }
    long since = waitingSince;
    if (since != 0 && System.nanoTime() - since >= lateNanos) {
      wakeUp();
    }
    return true;
  }

  /**
   * Wakes the thread that waits in the ring, so that it checks its reads. Any thread may call it.
   */
  void wakeUp() {
    Ring open = ring;
    if (open != null) {
      open.wakeUp();
    }
  }

  /** Passes all present and later requests to the pool. */
  void giveUp() {
    givingUp = true;
    wakeUp();
  }

  /**
   * Ends the reads in progress, then closes the ring. A ring that the kernel does not finish by the
   * deadline is abandoned.
   *
   * @param deadline value of {@link System#nanoTime}
   */
  void close(long deadline) {
    boolean interrupted = false;
    while (!end() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(PAUSE_NANOS);
      interrupted |= Thread.interrupted();
    }
    giveUp();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Closes the ring and frees its buffers, unless another thread is inside, or a read or advice is
   * in progress. Returns whether both are done.
   */
  private boolean end() {
    if (!tryEnter()) {
      return false;
    }
    kept = true;
    try {
      turn(false);
      if (isUnderWay()) {
        return false;
      }
      givingUp = true;
      closeRing();
      return buffers.close();
    } finally {
      leaveAsOther();
    }
  }

  private void closeRing() {
    Ring open = ring;
    ring = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (RuntimeException e) {
      reader.demote("it could not be closed: " + e);
    }
  }

  private boolean isUnderWay() {
    return head != null || buffers.used() + advising > 0;
  }

  /**
   * Makes one pass: submits requests and handles completions.
   *
   * @param waits whether to wait for a completion
   */
  private void turn(boolean waits) {
    try {
      if (givingUp) {
        surrender();
      } else {
        startWhatFits();
      }
      if (ring == null) {
        return;
      }
      boolean first = waits;
      do {
        unsubmitted = false;
        ring.run(first);
        first = false;
        if (broken != null) {
          throw broken;
        }
        startWhatFits();
      } while (unsubmitted);
    } catch (Throwable e) {
      broken = null;
      givingUp = true;
      surrender();
      reader.demote("it ended by " + e);
    }
  }

  private void giveToPool(BlockReadRequest first) {
    BlockReadRequest last = null;
    int count = 0;
    for (BlockReadRequest request = first; request != null; request = request.next) {
      request.inRing(false);
      last = request;
      count++;
    }
    if (count > 0) {
      pool.take(first, last, count);
    }
  }

  private void startWhatFits() {
    while (head != null) {
      int number = head.givenUp() ? -1 : buffers.take(ring);
      if (number < 0 && !head.givenUp() && buffers.used() > 0) {
        return;
      }
      BlockReadRequest request = head;
      head = request.next;
      request.next = null;
      if (request.givenUp()) {
        // It may have been abandoned after its buffer was taken.
        if (number >= 0) {
          buffers.give(number);
        }
        home(request, null);
      } else if (number < 0) {
        // The memory budget has no room for a single buffer.
        giveToPool(request);
      } else {
        start(number, request);
      }
    }
  }

  private void start(int number, BlockReadRequest request) {
    RingBuffers.Buffer buffer = buffers.get(number);
    buffer.request = request;
    RingFiles.Descriptor open = files.of(request.real);
    if (open == null) {
      open(number, buffer);
    } else {
      read(number, buffer, open);
    }
  }

  private void open(int number, RingBuffers.Buffer buffer) {
    byte[] path = RingFiles.pathBytes(buffer.request.real);
    if (path.length > RingBuffers.BUFFER_BYTES || !DescriptorBudget.ofProcess().tryTake()) {
      passOn(number, buffer);
      return;
    }
    buffer.bytes.put(0, path);
    buffer.from = null;
    buffer.opensDirect = files.direct();
    ring.open(number, buffer.address, OpenFlags.NATIVE.reading(buffer.opensDirect));
    buffer.inKernel = true;
    unsubmitted = true;
  }

  /**
   * Queues advice that a file is read at random. Otherwise the system would read ahead and evict
   * other pages.
   */
  private void adviseRandomReads(int number, RingBuffers.Buffer buffer, RingFiles.Descriptor of) {
    buffer.from = of;
    buffer.advises = true;
    ring.adviseRandomReads(number, of.number());
    buffer.inKernel = true;
    unsubmitted = true;
  }

  private void read(int number, RingBuffers.Buffer buffer, RingFiles.Descriptor from) {
    if (from.number() == RingFiles.Descriptor.NONE) {
      passOn(number, buffer);
      return;
    }
    buffer.aim(from);
    ring.read(number, from.number(), buffer.start, buffer.address, buffer.window);
    buffer.inKernel = true;
    unsubmitted = true;
  }

  /** Hands a request to the pool and frees its buffer, which the kernel must not hold. */
  private void passOn(int number, RingBuffers.Buffer buffer) {
    BlockReadRequest request = buffer.request;
    buffers.give(number);
    giveToPool(request);
  }

  @Override
  public void done(int operation, int result) {
    try {
      if (operation >= FIRST_ADVICE) {
        adviceDone(operation - FIRST_ADVICE);
        return;
      }
      RingBuffers.Buffer buffer = buffers.inKernel(operation);
      if (buffer == null) {
        return;
      }
      buffer.inKernel = false;
      boolean advised = buffer.advises;
      buffer.advises = false;
      if (buffer.request == null) {
        if (buffer.from == null) {
          DescriptorBudget.ofProcess().giveBack();
          if (result >= 0) {
            ring.closeDescriptor(result);
          }
        }
        buffers.give(operation);
      } else if (buffer.from == null) {
        opened(operation, buffer, result);
      } else if (advised) {
        // The read follows whatever the result of the advice.
        read(operation, buffer, buffer.from);
      } else {
        wasRead(operation, buffer, result);
      }
    } catch (Throwable e) {
      broken = e;
    }
  }

  private void opened(int number, RingBuffers.Buffer buffer, int result) {
    RealFile file = buffer.request.real;
    if (result >= 0) {
      RingFiles.Descriptor open = files.keep(file, ring, result, buffer.opensDirect);
      if (open.direct() || open.number() == RingFiles.Descriptor.NONE) {
        read(number, buffer, open);
      } else {
        adviseRandom(file);
        adviseRandomReads(number, buffer, open);
      }
      return;
    }
    DescriptorBudget.ofProcess().giveBack();
    if (-result == EINVAL && buffer.opensDirect) {
      files.onlyBuffered();
      open(number, buffer);
    } else {
      // Out of descriptors, removed, or not permitted: the pool may still read the file in another
      // way.
      files.keep(file, ring, RingFiles.Descriptor.NONE, false);
      passOn(number, buffer);
      if (isOfRing(-result)) {
        reader.demote("error " + -result + " when a file was opened");
      }
    }
  }

  private void wasRead(int number, RingBuffers.Buffer buffer, int result) {
    BlockReadRequest request = buffer.request;
    if (result < 0) {
      readFailed(number, buffer, -result);
      return;
    }
    odd = 0;
    buffer.got += result;
    int wanted = buffer.before + request.length;
    if (buffer.got >= wanted) {
      if (!request.givenUp()) {
        buffer.bytes.get(buffer.before, request.bytes, 0, request.length);
      }
      PageResidency residency = request.real.residency();
      if (residency != null && !buffer.from.direct()) {
        residency.markCached(request.offset, request.length);
      }
      end(number, request, null);
      return;
    }
    int next = buffer.from.direct() ? buffer.got & -AlignedMemory.PAGE_BYTES : buffer.got;
    boolean stuck = next == buffer.got - result;
    if (result == 0 || stuck && buffer.again) {
      String problem = "the file ends before " + (request.offset + request.length);
      end(number, request, new EOFException(problem));
      return;
    }
    buffer.again = stuck;
    buffer.got = next;
    ring.read(
        number,
        buffer.from.number(),
        buffer.start + next,
        buffer.address + next,
        buffer.window - next);
    buffer.inKernel = true;
    unsubmitted = true;
  }

  private void readFailed(int number, RingBuffers.Buffer buffer, int error) {
    if (error == EIO) {
      end(number, buffer.request, new IOException("Input/output error"));
      return;
    }
    if (error == EINVAL && buffer.from.direct()) {
      // The device requires more than whole pages.
      buffer.from.refuse();
      files.onlyBuffered();
      passOn(number, buffer);
      return;
    }
    boolean wanted = !buffer.request.givenUp();
    passOn(number, buffer);
    // Any other error may be temporary, but not forever. An abandoned read may have ended with the
    // thread that requested it.
    if (isOfRing(error) || wanted && ++odd > MAX_ODD) {
      reader.demote("error " + error + " when a block was read");
    }
  }

  private static boolean isOfRing(int error) {
    return error == EINVAL || error == EPERM || error == ENOSYS || error == EOPNOTSUPP;
  }

  private void end(int number, BlockReadRequest request, Throwable failure) {
    buffers.give(number);
    reads++;
    home(request, failure);
  }

  private void home(BlockReadRequest request, Throwable failure) {
    request.inRing(false);
    BlockReadBatch owner = pool.settle(request, failure);
    if (kept && owner != null) {
      owner.wake();
    }
  }

  /**
   * Queues advice that a mapping is read at random, so that a missing page costs one page read
   * instead of all pages around it.
   */
  private void adviseRandom(RealFile file) {
    if (advising == MAX_ADVICE || !(file instanceof MappedFile mapped)) {
      return;
    }
    int place = 0;
    while (advised[place] != null) {
      place++;
    }
    boolean queued = false;
    if (!file.enter()) {
      return;
    }
    try {
      ring.adviseRandom(FIRST_ADVICE + place, mapped.address(ring), mapped.length());
      advised[place] = file;
      advising++;
      unsubmitted = true;
      queued = true;
    } finally {
      if (!queued) {
        file.leaveQuietly();
      }
    }
  }

  private void adviceDone(int place) {
    RealFile file = advised[place];
    if (file != null) {
      advised[place] = null;
      advising--;
      file.leaveQuietly();
    }
  }

  /**
   * Passes all requests to the pool after a failure of the ring. Buffers that the kernel owns stay
   * reserved.
   */
  private void surrender() {
    BlockReadRequest waiting = head;
    head = null;
    giveToPool(waiting);
    for (int i = 0; i < buffers.made(); i++) {
      RingBuffers.Buffer buffer = buffers.get(i);
      BlockReadRequest request = buffer.request;
      buffer.request = null;
      giveToPool(request);
      if (request != null && !buffer.inKernel) {
        buffers.give(i);
      }
    }
  }
}
