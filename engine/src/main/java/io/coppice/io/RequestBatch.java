// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.ClosedException;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** The reads of one thread, whichever reader carries them out. */
final class RequestBatch implements ReadBatch {

  /** Carries out reads. */
  interface Carrier {

    /** A request that nobody uses. */
    Request spare();

    /** Takes a chain of requests, each under way, in this order. */
    void carry(Request first, Request last, int count);

    /** After this long a read is late. */
    long lateNanos();

    /** Told of a read that is late; true if it is to be asked for once more. */
    boolean late(Request request);

    /** Takes a request that asks again for what is late, and is under way, by another way. */
    void carryAgain(Request request);
  }

  private final Carrier carrier;
  private final Request[] requests = new Request[MAX_READS];
  private int added;
  private int submitted;

  /** Those known to have ended. */
  private long ended;

  private Thread waiter;

  /** Those that {@link #waiter} waits for, written after it; 0 if nobody waits. */
  private volatile long awaited;

  RequestBatch(Carrier carrier) {
    this.carrier = carrier;
  }

  @Override
  public int add(Disk.InputFile file, long offset, int length) {
    if (added == MAX_READS) {
      throw new IllegalStateException("a batch holds " + MAX_READS + " reads");
    }
    if (requests[added] == null) {
      requests[added] = carrier.spare();
    }
    if (!requests[added].start(this, added, file, offset, length)) {
      throw new ClosedException(file.name());
    }
    return added++;
  }

  @Override
  public void submit() {
    if (submitted == added) {
      return;
    }
    Request first = requests[submitted];
    Request last = first;
    int count = added - submitted;
    first.underWay();
    for (int i = submitted + 1; i < added; i++) {
      last.next = requests[i];
      last = requests[i];
      last.underWay();
    }
    last.next = null;
    submitted = added;
    carrier.carry(first, last, count);
  }

  @Override
  public long await(long any) {
    assert any != 0 && (submitted == MAX_READS || any >>> submitted == 0) : "not submitted";
    long now = look(any);
    if (now != 0) {
      return now;
    }
    boolean interrupted = false;
    long lateNanos = carrier.lateNanos();
    long since = System.nanoTime();
    waiter = Thread.currentThread();
    awaited = any;
    while ((now = look(any)) == 0) {
      LockSupport.parkNanos(this, lateNanos);
      interrupted |= Thread.interrupted();
      if (System.nanoTime() - since >= lateNanos) {
        askAgain(any);
        since = System.nanoTime();
      }
    }
    awaited = 0;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return now;
  }

  /** A late request is given up for one that asks for the same by another way. */
  private void askAgain(long any) {
    for (long left = any & ~ended; left != 0; left &= left - 1) {
      int read = Long.numberOfTrailingZeros(left);
      Request late = requests[read];
      if (!carrier.late(late)) {
        continue;
      }
      Request again = carrier.spare();
      if (!again.start(this, read, late.file, late.offset, late.length)) {
        continue;
      }
      if (late.giveUp()) {
        requests[read] = again;
        again.next = null;
        again.underWay();
        carrier.carryAgain(again);
      } else {
        again.leaveQuietly();
      }
    }
  }

  private long look(long any) {
    for (long left = any & ~ended; left != 0; left &= left - 1) {
      int read = Long.numberOfTrailingZeros(left);
      if (requests[read].state() == Request.ENDED) {
        ended |= 1L << read;
      }
    }
    return any & ended;
  }

  /** True if a read that has just ended is waited for; from any thread, also too late. */
  boolean awaits(int read) {
    return (awaited >>> read & 1) != 0;
  }

  /** Lets the one who waits look again; harmless if nobody does. */
  void wake() {
    LockSupport.unpark(waiter);
  }

  @Override
  public void take(int read, byte[] target, int at) throws IOException {
    Request request = requests[read];
    assert read < submitted && request.state() == Request.ENDED : "not ended";
    Throwable failure = request.failure;
    if (failure == null) {
      System.arraycopy(request.bytes, 0, target, at, request.length);
      return;
    }
    String where = request.file.name() + " cannot be read at offset " + request.offset;
    if (failure instanceof EOFException) {
      EOFException end = new EOFException(where + ": " + failure.getMessage());
      end.initCause(failure);
      throw end;
    }
    throw new IOException(where + ": " + failure.getMessage(), failure);
  }

  @Override
  public void clear() {
    for (int i = 0; i < added; i++) {
      Request request = requests[i];
      if (i >= submitted) {
        request.leaveQuietly();
        request.reset();
      } else if (request.giveUp()) {
        requests[i] = null;
      } else {
        request.reset();
      }
    }
    added = 0;
    submitted = 0;
    ended = 0;
  }

  @Override
  public void close() {
    clear();
  }
}
