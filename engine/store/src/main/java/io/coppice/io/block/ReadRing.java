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
 *     slot per request  ---->  opens the file, if needed
 *                       ---->  reads into the slot
 *   await()            waits:  completes the operation      keep(): handles completions
 *     copies to the request,                                that no thread waits for
 *     frees the slot
 * </pre>
 *
 * <ol>
 *   <li>Each request gets a slot, or waits for one. If its file has no descriptor yet, the ring
 *       opens the file first; the slot holds the path until then.
 *   <li>One system call submits all of that; another waits for the first completion.
 *   <li>A short read is continued while it makes progress. Afterwards its bytes are copied to the
 *       request, unless the request was abandoned, and the slot is free.
 *   <li>Reads that a batch has abandoned continue. The next batch on the ring ends them in passing,
 *       or else the {@link RingReader}'s keeper does.
 * </ol>
 *
 * <p>Locks: {@code held} reserves the ring for a batch. {@code entered} is a spin lock around each
 * use of the ring, and guards the other fields. The keeper takes it only if it is free.
 *
 * <p>Exceptions never pass through the ring's callback. A failure in step 3 ends the use of the
 * ring after the call: the pool reads all requests, and slots that the kernel owns stay reserved.
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
  private final RingSlots slots;
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
  private volatile long looks;

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
  private boolean untold;

  /** Whether the keeper uses the ring, instead of a batch's thread. */
  private boolean kept;

  ReadRing(RingFiles files, RingSlots slots, PoolReader pool, RingReader reader) {
    this.files = files;
    this.slots = slots;
    this.pool = pool;
    this.reader = reader;
  }

  /** Sets the kernel's ring, before any thread uses it. */
  void open(Ring opened) {
    ring = opened;
  }

  int slots() {
    return slots.most();
  }

  /** Returns the number of reads that this ring has finished. */
  long reads() {
    return reads;
  }

  /**
   * Returns the number of passes by other threads. Such a pass may have ended a read that a batch
   * waits for, or taken its wake-up.
   */
  long looks() {
    return looks;
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
    looks++;
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
   * @param seen value of {@link #looks} before the batch checked whether it must wait
   * @return false if no request is in progress
   */
  boolean await(long seen) {
    enter();
    try {
      if (looks != seen) {
        return true;
      }
      long before = reads;
      boolean waits = !givingUp && slots.used() > 0;
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
   * @return whether something may be in progress
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

  /** Closes the ring unless an operation is in progress. Returns whether it is closed. */
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
      return slots.close();
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
    return head != null || slots.used() + advising > 0;
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
        untold = false;
        ring.run(first);
        first = false;
        if (broken != null) {
          throw broken;
        }
        startWhatFits();
      } while (untold);
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
      int number = head.givenUp() ? -1 : slots.take(ring);
      if (number < 0 && !head.givenUp() && slots.used() > 0) {
        return;
      }
      BlockReadRequest request = head;
      head = request.next;
      request.next = null;
      if (request.givenUp()) {
        // It may have been abandoned after its slot was taken.
        if (number >= 0) {
          slots.give(number);
        }
        home(request, null);
      } else if (number < 0) {
        // The memory budget has no room for a single slot.
        giveToPool(request);
      } else {
        start(number, request);
      }
    }
  }

  private void start(int number, BlockReadRequest request) {
    RingSlots.Slot slot = slots.get(number);
    slot.request = request;
    RingFiles.Descriptor open = files.of(request.real);
    if (open == null) {
      open(number, slot);
    } else {
      read(number, slot, open);
    }
  }

  private void open(int number, RingSlots.Slot slot) {
    byte[] path = RingFiles.pathBytes(slot.request.real);
    if (path.length > RingSlots.SLOT_BYTES || !DescriptorBudget.ofProcess().tryTake()) {
      passOn(number, slot);
      return;
    }
    slot.bytes.put(0, path);
    slot.from = null;
    slot.opensDirect = files.direct();
    ring.open(number, slot.address, OpenFlags.NATIVE.reading(slot.opensDirect));
    slot.inKernel = true;
    untold = true;
  }

  /**
   * Queues advice that a file is read at random. Otherwise the system would read ahead and evict
   * other pages.
   */
  private void adviseRandomReads(int number, RingSlots.Slot slot, RingFiles.Descriptor of) {
    slot.from = of;
    slot.advises = true;
    ring.adviseRandomReads(number, of.number());
    slot.inKernel = true;
    untold = true;
  }

  private void read(int number, RingSlots.Slot slot, RingFiles.Descriptor from) {
    if (from.number() == RingFiles.Descriptor.NONE) {
      passOn(number, slot);
      return;
    }
    slot.aim(from);
    ring.read(number, from.number(), slot.start, slot.address, slot.window);
    slot.inKernel = true;
    untold = true;
  }

  /** Hands a request to the pool and frees its slot, which the kernel must not hold. */
  private void passOn(int number, RingSlots.Slot slot) {
    BlockReadRequest request = slot.request;
    slots.give(number);
    giveToPool(request);
  }

  @Override
  public void done(int operation, int result) {
    try {
      if (operation >= FIRST_ADVICE) {
        adviceDone(operation - FIRST_ADVICE);
        return;
      }
      RingSlots.Slot slot = slots.inKernel(operation);
      if (slot == null) {
        return;
      }
      slot.inKernel = false;
      boolean advised = slot.advises;
      slot.advises = false;
      if (slot.request == null) {
        if (slot.from == null) {
          DescriptorBudget.ofProcess().giveBack();
          if (result >= 0) {
            ring.closeDescriptor(result);
          }
        }
        slots.give(operation);
      } else if (slot.from == null) {
        opened(operation, slot, result);
      } else if (advised) {
        // The read follows whatever the result of the advice.
        read(operation, slot, slot.from);
      } else {
        wasRead(operation, slot, result);
      }
    } catch (Throwable e) {
      broken = e;
    }
  }

  private void opened(int number, RingSlots.Slot slot, int result) {
    RealFile file = slot.request.real;
    if (result >= 0) {
      RingFiles.Descriptor open = files.keep(file, ring, result, slot.opensDirect);
      if (open.direct() || open.number() == RingFiles.Descriptor.NONE) {
        read(number, slot, open);
      } else {
        adviseRandom(file);
        adviseRandomReads(number, slot, open);
      }
      return;
    }
    DescriptorBudget.ofProcess().giveBack();
    if (-result == EINVAL && slot.opensDirect) {
      files.onlyBuffered();
      open(number, slot);
    } else {
      // Out of descriptors, removed, or not permitted: the pool may still read the file in another
      // way.
      files.keep(file, ring, RingFiles.Descriptor.NONE, false);
      passOn(number, slot);
      if (isOfRing(-result)) {
        reader.demote("error " + -result + " when a file was opened");
      }
    }
  }

  private void wasRead(int number, RingSlots.Slot slot, int result) {
    BlockReadRequest request = slot.request;
    if (result < 0) {
      readFailed(number, slot, -result);
      return;
    }
    odd = 0;
    slot.got += result;
    int wanted = slot.before + request.length;
    if (slot.got >= wanted) {
      if (!request.givenUp()) {
        slot.bytes.get(slot.before, request.bytes, 0, request.length);
      }
      PageResidency residency = request.real.residency();
      if (residency != null && !slot.from.direct()) {
        residency.markCached(request.offset, request.length);
      }
      end(number, request, null);
      return;
    }
    int next = slot.from.direct() ? slot.got & -AlignedMemory.PAGE_BYTES : slot.got;
    boolean inVain = next == slot.got - result;
    if (result == 0 || inVain && slot.again) {
      String problem = "the file ends before " + (request.offset + request.length);
      end(number, request, new EOFException(problem));
      return;
    }
    slot.again = inVain;
    slot.got = next;
    ring.read(
        number, slot.from.number(), slot.start + next, slot.address + next, slot.window - next);
    slot.inKernel = true;
    untold = true;
  }

  private void readFailed(int number, RingSlots.Slot slot, int error) {
    if (error == EIO) {
      end(number, slot.request, new IOException("Input/output error"));
      return;
    }
    if (error == EINVAL && slot.from.direct()) {
      // The device requires more than whole pages.
      slot.from.refuse();
      files.onlyBuffered();
      passOn(number, slot);
      return;
    }
    boolean wanted = !slot.request.givenUp();
    passOn(number, slot);
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
    slots.give(number);
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
    boolean told = false;
    if (!file.enter()) {
      return;
    }
    try {
      ring.adviseRandom(FIRST_ADVICE + place, mapped.address(ring), mapped.length());
      advised[place] = file;
      advising++;
      untold = true;
      told = true;
    } finally {
      if (!told) {
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
   * Passes all requests to the pool after a failure of the ring. Slots that the kernel owns stay
   * reserved.
   */
  private void surrender() {
    BlockReadRequest waiting = head;
    head = null;
    giveToPool(waiting);
    for (int i = 0; i < slots.made(); i++) {
      RingSlots.Slot slot = slots.get(i);
      BlockReadRequest request = slot.request;
      slot.request = null;
      giveToPool(request);
      if (request != null && !slot.inKernel) {
        slots.give(i);
      }
    }
  }
}
