// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs all tasks on the thread of the test, in an order that a seed picks, on a clock of its own.
 * Equal seeds and equal calls have equal outcomes.
 *
 * <ol>
 *   <li>The test asks for steps by {@link #step}; each picks one of the tasks that are awake.
 *   <li>Who waits on a condition runs steps of others instead, one at a time; so does, now and
 *       then, a task in the middle of a step where it gives way.
 *   <li>Steps take random time. If all tasks rest, the clock goes on to the first that wakes by
 *       itself; if none does, whoever waits would wait for ever, and gets an {@link
 *       IllegalStateException} that lists the tasks.
 * </ol>
 *
 * <p>A step inside a step is one of another task. Not safe to share between threads.
 */
public final class SeededWorkers implements Workers {

  private static final int MAX_STEP_NANOS = 1_000_000;

  /** One in so many times a task that gives way really does. */
  private static final int GIVES_WAY = 3;

  /** Pause of a task whose step threw, as {@link WorkerThreads} makes. */
  private static final long PAUSE_NANOS = 10_000_000;

  private final Random random;
  private final List<Actor> actors = new ArrayList<>();
  private long nowNanos;
  private long steps;
  private String last = "nothing";

  /** Whether tasks outlive what they throw. */
  private boolean outlasting;

  /** Why a wait could not end, or null. */
  private IllegalStateException hang;

  private long maxSteps = Long.MAX_VALUE;

  // The steps that fail: so many from the n-th on.
  private int countdown;
  private int failures;
  private boolean fails;
  private boolean afterwards;
  private Runnable thrower;
  private String hit = "";

  /** Lets this seed pick. */
  public SeededWorkers(long seed) {
    random = new Random(seed);
  }

  private final class Actor implements Worker {
    final String name;
    final Task task;
    long dueNanos = nowNanos;
    boolean woken;
    boolean inStep;

    Actor(String name, Task task) {
      this.name = name;
      this.task = task;
    }

    boolean awake() {
      return !inStep && dueNanos <= nowNanos;
    }

    void step() {
      last = name;
      steps++;
      nowNanos += random.nextInt(MAX_STEP_NANOS);
      woken = false;
      inStep = true;
      long rest;
      boolean failing = isFailing(name);
      try {
        if (failing && !afterwards) {
          thrower.run();
        }
        rest = task.step();
        if (failing && afterwards) {
          thrower.run();
        }
      } catch (RuntimeException | Error e) {
        if (!outlasting) {
          throw e;
        }
        woken = false;
        rest = PAUSE_NANOS;
      } finally {
        inStep = false;
      }
      boolean never = rest > Long.MAX_VALUE - nowNanos;
      dueNanos = woken ? nowNanos : never ? Long.MAX_VALUE : nowNanos + rest;
    }

    @Override
    public void wake() {
      woken = true;
      dueNanos = nowNanos;
    }

    @Override
    public void close() {
      if (inStep) {
        throw new IllegalStateException(name + " cannot be closed from inside its own step");
      }
      actors.remove(this);
    }

    @Override
    public String toString() {
      String state = inStep ? "in a step" : dueNanos == Long.MAX_VALUE ? "rests" : "wakes";
      return name + " " + state;
    }
  }

  @Override
  public Worker start(String name, Task task) {
    Actor actor = new Actor(name, task);
    actors.add(actor);
    return actor;
  }

  /**
   * Lets tasks outlive what they throw, and pause then, as threads do. A wait that cannot end is
   * noted, as is one that lasts longer than so many steps of all tasks together.
   */
  public SeededWorkers outlasting(long steps) {
    outlasting = true;
    maxSteps = steps;
    return this;
  }

  /**
   * Fails steps from the n-th from now on.
   *
   * @param n from 1
   * @param count how many steps fail
   * @param after whether a step fails after its effect
   * @param throwing throws what such a step throws
   */
  public void fail(int n, int count, boolean after, Runnable throwing) {
    countdown = n;
    failures = count;
    fails = true;
    afterwards = after;
    thrower = throwing;
    hit = "";
  }

  /** Fails no step from now on. */
  public void heal() {
    fails = false;
  }

  private boolean isFailing(String name) {
    if (!fails) {
      return false;
    }
    countdown--;
    if (countdown > 0 || countdown <= -failures) {
      return false;
    }
    hit = hit.isEmpty() ? "STEP of " + name : hit;
    return true;
  }

  /** The first step that failed since the last call of {@code fail}, or an empty string. */
  public String hit() {
    return hit;
  }

  /** The steps since the last call of {@code fail} subtracted from its first argument. */
  public int countdown() {
    return countdown;
  }

  /** The first wait that could not end, or null. */
  public IllegalStateException hang() {
    return hang;
  }

  /** Returns whether no task is left. */
  public boolean isIdle() {
    return actors.isEmpty();
  }

  /** Runs a step of one of the tasks that are awake; false if there is none. */
  public boolean step() {
    return step("");
  }

  /** As {@link #step()}, of the tasks with this in their name only. */
  public boolean step(String part) {
    List<Actor> awake = new ArrayList<>();
    for (Actor actor : actors) {
      if (actor.awake() && actor.name.contains(part)) {
        awake.add(actor);
      }
    }
    if (awake.isEmpty()) {
      return false;
    }
    awake.get(random.nextInt(awake.size())).step();
    return true;
  }

  /** Lets time pass, in which nobody does anything. */
  public void pass(long nanos) {
    nowNanos += nanos;
  }

  /** Steps taken so far. */
  public long steps() {
    return steps;
  }

  /** The task that took the last step. */
  public String last() {
    return last;
  }

  @Override
  public void giveWay() {
    if (random.nextInt(GIVES_WAY) == 0) {
      for (int i = random.nextInt(3); i >= 0; i--) {
        step();
      }
    }
  }

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public Condition condition(ReentrantLock lock) {
    return new SteppingCondition(lock);
  }

  /** Lets one other go first, or time pass up to then; who waits looks again after each. */
  private void waitUntil(long thenNanos) {
    if (steps > maxSteps) {
      throw hangs("no end after " + steps + " steps: " + actors);
    }
    if (step()) {
      return;
    }
    long next = thenNanos;
    for (Actor actor : actors) {
      if (!actor.inStep) {
        next = Math.min(next, actor.dueNanos);
      }
    }
    if (next == Long.MAX_VALUE) {
      throw hangs("nobody can go on: " + actors);
    }
    nowNanos = Math.max(nowNanos, next);
  }

  private IllegalStateException hangs(String why) {
    IllegalStateException problem = new IllegalStateException(why);
    hang = hang == null ? problem : hang;
    return problem;
  }

  /** Wakes after a step of another, as a condition may without a signal. */
  private final class SteppingCondition implements Condition {
    private final ReentrantLock lock;

    SteppingCondition(ReentrantLock lock) {
      this.lock = lock;
    }

    private void unlocked(long thenNanos) {
      int holds = lock.getHoldCount();
      if (holds == 0) {
        throw new IllegalMonitorStateException();
      }
      for (int i = 0; i < holds; i++) {
        lock.unlock();
      }
      try {
        waitUntil(thenNanos);
      } finally {
        for (int i = 0; i < holds; i++) {
          lock.lock();
        }
      }
    }

    @Override
    public void await() throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      unlocked(Long.MAX_VALUE);
    }

    @Override
    public void awaitUninterruptibly() {
      unlocked(Long.MAX_VALUE);
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long then = nowNanos + Math.min(nanos, Long.MAX_VALUE / 2);
      if (nanos > 0) {
        unlocked(then);
      }
      return then - nowNanos;
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
      return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
      throw new UnsupportedOperationException("the clock has no date");
    }

    @Override
    public void signal() {}

    @Override
    public void signalAll() {}
  }
}
