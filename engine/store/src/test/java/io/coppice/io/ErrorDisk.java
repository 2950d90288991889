// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.FailingBudget;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A disk whose n-th operation of a kind fails, once or for ever. It counts all operations, so that
 * a loop can fail each of them in turn: run the scenario with n = 1, 2, 3, … until {@link #fired}
 * says no. Safe to share between threads.
 */
public final class ErrorDisk extends PassingDisk {

  /** The operations that can fail. Operations of files count too. */
  public enum Operation {
    /** {@link Disk#create}. */
    CREATE,
    /** {@link Disk#open} and {@link Disk#openSlots}. */
    OPEN,
    /** {@link Disk#map}. */
    MAP,
    /** Reads of any file; a failing one may leave anything in its target. */
    READ,
    /** Writes of any file; a failing one may have written some of its bytes. */
    WRITE,
    /** Syncs of any file; what a failing one had to write is lost for later ones too. */
    SYNC,
    /** {@link Disk.OutputFile#truncate}. */
    TRUNCATE,
    /** {@link Disk#rename}. */
    RENAME,
    /** {@link Disk#delete}. */
    DELETE,
    /** {@link Disk#link}. */
    LINK,
    /** {@link Disk#keepAside}. */
    KEEP_ASIDE,
    /** {@link Disk#list}. */
    LIST,
    /** {@link Disk#syncDirectory}. */
    SYNC_DIRECTORY
  }

  /** What the system says when an operation fails, and which operations can fail so. */
  public enum Fault {
    /** The device does not answer. */
    EIO("Input/output error", EnumSet.allOf(Operation.class)),
    /** The disk is full. */
    ENOSPC(
        "No space left on device",
        EnumSet.of(
            Operation.CREATE,
            Operation.WRITE,
            Operation.RENAME,
            Operation.LINK,
            Operation.KEEP_ASIDE)),
    /** The disk is full and says so only when it must find the room, as some file systems do. */
    LATE_ENOSPC("No space left on device", EnumSet.of(Operation.SYNC, Operation.SYNC_DIRECTORY)),
    /** The process has no descriptor left. */
    EMFILE(
        "Too many open files",
        EnumSet.of(Operation.CREATE, Operation.OPEN, Operation.MAP, Operation.LIST)),
    /**
     * Fewer bytes are transferred than asked for, at least one where that can be, and none of the
     * rest at the next attempt. That the rest follows is the business of the disk below, as this
     * port transfers all or throws.
     */
    SHORT("only a part was transferred", EnumSet.of(Operation.READ, Operation.WRITE)),
    /** The heap is full. Half of such operations have their effect before. */
    HEAP("Java heap space", EnumSet.allOf(Operation.class)),
    /** The stack of the thread is full. Likewise. */
    STACK("the stack is full", EnumSet.allOf(Operation.class)),
    /** A call throws what no contract names. Likewise. */
    BUG("a bug", EnumSet.allOf(Operation.class)),
    /** The ledger refuses memory. No operation of a disk fails so. */
    MEMORY("memory budget", EnumSet.noneOf(Operation.class)),
    /** The JVM has no memory. No operation of a disk fails so. */
    OUT_OF_MEMORY(FailingBudget.MESSAGE, EnumSet.noneOf(Operation.class));

    private final String message;
    private final Set<Operation> operations;

    Fault(String message, Set<Operation> operations) {
      this.message = message;
      this.operations = operations;
    }

    /** What the system says. */
    public String message() {
      return message;
    }

    /** True if no exception of the system comes of it. */
    public boolean isThrown() {
      return this == HEAP || this == STACK || this == BUG;
    }

    /** True if it is memory that fails, not the disk. */
    public boolean ofMemory() {
      return operations.isEmpty();
    }
  }

  /** The message of every failure made here without a {@link Fault}. */
  public static final String MESSAGE = "injected failure";

  private static final byte GARBAGE = 0x5A;

  private final Map<Operation, Integer> counts = new EnumMap<>(Operation.class);
  private Set<Operation> failing = Set.of();
  private Predicate<String> failingNames = name -> true;
  private Fault fault;
  private String message = MESSAGE;
  private String hit = "";
  private int countdown;
  private int start;
  private int failures;
  private boolean forEver;
  private boolean fired;

  /** Passes everything on to this disk. */
  public ErrorDisk(Disk disk) {
    super(disk);
  }

  /**
   * Fails the n-th operation of this kind from now on, n from 1; and all later ones if for ever.
   */
  public synchronized ErrorDisk fail(Operation operation, int n, boolean forEver) {
    return fail(operation, name -> true, n, forEver);
  }

  /** As above, of files with such a name only. The directory's operations have the name "". */
  public synchronized ErrorDisk fail(
      Operation operation, Predicate<String> names, int n, boolean forEver) {
    return fail(Set.of(operation), names, MESSAGE, n, forEver);
  }

  /**
   * Fails the n-th operation from now on that this fault can hit, n from 1; and all later ones if
   * for ever.
   */
  public synchronized ErrorDisk fail(Fault fault, int n, boolean forEver) {
    return fail(fault, name -> true, n, forEver);
  }

  /** As above, of files with such a name only. */
  public synchronized ErrorDisk fail(Fault fault, Predicate<String> names, int n, boolean forEver) {
    fail(fault.operations, names, fault.message, n, forEver);
    this.fault = fault;
    return this;
  }

  /** Fails the n-th operation of this kind in the way of a fault, of files with such a name. */
  public synchronized ErrorDisk fail(
      Fault fault, Operation operation, Predicate<String> names, int n) {
    fail(Set.of(operation), names, fault.message, n, false);
    this.fault = fault;
    return this;
  }

  private ErrorDisk fail(
      Set<Operation> operations, Predicate<String> names, String text, int n, boolean always) {
    failing = operations;
    failingNames = names;
    message = text;
    fault = null;
    countdown = n;
    start = n;
    forEver = always;
    fired = false;
    hit = "";
    return this;
  }

  /** Fails nothing from now on. */
  public synchronized void heal() {
    failing = Set.of();
  }

  /** The first operation that failed since the last call of {@code fail}, and on which file. */
  public synchronized String hit() {
    return hit;
  }

  /** True if an operation failed since the last call of {@code fail}. */
  public synchronized boolean fired() {
    return fired;
  }

  /** How many operations have failed so far. */
  public synchronized int failures() {
    return failures;
  }

  /** How many operations the present fault could have hit. */
  public synchronized int passed() {
    return start - countdown;
  }

  /** How many operations of this kind there were. */
  public synchronized int count(Operation operation) {
    return counts.getOrDefault(operation, 0);
  }

  private void pass(Operation operation, String name) throws IOException {
    if (fails(operation, name)) {
      throw failure(operation, name);
    }
  }

  private synchronized IOException failure(Operation operation, String name) {
    String text = operation + " " + name + ": " + message;
    if (fault == Fault.HEAP) {
      throw new OutOfMemoryError(text);
    }
    if (fault == Fault.STACK) {
      throw new StackOverflowError(text);
    }
    if (fault == Fault.BUG) {
      throw new IllegalStateException(text);
    }
    return fault == Fault.SHORT && operation == Operation.READ
        ? new EOFException(text)
        : new IOException(text);
  }

  /**
   * How many of so many bytes the failing transfer moves: half without a {@link Fault}, else any
   * number below all of them, another one each time.
   */
  private synchronized int part(int length) {
    if (fault == null || length < 2) {
      return length / 2;
    }
    int least = fault == Fault.SHORT ? 1 : 0;
    int mixed = (start + 31 * failures) * 0x9E3779B9 >>> 1;
    return least + mixed % (length - least);
  }

  /** An operation that gives back nothing that is to be closed. */
  private interface Effect {
    void happen() throws IOException;
  }

  private void pass(Operation operation, String name, Effect effect) throws IOException {
    boolean fails = fails(operation, name);
    if (!fails || hasEffect()) {
      effect.happen();
    }
    if (fails) {
      throw failure(operation, name);
    }
  }

  /** True if the failing operation has its effect all the same. */
  private synchronized boolean hasEffect() {
    return fault != null && fault.isThrown() && (start + failures) % 2 == 0;
  }

  private synchronized boolean fails(Operation operation, String name) {
    counts.merge(operation, 1, Integer::sum);
    if (!failing.contains(operation) || !failingNames.test(name)) {
      return false;
    }
    countdown--;
    boolean fails = countdown == 0 || (countdown < 0 && forEver);
    failures += fails ? 1 : 0;
    if (fails && !fired) {
      fired = true;
      hit = operation + " " + name;
    }
    return fails;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    pass(Operation.CREATE, name);
    return new Output(name, disk.create(name));
  }

  @Override
  public InputFile open(String name) throws IOException {
    pass(Operation.OPEN, name);
    return new Input(disk.open(name));
  }

  @Override
  public InputFile map(String name) throws IOException {
    pass(Operation.MAP, name);
    return new Input(disk.map(name));
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    pass(Operation.OPEN, name);
    return new Slots(disk.openSlots(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    pass(Operation.RENAME, to, () -> disk.rename(from, to));
  }

  @Override
  public void delete(String name) throws IOException {
    pass(Operation.DELETE, name, () -> disk.delete(name));
  }

  /** Of the two disks either may fail. */
  @Override
  public boolean link(String name, Disk target) throws IOException {
    pass(Operation.LINK, name);
    if (target instanceof ErrorDisk other) {
      other.pass(Operation.LINK, name);
      return disk.link(name, other.disk);
    }
    return disk.link(name, target);
  }

  @Override
  public void keepAside(String name) throws IOException {
    pass(Operation.KEEP_ASIDE, name, () -> disk.keepAside(name));
  }

  @Override
  public List<String> list() throws IOException {
    pass(Operation.LIST, "");
    return disk.list();
  }

  @Override
  public void syncDirectory() throws IOException {
    pass(Operation.SYNC_DIRECTORY, "", disk::syncDirectory);
  }

  private final class Output extends PassingOutput {
    private final String name;

    Output(String name, OutputFile file) {
      super(file);
      this.name = name;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (fails(Operation.WRITE, name)) {
        file.write(bytes, offset, hasEffect() ? length : part(length));
        throw failure(Operation.WRITE, name);
      }
      file.write(bytes, offset, length);
    }

    @Override
    public void truncate(long length) throws IOException {
      pass(Operation.TRUNCATE, name, () -> file.truncate(length));
    }

    @Override
    public void sync() throws IOException {
      if (fails(Operation.SYNC, name)) {
        if (fault != null && fault.isThrown()) {
          if (hasEffect()) {
            file.sync();
          }
        } else if (file instanceof MemDisk.Losing losing) {
          losing.loseUnsynced();
        }
        throw failure(Operation.SYNC, name);
      }
      file.sync();
    }
  }

  private void read(InputFile file, long position, byte[] target, int offset, int length)
      throws IOException {
    if (fails(Operation.READ, file.name())) {
      int read = part(length);
      Arrays.fill(target, offset, offset + length, GARBAGE);
      file.read(position, target, offset, read);
      throw failure(Operation.READ, file.name());
    }
    file.read(position, target, offset, length);
  }

  private final class Input extends PassingInput {
    Input(InputFile file) {
      super(file);
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      ErrorDisk.this.read(file, position, target, offset, length);
    }
  }

  private final class Slots extends PassingSlots {
    Slots(SlotFile file) {
      super(file);
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      ErrorDisk.this.read(file, position, target, offset, length);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      if (fails(Operation.WRITE, name())) {
        slots.write(position, bytes, offset, part(length));
        throw failure(Operation.WRITE, name());
      }
      slots.write(position, bytes, offset, length);
    }

    @Override
    public void truncate(long length) throws IOException {
      pass(Operation.TRUNCATE, name());
      slots.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      if (fails(Operation.SYNC, name())) {
        if (slots instanceof MemDisk.Losing losing) {
          losing.loseUnsynced();
        }
        throw failure(Operation.SYNC, name());
      }
      slots.sync();
    }
  }
}
