// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.uring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A ring without a kernel: operations are carried out when they are to complete, in a random order,
 * and a fault may change what becomes of them. Memory is reached through the buffers whose address
 * was asked for.
 */
public final class FakeRing implements Ring {

  static final int NO_SUCH_FILE = -2;
  public static final int IO_ERROR = -5;
  public static final int INVALID = -22;

  private static final int FIRST_DESCRIPTOR = 1_000;

  /** Changes what an operation does. */
  public interface Fault {
    /** What all operations do that nothing happens to. */
    Fault NONE = what -> what;

    /** What becomes of it; null if it is never heard of again. */
    Operation on(Operation what);
  }

  /** An operation and its result. */
  public record Operation(
      String kind, int number, int flags, long offset, int length, Integer result) {
    /** With this result, without being carried out if it is an error. */
    public Operation gives(int other) {
      return new Operation(kind, number, flags, offset, length, other);
    }

    /** A read that stops short. */
    public Operation shortBy(int bytes) {
      return new Operation(kind, number, flags, offset, length - bytes, null);
    }
  }

  private record Pending(Operation what, int descriptor, long address) {}

  private final Completions done;
  private final Fault fault;
  private final Random random;
  private final TreeMap<Long, ByteBuffer> memory = new TreeMap<>();
  private final List<Pending> pending = new ArrayList<>();

  /** Of all rings of an opener, as a process has them; guarded by itself. */
  private final Map<Integer, FileChannel> open;

  /** Called in the thread of the ring when it has memory made for reads. */
  private final Runnable onMemory;

  /** Called in the thread that runs the ring, after each run. */
  private volatile Runnable onRun = () -> {};

  private long nextAddress = 1L << 32;
  private boolean woken;

  /** Completions are held back while it is set. */
  private boolean held;

  private volatile boolean strays;
  private Thread owner = Thread.currentThread();

  /** How often it was run to wait. */
  private volatile int waits;

  /** Operations that came since it was run last, and how many came each time. */
  private int added;

  private final List<Integer> submissions = new ArrayList<>();

  private FakeRing(
      Completions done,
      Fault fault,
      Random random,
      Map<Integer, FileChannel> open,
      Runnable onMemory) {
    this.open = open;
    this.onMemory = onMemory;
    this.done = done;
    this.fault = fault;
    this.random = random;
  }

  /** Opens such rings and keeps them. */
  public static final class Opener implements Factory {
    private final Fault fault;
    private final Random random;

    /** Guarded by this. */
    private final List<FakeRing> all = new ArrayList<>();

    private final Map<Integer, FileChannel> files = new HashMap<>();

    /** Completions of all rings are held back. */
    private boolean held;

    /** Called in the thread of a ring when it has memory made for reads. */
    public volatile Runnable onMemory = () -> {};

    public Opener(Fault fault, Random random) {
      this.fault = fault;
      this.random = random;
    }

    private synchronized Ring open(Completions done) {
      FakeRing opened = new FakeRing(done, fault, new Random(random.nextLong()), files, onMemory);
      opened.held = held;
      all.add(opened);
      return opened;
    }

    @Override
    public List<Ring> open(List<? extends Completions> each) {
      return each.stream().map(this::open).toList();
    }

    /** Holds completions of all rings back, those that are opened later too, or lets them come. */
    public synchronized void hold(boolean on) {
      held = on;
      all.forEach(ring -> ring.hold(on));
    }

    /** The ring that a lone thread reads by. */
    public synchronized FakeRing first() {
      return all.get(0);
    }

    /** Rings that were opened. */
    public synchronized int opened() {
      return all.size();
    }

    /** Files that the rings have open. */
    public int openFiles() {
      synchronized (files) {
        return files.size();
      }
    }
  }

  /** Lets completions come that belong to nothing. */
  public void strays() {
    strays = true;
  }

  /** How many operations were handed over at a time. */
  public synchronized List<Integer> submissions() {
    return List.copyOf(submissions);
  }

  public synchronized void forgetSubmissions() {
    submissions.clear();
  }

  /** Sets what is called in the thread that runs the ring, after each run. */
  public void onRun(Runnable call) {
    onRun = call;
  }

  /** How often it was run to wait. */
  public int waits() {
    return waits;
  }

  /** Holds completions back, or lets them come. */
  synchronized void hold(boolean on) {
    held = on;
    notifyAll();
  }

  @Override
  public synchronized void adopt() {
    owner = Thread.currentThread();
  }

  @Override
  public void open(int operation, long pathAddress, int flags) {
    add(new Operation("open", operation, flags, 0, 0, null), -1, pathAddress);
  }

  @Override
  public void read(int operation, int descriptor, long offset, long address, int length) {
    add(new Operation("read", operation, 0, offset, length, null), descriptor, address);
  }

  @Override
  public void adviseRandom(int operation, long address, long length) {
    add(new Operation("advise", operation, 0, 0, 0, 0), -1, address);
  }

  @Override
  public void adviseRandomReads(int operation, int descriptor) {
    add(new Operation("advise reads", operation, 0, 0, 0, 0), descriptor, 0);
  }

  @Override
  public void dropPages(int operation, int descriptor) {
    add(new Operation("drop", operation, 0, 0, 0, 0), descriptor, 0);
  }

  private synchronized void add(Operation what, int descriptor, long address) {
    added++;
    Operation becomes = fault.on(what);
    if (becomes != null) {
      pending.add(new Pending(becomes, descriptor, address));
    }
  }

  @Override
  public void run(boolean waitsForOne) {
    List<Pending> ready = new ArrayList<>();
    boolean interrupted = false;
    synchronized (this) {
      assert owner == Thread.currentThread() : "not adopted";
      waits += waitsForOne ? 1 : 0;
      if (added > 0) {
        submissions.add(added);
        added = 0;
      }
      while (waitsForOne && !woken && (held || pending.isEmpty())) {
        try {
          wait();
        } catch (InterruptedException e) {
          // The kernel's does not return by that either.
          interrupted = true;
        }
      }
      woken = false;
      int count = held || pending.isEmpty() ? 0 : 1 + random.nextInt(pending.size());
      for (int i = 0; i < count; i++) {
        ready.add(pending.remove(random.nextInt(pending.size())));
      }
    }
    // A channel would close by it, which the kernel's files do not.
    interrupted |= Thread.interrupted();
    for (Pending each : ready) {
      done.done(each.what.number, carryOut(each));
      if (strays) {
        // Of the same operation once more, or of none there is.
        done.done(random.nextBoolean() ? each.what.number : MAX_OPERATIONS / 4, 7);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    onRun.run();
  }

  private int carryOut(Pending operation) {
    if (operation.what.result != null) {
      return operation.what.result;
    }
    try {
      return operation.what.kind.equals("open") ? openFile(operation) : readFile(operation);
    } catch (NoSuchFileException e) {
      return NO_SUCH_FILE;
    } catch (IOException e) {
      return IO_ERROR;
    }
  }

  private int openFile(Pending operation) throws IOException {
    ByteBuffer bytes = at(operation.address);
    StringBuilder path = new StringBuilder();
    for (byte b = bytes.get(); b != 0; b = bytes.get()) {
      path.append((char) b);
    }
    FileChannel channel = FileChannel.open(Path.of(path.toString()), StandardOpenOption.READ);
    synchronized (open) {
      int descriptor = FIRST_DESCRIPTOR;
      while (open.putIfAbsent(descriptor, channel) != null) {
        descriptor++;
      }
      return descriptor;
    }
  }

  private int readFile(Pending operation) throws IOException {
    FileChannel channel;
    synchronized (open) {
      channel = open.get(operation.descriptor);
    }
    if (channel == null) {
      throw new AssertionError("descriptor " + operation.descriptor + " is closed");
    }
    ByteBuffer target = at(operation.address).limit(operation.what.length);
    int count = channel.read(target, operation.what.offset);
    return Math.max(0, count);
  }

  private ByteBuffer at(long address) {
    Map.Entry<Long, ByteBuffer> slab = memory.floorEntry(address);
    int offset = (int) (address - slab.getKey());
    return slab.getValue().slice(offset, slab.getValue().capacity() - offset);
  }

  @Override
  public synchronized void wakeUp() {
    // The kernel's ring does not wake the thread that is inside.
    woken |= Thread.currentThread() != owner;
    notifyAll();
  }

  @Override
  public long address(ByteBuffer direct) {
    assert direct.isDirect();
    long address = nextAddress;
    memory.put(address, direct);
    nextAddress += 2L * direct.capacity();
    onMemory.run();
    return address;
  }

  @Override
  public void closeDescriptor(int descriptor) throws IOException {
    synchronized (open) {
      open.remove(descriptor).close();
    }
  }

  @Override
  public void close() {
    assert pending.isEmpty() : "operations are under way";
  }
}
