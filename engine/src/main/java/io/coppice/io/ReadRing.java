// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A ring and the reads that it carries out. One batch at a time holds it, and its thread does all
 * the work: it hands requests to the kernel and waits there for what comes, so that no read costs a
 * switch to another thread and back.
 *
 * <ol>
 *   <li>Each request gets a slot, or waits for one. If its file has no descriptor yet it is opened
 *       first, by the ring; the path lies in the slot meanwhile.
 *   <li>One call hands all of that to the kernel; another waits for the first completion.
 *   <li>A read that came short is asked for the rest once. Then the bytes are copied to the request
 *       and the slot is free, whatever becomes of the request.
 *   <li>What a batch has given up stays under way when the next one takes the ring, which brings it
 *       home in passing. Where no thread does in time, the {@link RingReader}'s keeper does.
 * </ol>
 *
 * Nothing is thrown through the ring: what goes wrong in step 3 ends its use after the call. All
 * that is in hand then is read by the pool; slots the kernel has stay its own.
 */
final class ReadRing implements Ring.Completions {

  // Numbers of errors, as the kernel has them on all of its processors.
  private static final int EPERM = 1;
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;

  /** Advice under way has numbers from here on. */
  private static final int FIRST_ADVICE = Ring.MAX_OPERATIONS / 2;

  private static final int MAX_ADVICE = 64;

  /** A ring that gives so many odd answers in a row is not trusted. */
  private static final int MAX_ODD = 64;

  /** Between two looks at a ring that is to end. */
  private static final long PAUSE_NANOS = 100_000;

  private final RingFiles files;
  private final RingSlots slots;
  private final PoolReader pool;
  private final RingReader reader;

  /** Set while a batch holds it. */
  private final AtomicBoolean held = new AtomicBoolean();

  /** Set while a thread is inside; guards what follows. */
  private final AtomicBoolean entered = new AtomicBoolean();

  /** Null before it is opened, and after it was closed. */
  private volatile Ring ring;

  private volatile long reads;

  /** Turns of threads other than those of batches. */
  private volatile long looks;

  /** When the thread inside began to wait for the kernel; 0 if it does not. */
  private volatile long waitingSince;

  /** All goes to the pool from now on. */
  private volatile boolean givingUp;

  private Request head;
  private Request tail;
  private final RealFile[] advised = new RealFile[MAX_ADVICE];
  private int advising;
  private Throwable broken;
  private int odd;

  /** True if the kernel was not told yet of all that was asked. */
  private boolean untold;

  /** True if the thread inside is not that of the batch. */
  private boolean kept;

  ReadRing(RingFiles files, RingSlots slots, PoolReader pool, RingReader reader) {
    this.files = files;
    this.slots = slots;
    this.pool = pool;
    this.reader = reader;
  }

  /** Reads by this ring, which no thread is inside. */
  void open(Ring opened) {
    ring = opened;
  }

  int slots() {
    return slots.most();
  }

  /** Reads that were brought home. */
  long reads() {
    return reads;
  }

  /** Turns in which others may have brought home, or been woken by, what a batch waits for. */
  long looks() {
    return looks;
  }

  /**
   * Holds it for a batch, whose requests are the only ones under way then that are not given up.
   */
  boolean take() {
    return !held.get() && held.compareAndSet(false, true);
  }

  /** Lets the next batch have it. */
  void give() {
    held.set(false);
  }

  private void enter() {
    while (!entered.compareAndSet(false, true)) {
      // Whoever else is inside only looks.
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

  /** Starts a chain of requests of the batch that holds it. */
  void start(Request first) {
    enter();
    try {
      Request last = null;
      for (Request request = first; request != null; request = request.next) {
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
   * Waits until something has come, for the batch that holds it and has a request here.
   *
   * @param seen what {@link #looks} was before the batch looked whether it has to wait
   * @return false if there is nothing under way
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
   * Brings home what has come if nobody is inside, and makes the one who waits look around who has
   * waited for this long.
   *
   * @return true if something is under way
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

  /** Makes who waits look around; from any thread. */
  void wakeUp() {
    Ring open = ring;
    if (open != null) {
      open.wakeUp();
    }
  }

  /** Gives what it has to the pool, and all that comes. */
  void giveUp() {
    givingUp = true;
    wakeUp();
  }

  /**
   * Reads what it has, then ends; one that the kernel does not answer in time is left alone.
   *
   * @param deadline of the system's clock of nanoseconds
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

  /** False if something is under way. */
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

  /** Does what there is to do. */
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

  private void giveToPool(Request first) {
    Request last = null;
    int count = 0;
    for (Request request = first; request != null; request = request.next) {
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
      Request request = head;
      head = request.next;
      request.next = null;
      if (request.givenUp()) {
        // Perhaps only since the slot was taken.
        if (number >= 0) {
          slots.give(number);
        }
        home(request, null);
      } else if (number < 0) {
        // The ledger has no room for a single slot.
        giveToPool(request);
      } else {
        start(number, request);
      }
    }
  }

  private void start(int number, Request request) {
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

  /** Advises random reads. Otherwise the system reads ahead and evicts other pages. */
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

  /** Lets the pool do what the ring cannot; the kernel does not have the slot. */
  private void passOn(int number, RingSlots.Slot slot) {
    Request request = slot.request;
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
        // Whatever came of it.
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
      // Out of descriptors, removed, or not allowed: the pool may have it in another way.
      files.keep(file, ring, RingFiles.Descriptor.NONE, false);
      passOn(number, slot);
      if (isOfRing(-result)) {
        reader.demote("error " + -result + " when a file was opened");
      }
    }
  }

  private void wasRead(int number, RingSlots.Slot slot, int result) {
    Request request = slot.request;
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
      Residency residency = request.real.residency();
      if (residency != null && !slot.from.direct()) {
        residency.broughtIn(request.offset, request.length);
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
      // The device wants more than whole pages.
      slot.from.refuse();
      files.onlyBuffered();
      passOn(number, slot);
      return;
    }
    boolean wanted = !slot.request.givenUp();
    passOn(number, slot);
    // Any other may be a passing state, but not for ever. What was given up may have ended with the
    // thread that asked for it.
    if (isOfRing(error) || wanted && ++odd > MAX_ODD) {
      reader.demote("error " + error + " when a block was read");
    }
  }

  private static boolean isOfRing(int error) {
    return error == EINVAL || error == EPERM || error == ENOSYS || error == EOPNOTSUPP;
  }

  private void end(int number, Request request, Throwable failure) {
    slots.give(number);
    reads++;
    home(request, failure);
  }

  private void home(Request request, Throwable failure) {
    request.inRing(false);
    RequestBatch owner = pool.settle(request, failure);
    if (kept && owner != null) {
      owner.wake();
    }
  }

  /** So that a page believed to be in memory which is not costs one page, and not all around it. */
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

  /** Gives all requests to the pool. Slots that the kernel has stay its own. */
  private void surrender() {
    Request waiting = head;
    head = null;
    giveToPool(waiting);
    for (int i = 0; i < slots.made(); i++) {
      RingSlots.Slot slot = slots.get(i);
      Request request = slot.request;
      slot.request = null;
      giveToPool(request);
      if (request != null && !slot.inKernel) {
        slots.give(i);
      }
    }
  }
}
