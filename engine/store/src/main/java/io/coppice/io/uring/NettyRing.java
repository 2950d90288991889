// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.uring;

import com.google.common.util.concurrent.Futures;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;

/**
 * Ring on Linux's io_uring through the public classes of Netty's transport. The transport is an
 * optional dependency, so this class is found by name, and no other class refers to it.
 *
 * <p>The callback must catch all exceptions: for one that escapes, Netty logs it, sleeps and
 * forgets the operation. Used by one thread at a time.
 */
public final class NettyRing implements Ring {

  /**
   * Number of operations that can be queued at once. Twice as many completions fit, more than
   * operations are ever in progress.
   */
  private static final int RING_SIZE = 256;

  /** Queue size of a ring that carries out no reads and only uses up an index. */
  private static final int BOUND_SIZE = 8;

  /**
   * Number of indexes that the kernel gives one thread to enter its rings. It is the same in all
   * kernels that have them.
   */
  private static final int INDEXES = 16;

  // Numbers of the kernel's interface.
  private static final byte OPEN_AT = 18;
  private static final byte READ = 22;
  private static final byte ADVISE_FILE = 24;
  private static final byte ADVISE_MEMORY = 25;
  private static final int NO_DIRECTORY = -100;
  private static final int RANDOM = 1;
  private static final int DONT_NEED = 4;

  private final Owner owner = new Owner();
  private final IoUringIoHandler handler;
  private final IoRegistration registration;

  private NettyRing(Completions done, int size) throws Exception {
    // A single issuer would delay completions until the requesting thread runs.
    IoUringIoHandlerConfig config =
        new IoUringIoHandlerConfig().setRingSize(size).setSingleIssuer(false);
    handler = (IoUringIoHandler) IoUringIoHandler.newFactory(config).newHandler(owner);
    handler.initialize();
    registration = handler.register(new Handle(done));
  }

  /** Factory of rings, found by name. Safe to share between threads. */
  public static final class Opener implements Factory {

    /** Creates the factory, or fails if rings are unavailable for any reason. */
    public Opener() {
      IoUring.ensureAvailability();
    }

    /**
     * Opens rings in a separate thread. Netty enters a ring by an index that the kernel assigns to
     * the opening thread and that no other thread can use. If that thread has used up its indexes,
     * Netty enters by the descriptor instead. This method therefore uses up all indexes first.
     */
    @Override
    public List<Ring> open(List<? extends Completions> each) {
      FutureTask<List<Ring>> opening = new FutureTask<>(() -> openHere(each));
      Thread opener = new Thread(opening, "coppice-ring-opener");
      opener.setDaemon(true);
      opener.start();
      return Futures.getUnchecked(opening);
    }

    private static List<Ring> openHere(List<? extends Completions> each) throws Exception {
      List<Ring> bound = new ArrayList<>();
      List<Ring> opened = new ArrayList<>();
      try {
        while (bound.size() < INDEXES) {
          bound.add(new NettyRing(each.get(0), BOUND_SIZE));
        }
        for (Completions done : each) {
          opened.add(new NettyRing(done, RING_SIZE));
        }
        return opened;
      } finally {
        if (opened.size() < each.size()) {
          bound.addAll(opened);
        }
        for (Ring ring : bound) {
          ring.close();
        }
      }
    }
  }

  @Override
  public void adopt() {
    owner.thread = Thread.currentThread();
  }

  @Override
  public void open(int operation, long pathAddress, int flags) {
    submit(OPEN_AT, operation, NO_DIRECTORY, 0, pathAddress, 0, flags);
  }

  @Override
  public void read(int operation, int descriptor, long offset, long address, int length) {
    submit(READ, operation, descriptor, offset, address, length, 0);
  }

  @Override
  public void adviseRandom(int operation, long address, long length) {
    int bytes = (int) Math.min(length, Integer.MAX_VALUE);
    submit(ADVISE_MEMORY, operation, -1, 0, address, bytes, RANDOM);
  }

  @Override
  public void adviseRandomReads(int operation, int descriptor) {
    submit(ADVISE_FILE, operation, descriptor, 0, 0, 0, RANDOM);
  }

  @Override
  public void dropPages(int operation, int descriptor) {
    submit(ADVISE_FILE, operation, descriptor, 0, 0, 0, DONT_NEED);
  }

  private void submit(
      byte code, int operation, int descriptor, long offset, long address, int length, int flags) {
    long accepted =
        registration.submit(
            new IoUringIoOps(
                code,
                (byte) 0,
                (short) 0,
                descriptor,
                offset,
                address,
                length,
                flags,
                (long) operation,
                (short) 0,
                (short) 0,
                0,
                0));
    if (accepted == 0) {
      throw new IllegalStateException(
          "the kernel accepts no operation; the ring is full or closed");
    }
  }

  @Override
  public void run(boolean waitsForOne) {
    owner.waits = waitsForOne;
    handler.run(owner);
    Runnable task;
    while ((task = owner.tasks.poll()) != null) {
      task.run();
    }
  }

  @Override
  public void wakeUp() {
    handler.wakeup();
  }

  @Override
  public long address(ByteBuffer direct) {
    return Buffer.memoryAddress(direct);
  }

  @Override
  public void closeDescriptor(int descriptor) throws IOException {
    new FileDescriptor(descriptor).close();
  }

  @Override
  public void close() {
    adopt();
    handler.prepareToDestroy();
    handler.destroy();
  }

  /** Executor that runs the ring in its owning thread and tells whether a run may block. */
  private static final class Owner implements ThreadAwareExecutor, IoHandlerContext {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private volatile Thread thread = Thread.currentThread();
    private boolean waits;

    @Override
    public boolean isExecutorThread(Thread asked) {
      return asked == thread;
    }

    /** Queues a task for the end of the next {@link #run}. */
    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public boolean canBlock() {
      return waits;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return -1;
    }

    @Override
    public long deadlineNanos() {
      return -1;
    }
  }

  private static final class Handle implements IoUringIoHandle {
    private final Completions done;

    Handle(Completions done) {
      this.done = done;
    }

    @Override
    public void handle(IoRegistration from, IoEvent event) {
      IoUringIoEvent completion = (IoUringIoEvent) event;
      done.done((int) completion.userData(), completion.res());
    }

    @Override
    public void close() {}
  }
}
