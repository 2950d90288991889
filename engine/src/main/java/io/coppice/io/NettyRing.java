// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Linux's io_uring through the public classes of Netty's transport, which is an optional
 * dependency: found by name, and the only class that knows it.
 *
 * <p>Nothing may leave the callback: Netty logs it, sleeps and forgets the operation.
 */
final class NettyRing implements Ring {

  /** Completions of twice as many operations find room, which is more than are ever under way. */
  private static final int RING_SIZE = 512;

  // Numbers of the kernel's interface.
  private static final byte OPEN_AT = 18;
  private static final byte READ = 22;
  private static final byte ADVISE_FILE = 24;
  private static final byte ADVISE_MEMORY = 25;
  private static final int NO_DIRECTORY = -100;
  private static final int RANDOM = 1;
  private static final int DONT_NEED = 4;

  private static final IoHandlerContext WAIT = new Context(true);
  private static final IoHandlerContext LOOK = new Context(false);

  private final Thread owner = Thread.currentThread();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final IoUringIoHandler handler;
  private final IoRegistration registration;

  private NettyRing(Completions done) throws Exception {
    IoUringIoHandlerConfig config =
        new IoUringIoHandlerConfig().setRingSize(RING_SIZE).setSingleIssuer(true);
    handler = (IoUringIoHandler) IoUringIoHandler.newFactory(config).newHandler(new Owner());
    handler.initialize();
    registration = handler.register(new Handle(done));
  }

  /** Opens rings; found by name. */
  static final class Opener implements Factory {

    /** Fails where there can be no ring, for whatever reason. */
    Opener() {
      IoUring.ensureAvailability();
    }

    @Override
    public Ring open(Completions done) {
      try {
        return new NettyRing(done);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
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
      throw new IllegalStateException("the ring takes nothing any more");
    }
  }

  @Override
  public void run(boolean waitsForOne) {
    handler.run(waitsForOne ? WAIT : LOOK);
    Runnable task;
    while ((task = tasks.poll()) != null) {
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
    handler.prepareToDestroy();
    handler.destroy();
  }

  private final class Owner implements ThreadAwareExecutor {
    @Override
    public boolean isExecutorThread(Thread thread) {
      return thread == owner;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
      handler.wakeup();
    }
  }

  private record Handle(Completions done) implements IoUringIoHandle {
    @Override
    public void handle(IoRegistration from, IoEvent event) {
      IoUringIoEvent completion = (IoUringIoEvent) event;
      done.done((int) completion.userData(), completion.res());
    }

    @Override
    public void close() {}
  }

  private record Context(boolean canBlock) implements IoHandlerContext {
    @Override
    public long delayNanos(long currentTimeNanos) {
      return -1;
    }

    @Override
    public long deadlineNanos() {
      return -1;
    }
  }
}
