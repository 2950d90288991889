// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.policy.observe.TableMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A watched process with a thread that samples it. The thread takes one sample a second, or fewer
 * if sampling is slow, and connects again after a lost connection. Calls to its beans run one at a
 * time. Thread-safe.
 */
public final class WatchedProcess implements AutoCloseable {

  /** State of the connection. */
  public enum State {
    /** No connection has succeeded yet. */
    CONNECTING,
    /** The process answers calls. */
    UP,
    /** The process answered once, but does not now. */
    LOST
  }

  private static final long SECOND_MILLIS = 1000;

  /**
   * Least pause after a sample, in durations of that sample, so that sampling takes at most about a
   * tenth of the time.
   */
  private static final long MIN_REST = 10;

  private static final long LONGEST_REST_MILLIS = 10_000;

  /**
   * The pause in milliseconds between two maps of an idle table that no page shows; a running merge
   * makes every sample take one. A page counts as showing a table for this long after it asked for
   * the map.
   */
  private static final long UNWATCHED_MILLIS = 10_000;

  /**
   * Time constant of the exponential mean of rates, in seconds. The first ten seconds yield no
   * rate.
   */
  private static final double PACE_SECONDS = 30;

  private static final double FIRST_SECONDS = 10;

  /** The longest wait of a caller for a running sample, which a suspended process can block. */
  private static final long PATIENCE_SECONDS = 30;

  /** A call to the beans of a process, by one thread at a time. */
  public interface Call<T> {
    T on(ProcessReader reader) throws IOException, Beans.RefusedException;
  }

  private final Endpoint endpoint;
  private final long patienceNanos;
  private final History history = new History();
  private final Thread thread;
  private final Map<String, Long> watched = new ConcurrentHashMap<>();
  private final Map<String, TableMap> maps = new ConcurrentHashMap<>();

  /** Semaphore with a permit while the pause between two samples should end. */
  private final Semaphore hurry = new Semaphore(0);

  private volatile boolean closed;

  /** Lock of the calls to beans. It is fair, so that consecutive samples do not starve callers. */
  private final ReentrantLock lock = new ReentrantLock(true);

  @GuardedBy("lock")
  private ProcessReader reader;

  @GuardedBy("lock")
  private Map<String, Pace> paces = new HashMap<>();

  /** Times of the last maps. Guarded by the lock, which the checker does not see in a lambda. */
  private final Map<String, Long> mapTaken = new HashMap<>();

  private volatile State state = State.CONNECTING;
  private volatile String message = "";
  private volatile ProcessStatus view = ProcessStatus.NOTHING;
  private volatile long sampleMillis;

  /**
   * Measured rate of a compaction.
   *
   * @param done bytes processed at the last sample
   */
  private record Pace(long firstMillis, long lastMillis, long done, double bytesPerSecond) {}

  public WatchedProcess(Endpoint endpoint) {
    this(endpoint, TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
  }

  WatchedProcess(Endpoint endpoint, long patienceNanos) {
    this.endpoint = endpoint;
    this.patienceNanos = patienceNanos;
    this.thread = new Thread(this::watch, "coppice-console-" + endpoint.name());
    thread.setDaemon(true);
  }

  /** Starts the thread that samples. Called once. */
  public void start() {
    thread.start();
  }

  public String name() {
    return endpoint.name();
  }

  public State state() {
    return state;
  }

  /**
   * Returns the last error as a text for users; empty while the process answers and before the
   * first sample.
   */
  public String message() {
    return message;
  }

  /** Returns the state at the last successful sample, {@link ProcessStatus#NOTHING} before it. */
  public ProcessStatus view() {
    return view;
  }

  public History history() {
    return history;
  }

  /** Returns the duration of the last sample in milliseconds. */
  public long sampleMillis() {
    return sampleMillis;
  }

  /** Returns the last sampled map of a table, or null if it has none. */
  public TableMap map(String id) {
    return maps.get(id);
  }

  /**
   * Records that a page shows the map of a table now, so that each sample includes it. Does not
   * wait for a running sample.
   */
  public void watching(String id) {
    if (watched.put(id, System.currentTimeMillis()) == null) {
      hurry.release();
    }
  }

  /**
   * Makes a call, waiting for a running sample and for the answer, and triggers the next sample.
   *
   * @throws IOException if the process does not answer, or a running sample blocks for too long;
   *     the message says whether the call may have taken effect
   * @throws Beans.RefusedException if the bean is gone or refuses
   */
  public <T> T call(Call<T> call) throws IOException, Beans.RefusedException {
    acquire();
    try {
      if (reader == null) {
        throw new IOException(name() + " does not answer");
      }
      try {
        return call.on(reader);
      } catch (IOException e) {
        String fault = name() + ": " + e.getMessage();
        throw new IOException(
            fault
                + "; the call may have taken effect; check the present state before you repeat it",
            e);
      }
    } finally {
      hurry.release();
      lock.unlock();
    }
  }

  /**
   * Takes the lock, waiting for at most 30 s by default.
   *
   * @throws IOException if the wait is too long or interrupted
   */
  private void acquire() throws IOException {
    try {
      if (lock.tryLock(patienceNanos, TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IOException(name() + " is busy with a sample; the call was not made, try again");
  }

  private void watch() {
    try {
      while (!closed) {
        hurry.tryAcquire(sampleAndReturnPause(), TimeUnit.MILLISECONDS);
        // Drained before {@code closed} and {@code watched} are read: a later request ends the next
        // pause.
        hurry.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.lock();
      try {
        endpoint.close();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Takes a sample and returns how long to pause after it, in milliseconds. */
  private long sampleAndReturnPause() {
    lock.lock();
    try {
      long start = System.nanoTime();
      sample();
      final long before = sampleMillis;
      sampleMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      // A single slow sample, like the first one, does not make a process slow.
      long slow = MIN_REST * Math.min(before, sampleMillis);
      return Math.max(SECOND_MILLIS, Math.min(LONGEST_REST_MILLIS, slow));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void sample() {
    long now = System.currentTimeMillis();
    try {
      if (reader == null) {
        reader = new ProcessReader(new Beans(endpoint.connect()));
      }
      ProcessStatus seen = paced(reader.sample(id -> mapIsDue(id, now), now));
      for (LiveTable table : seen.tables()) {
        table
            .map()
            .ifPresent(
                map -> {
                  mapTaken.put(table.id(), now);
                  maps.put(table.id(), map);
                });
      }
      // Removes tables that are gone or have changed to a strategy without maps.
      maps.keySet().removeIf(id -> seen.table(id).filter(LiveTable::ours).isEmpty());
      mapTaken.keySet().retainAll(maps.keySet());
      history.note(seen);
      view = seen;
      message = "";
      state = State.UP;
    } catch (IOException | RuntimeException | Error e) {
      // The watching thread continues after any error and reports it.
      reader = null;
      endpoint.close();
      message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      state = state == State.CONNECTING ? State.CONNECTING : State.LOST;
    }
  }

  private boolean mapIsDue(String id, long now) {
    return now - watched.getOrDefault(id, 0L) < UNWATCHED_MILLIS
        || now - mapTaken.getOrDefault(id, 0L) >= UNWATCHED_MILLIS
        || maps.containsKey(id) && !maps.get(id).merges().isEmpty();
  }

  @GuardedBy("lock")
  private ProcessStatus paced(ProcessStatus seen) {
    Map<String, Pace> next = new HashMap<>();
    List<RunningCompaction> compactions = new ArrayList<>();
    for (RunningCompaction one : seen.compactions()) {
      Pace before = paces.get(one.id());
      Pace pace = pace(before, one.doneBytes(), seen.atMillis());
      next.put(one.id(), pace);
      boolean known = seen.atMillis() - pace.firstMillis >= FIRST_SECONDS * SECOND_MILLIS;
      compactions.add(known ? one.at(pace.bytesPerSecond) : one);
    }
    paces = next;
    return new ProcessStatus(
        seen.atMillis(),
        seen.version(),
        seen.limits(),
        seen.plugin(),
        seen.tables(),
        List.copyOf(compactions));
  }

  private static Pace pace(Pace before, long done, long now) {
    if (before == null || done < before.done) {
      return new Pace(now, now, done, 0);
    }
    double seconds = Math.max(1, now - before.lastMillis) / (double) SECOND_MILLIS;
    double weight = 1 - Math.exp(-seconds / PACE_SECONDS);
    // The first seconds are averaged evenly, so that the initial 0 does not count.
    double all = (now - before.firstMillis) / (double) SECOND_MILLIS;
    double share = Math.max(weight, Math.min(1, seconds / Math.max(seconds, all)));
    double latest = (done - before.done) / seconds;
    double mean = before.bytesPerSecond + share * (latest - before.bytesPerSecond);
    return new Pace(before.firstMillis, now, done, mean);
  }

  @Override
  public void close() {
    closed = true;
    hurry.release();
  }
}
