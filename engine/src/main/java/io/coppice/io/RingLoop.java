// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A ring and the thread that owns it.
 *
 * <ol>
 *   <li>Threads push requests; the first to find the thread asleep wakes it. It sleeps only until
 *       the first completion, and looks for requests again when it has passed on those at hand.
 *   <li>Each request gets a slot, or waits for one. If its file has no descriptor yet it is opened
 *       first, by the ring; the path lies in the slot meanwhile.
 *   <li>One call hands all of that to the kernel and waits for the first completion, unless there
 *       are requests again.
 *   <li>A read that came short is asked for the rest once. Then the bytes are copied to the request
 *       and the slot is free, whatever becomes of the request. Owners that have what they wait for
 *       are woken after the last completion at hand.
 * </ol>
 *
 * Nothing is thrown through the ring: what goes wrong in step 4 ends the loop after the call. A
 * loop that ends early gives what it has in hand to the pool; slots the kernel has stay its own.
 */
final class RingLoop implements Ring.Completions {

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

  /** Stands for a loop that takes nothing any more. */
  private static final Request OVER = new Request();

  private final Ring.Factory rings;
  private final RingFiles files;
  private final RingSlots slots;
  private final PoolReader pool;
  private final Consumer<String> failed;
  private final Thread thread;
  private final AtomicBoolean started = new AtomicBoolean();

  /** Requests that were not looked at yet, the newest first. */
  private final AtomicReference<Request> incoming = new AtomicReference<>();

  private volatile boolean asleep;
  private volatile boolean stopping;
  private volatile boolean givingUp;
  private volatile Ring ring;
  private volatile long reads;

  // Of the thread.
  private Request head;
  private Request tail;
  private final List<RequestBatch> owners = new ArrayList<>();
  private final RealFile[] advised = new RealFile[MAX_ADVICE];
  private int advising;
  private Throwable broken;
  private int odd;
  private boolean surrendered;

  RingLoop(
      int number,
      Ring.Factory rings,
      RingFiles files,
      RingSlots slots,
      PoolReader pool,
      Consumer<String> failed) {
    this.rings = rings;
    this.files = files;
    this.slots = slots;
    this.pool = pool;
    this.failed = failed;
    this.thread = new Thread(this::run, "coppice-ring-" + number);
    thread.setDaemon(true);
  }

  int slots() {
    return slots.most();
  }

  /** Reads that were brought home. */
  long reads() {
    return reads;
  }

  /** Takes a chain of requests, the newest first. */
  void take(Request newest, Request oldest) {
    for (Request request = newest; request != null; request = request.next) {
      request.inRing(true);
    }
    Request before;
    do {
      before = incoming.get();
      if (before == OVER) {
        oldest.next = null;
        giveToPool(turnRound(newest));
        return;
      }
      oldest.next = before;
    } while (!incoming.compareAndSet(before, newest));
    if (!started.get() && started.compareAndSet(false, true)) {
      start();
    }
    if (asleep) {
      ring.wakeUp();
    }
  }

  private void start() {
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      failed.accept("its thread cannot be started: " + e);
      neverRuns();
    }
  }

  /** What came in meanwhile, and all that comes, goes to the pool. */
  private void neverRuns() {
    Request newest = incoming.getAndSet(OVER);
    giveToPool(newest == OVER ? null : turnRound(newest));
  }

  private static Request turnRound(Request newestFirst) {
    Request turned = null;
    for (Request request = newestFirst; request != null; ) {
      Request older = request.next;
      request.next = turned;
      turned = request;
      request = older;
    }
    return turned;
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

  /** Reads what it has, then ends. */
  void stop() {
    stopping = true;
    if (started.compareAndSet(false, true)) {
      neverRuns();
    } else if (asleep) {
      ring.wakeUp();
    }
  }

  /** Gives what it has to the pool, then ends. */
  void giveUp() {
    givingUp = true;
    if (asleep) {
      ring.wakeUp();
    }
  }

  /** Waits until the thread has ended; one that the kernel never answers is left alone. */
  void awaitEnd(long nanos) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + nanos;
    long left;
    while (thread.isAlive() && (left = deadline - System.nanoTime()) > 0) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      ring = rings.open(this);
      while (turn()) {
        assert slots.used() <= slots.most();
      }
      ring.close();
    } catch (Throwable e) {
      fail(e);
    }
    slots.close();
  }

  /** False if there is nothing left to do. */
  private boolean turn() throws Throwable {
    arrivals();
    if (givingUp && !surrendered) {
      surrender();
    }
    startWhatFits();
    if (mayEnd() && isOver()) {
      return false;
    }
    asleep = true;
    boolean waits = !hasNews();
    if (!waits) {
      asleep = false;
    }
    ring.run(waits);
    asleep = false;
    wakeOwners();
    if (broken != null) {
      throw broken;
    }
    return true;
  }

  private boolean mayEnd() {
    return (stopping || givingUp) && head == null && slots.used() == 0 && advising == 0;
  }

  private boolean hasNews() {
    Request newest = incoming.get();
    return newest != null && newest != OVER || givingUp && !surrendered || mayEnd();
  }

  /** Gives all to the pool, and ends the ring in order if it can do that much. */
  private void fail(Throwable cause) {
    failed.accept("the loop ended by " + cause);
    surrender();
    try {
      while (ring != null && slots.used() + advising > 0) {
        ring.run(true);
      }
      if (ring != null) {
        ring.close();
      }
    } catch (Throwable e) {
      // It is as dead as it was, and what the kernel has of the slots stays with it.
      assert broken != null || cause != null;
    }
  }

  private boolean isOver() {
    return incoming.get() == OVER || incoming.compareAndSet(null, OVER);
  }

  private void arrivals() {
    Request newest = incoming.get();
    if (newest != null && newest != OVER) {
      queue(incoming.getAndSet(null));
    }
  }

  private void queue(Request newest) {
    if (newest == null || newest == OVER) {
      return;
    }
    Request oldest = turnRound(newest);
    if (head == null) {
      head = oldest;
    } else {
      tail.next = oldest;
    }
    tail = newest;
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
  }

  private void read(int number, RingSlots.Slot slot, RingFiles.Descriptor from) {
    if (from.number() == RingFiles.Descriptor.NONE) {
      passOn(number, slot);
      return;
    }
    slot.aim(from);
    ring.read(number, from.number(), slot.start, slot.address, slot.window);
    slot.inKernel = true;
  }

  /** Lets the pool do what the ring cannot; the kernel does not have the slot. */
  private void passOn(int number, RingSlots.Slot slot) {
    Request request = slot.request;
    slots.give(number);
    giveToPool(request);
  }

  @Override
  public void done(int operation, int result) {
    if (asleep) {
      // Who pushes from here on is looked at next without being asked to.
      asleep = false;
    }
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
      if (!open.direct()) {
        adviseRandom(file);
      }
      read(number, slot, open);
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
        failed.accept("error " + -result + " when a file was opened");
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
    passOn(number, slot);
    // Any other may be a passing state, but not for ever.
    if (isOfRing(error) || ++odd > MAX_ODD) {
      failed.accept("error " + error + " when a block was read");
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
    if (owner != null && (owners.isEmpty() || owners.get(owners.size() - 1) != owner)) {
      owners.add(owner);
    }
  }

  private void wakeOwners() {
    for (int i = 0; i < owners.size(); i++) {
      owners.get(i).wake();
    }
    owners.clear();
  }

  /** So that a page believed to be in memory which is not costs one page, and not all around it. */
  private void adviseRandom(RealFile file) {
    if (advising == MAX_ADVICE || !(file instanceof MappedFile mapped) || !file.enter()) {
      return;
    }
    int place = 0;
    while (advised[place] != null) {
      place++;
    }
    advised[place] = file;
    advising++;
    ring.adviseRandom(FIRST_ADVICE + place, mapped.address(ring), mapped.length());
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
    surrendered = true;
    queue(incoming.getAndSet(OVER));
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
    wakeOwners();
  }
}
