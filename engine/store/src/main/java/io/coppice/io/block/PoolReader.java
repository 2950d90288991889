// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.ClosedException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.BlockReader;
import io.coppice.io.ReadBatch;
import io.coppice.io.file.PageResidency;
import io.coppice.io.file.RealFile;
import io.coppice.io.uring.AlignedMemory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Block reader with a pool of threads. Each thread reads one block at a time, in the order of
 * submission. The threads are never interrupted, so they can use channels. They start on demand,
 * and each has one buffer. Requests that find all threads busy wait in an unbounded queue, because
 * their submitters wait for them anyway. Safe to share between threads.
 */
class PoolReader implements BlockReader, BlockReadBatch.Carrier {

  /**
   * Number of threads: enough for the parallelism of most devices; more threads cost more switches
   * than they gain.
   */
  static final int THREADS = 16;

  /** Buffer size in bytes. Longer reads take several pieces of this size. */
  private static final int BUFFER_BYTES = 4 * AlignedMemory.PAGE_BYTES;

  /** Time in nanoseconds after which closing abandons threads that are still reading. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** Maximum number of finished requests of abandoned reads that are kept for reuse. */
  private static final int MAX_SPARE_REQUESTS = 1024;

  private final DirectFiles direct;
  private final MemoryBudget memory;
  private final int threads;
  private final long endNanos;
  private final AtomicInteger inFlight = new AtomicInteger();

  @GuardedBy("spare")
  private final ArrayDeque<BlockReadRequest> spare = new ArrayDeque<>(MAX_SPARE_REQUESTS);

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private BlockReadRequest head;

  @GuardedBy("lock")
  private BlockReadRequest tail;

  @GuardedBy("lock")
  private final Worker[] idle;

  @GuardedBy("lock")
  private int idleWorkers;

  @GuardedBy("lock")
  private final List<Worker> workers = new ArrayList<>();

  @GuardedBy("lock")
  private boolean closed;

  PoolReader(MemoryBudget memory, boolean direct) {
    this(memory, direct, THREADS, END_NANOS);
  }

  PoolReader(MemoryBudget memory, boolean direct, int threads, long endNanos) {
    this.endNanos = endNanos;
    this.memory = memory;
    this.direct = direct ? new DirectFiles() : null;
    this.threads = threads;
    this.idle = new Worker[threads];
  }

  @Override
  public ReadBatch newBatch() {
    return new BlockReadBatch(this);
  }

  @Override
  public int inFlight() {
    return inFlight.get();
  }

  @Override
  public boolean direct() {
    return direct != null;
  }

  @Override
  public DirectFiles pastCache() {
    return direct;
  }

  @Override
  public void alone(int change) {
    began(change);
  }

  @Override
  public AlignedMemory pages() {
    return AlignedMemory.tryAllocate(memory, BUFFER_BYTES);
  }

  @Override
  public String describe() {
    boolean past = direct != null && !direct.refused();
    return "pool threads=" + threads + " read=" + (past ? "direct" : "buffered");
  }

  @Override
  public BlockReadRequest spare() {
    synchronized (spare) {
      BlockReadRequest request = spare.poll();
      return request == null ? new BlockReadRequest() : request;
    }
  }

  @Override
  public void carry(BlockReadRequest first, BlockReadRequest last, int count) {
    began(count);
    take(first, last, count);
  }

  /** Counts reads that have started, here or in a ring. */
  void began(int count) {
    inFlight.addAndGet(count);
  }

  /** Queues linked requests that {@link #began} has already counted. */
  void take(BlockReadRequest first, BlockReadRequest last, int count) {
    Worker one = null;
    Worker other = null;
    Throwable refusal = null;
    lock.lock();
    try {
      if (closed) {
        refusal = new ClosedException("the reader of blocks");
      } else {
        if (head == null) {
          head = first;
        } else {
          tail.next = first;
        }
        tail = last;
        // Each woken thread wakes one more.
        one = takeIdle();
        other = count > 1 ? takeIdle() : null;
        for (int missing = count - (one == null ? 0 : 1) - (other == null ? 0 : 1);
            refusal == null && missing > idleWorkers && workers.size() < threads;
            missing--) {
          refusal = start();
        }
        if (refusal != null && workers.isEmpty()) {
          // No thread has ever served, so these requests are the whole queue.
          head = null;
        } else {
          refusal = null;
        }
      }
    } finally {
      lock.unlock();
    }
    wake(one);
    wake(other);
    if (refusal != null) {
      refuse(first, refusal);
    }
  }

  private void refuse(BlockReadRequest first, Throwable why) {
    BlockReadRequest request = first;
    while (request != null) {
      BlockReadRequest following = request.next;
      home(request, why);
      request = following;
    }
  }

  @GuardedBy("lock")
  private Worker takeIdle() {
    return idleWorkers == 0 ? null : idle[--idleWorkers];
  }

  private static void wake(Worker worker) {
    if (worker != null) {
      worker.parked = false;
      LockSupport.unpark(worker);
    }
  }

  /** Starts a thread, or throws like {@link Thread#start} if none is available. */
  void launch(Thread worker) {
    worker.start();
  }

  /**
   * Starts one more worker. Returns the reason if the system has no thread available, else null.
   */
  @GuardedBy("lock")
  private Throwable start() {
    Worker worker = new Worker("coppice-read-" + workers.size());
    try {
      launch(worker);
    } catch (OutOfMemoryError e) {
      return new IOException("no thread can be started to read blocks", e);
    }
    workers.add(worker);
    return null;
  }

  /** Returns the next request; null once the reader is closed and the queue is empty. */
  private BlockReadRequest next(Worker worker) {
    while (true) {
      Worker another = null;
      BlockReadRequest request;
      lock.lock();
      try {
        request = head;
        if (request != null) {
          head = request.next;
          another = head == null ? null : takeIdle();
        } else if (closed) {
          return null;
        } else {
          worker.parked = true;
          idle[idleWorkers++] = worker;
        }
      } finally {
        lock.unlock();
      }
      if (request != null) {
        wake(another);
        return request;
      }
      while (worker.parked) {
        LockSupport.park(this);
      }
    }
  }

  private void home(BlockReadRequest request, Throwable outcome) {
    BlockReadBatch owner = settle(request, outcome);
    if (owner != null) {
      owner.wake();
    }
  }

  /**
   * Ends a request and releases its file.
   *
   * @param outcome cause of a failure, or null
   * @return the batch to wake, or null if no thread waits for the request
   */
  BlockReadBatch settle(BlockReadRequest request, Throwable outcome) {
    Throwable failure = outcome;
    try {
      request.leave();
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
    inFlight.decrementAndGet();
    // After its end another thread may reuse the request.
    BlockReadBatch owner = request.owner();
    int number = request.number();
    if (request.end(failure)) {
      return owner.awaits(number) ? owner : null;
    }
    takeBack(request);
    return null;
  }

  private void takeBack(BlockReadRequest request) {
    request.reset();
    synchronized (spare) {
      if (spare.size() < MAX_SPARE_REQUESTS) {
        spare.add(request);
      }
    }
  }

  /**
   * Closes the reader after the reads in progress; later reads fail. The wait is bounded in case a
   * device never answers: after 10 s the queued requests fail, and the busy threads are abandoned.
   * An abandoned thread releases its resources and ends when its read returns.
   */
  @Override
  public void close() {
    List<Worker> started;
    lock.lock();
    try {
      closed = true;
      started = List.copyOf(workers);
      while (idleWorkers > 0) {
        wake(takeIdle());
      }
    } finally {
      lock.unlock();
    }
    long deadline = System.nanoTime() + endNanos;
    long stuck = 0;
    for (Worker worker : started) {
      Uninterruptibles.joinUninterruptibly(
          worker, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      stuck += worker.isAlive() ? 1 : 0;
    }
    if (stuck > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} threads are still blocked in reads after {1} s, so closing goes on without them",
          stuck,
          TimeUnit.NANOSECONDS.toSeconds(endNanos));
      refuse(takeAll(), new ClosedException("the reader of blocks"));
    }
  }

  private BlockReadRequest takeAll() {
    lock.lock();
    try {
      BlockReadRequest all = head;
      head = null;
      tail = null;
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Thread that serves one request after another. */
  private final class Worker extends Thread {

    private volatile boolean parked;

    /** Read buffer; null until the first read, and while the memory budget is exhausted. */
    private AlignedMemory buffer;

    Worker(String name) {
      super(name);
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        BlockReadRequest request;
        while ((request = next(this)) != null) {
          serve(request);
        }
      } finally {
        if (buffer != null) {
          buffer.close();
        }
      }
    }

    private void serve(BlockReadRequest request) {
      Throwable failure = null;
      if (!request.givenUp()) {
        try {
          read(request);
        } catch (Throwable e) {
          failure = e;
        }
      }
      home(request, failure);
    }

    private void read(BlockReadRequest request) throws IOException {
      RealFile file = request.real;
      if (buffer == null) {
        buffer = pages();
      }
      if (file == null || buffer == null) {
        request.file.read(request.offset, request.bytes, 0, request.length);
        return;
      }
      if (request.offset < 0 || request.offset > file.length() - request.length) {
        throw new EOFException(
            "the file ends before " + (request.offset + request.length) + ": " + file.length());
      }
      if (direct == null
          || !direct.read(file, request.offset, request.bytes, 0, request.length, buffer)) {
        readBuffered(request, file);
      }
    }

    private void readBuffered(BlockReadRequest request, RealFile file) throws IOException {
      ByteBuffer pages = buffer.pages();
      for (int done = 0; done < request.length; ) {
        int count = Math.min(BUFFER_BYTES, request.length - done);
        file.readHeld(request.offset + done, pages.clear().limit(count));
        pages.flip().get(request.bytes, done, count);
        done += count;
      }
      PageResidency residency = file.residency();
      if (residency != null) {
        residency.markCached(request.offset, request.length);
      }
    }
  }

  @Override
  public long lateNanos() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean late(BlockReadRequest request) {
    return false;
  }

  @Override
  public void carryAgain(BlockReadRequest request) {
    throw new AssertionError("nothing is late here");
  }
}
