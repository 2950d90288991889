// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import io.coppice.base.thread.Interleavings;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** Under the lock of their owner, plans that share a table are never claimed together. */
@Param(name = "plan", gen = IntGen.class, conf = "0:2")
public class ClaimsLincheckTest {

  /** Each shares a table with the next. */
  private static final List<Claims.Claim> PLANS = List.of(plan(1, 2), plan(2, 3), plan(3, 4));

  private final ReentrantLock lock = new ReentrantLock();
  private final Claims claims = new Claims();

  private static Claims.Claim plan(long first, long second) {
    return new Claims.Claim(1, 7, new byte[] {1}, new byte[] {9}, Set.of(first, second));
  }

  /** Claims a plan's tables if all are free, as a planner does. */
  @Operation
  public String begin(@Param(name = "plan") int plan) {
    lock.lock();
    try {
      claims.take(PLANS.get(plan));
      return "begun " + claims.jobs().size();
    } catch (IllegalStateException e) {
      return e.getMessage();
    } finally {
      lock.unlock();
    }
  }

  /** Gives a plan's tables back, if it has them. */
  @Operation
  public boolean end(@Param(name = "plan") int plan) {
    lock.lock();
    try {
      claims.release(PLANS.get(plan));
      return true;
    } catch (IllegalStateException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** The tables that are claimed. */
  @Operation
  public String held() {
    lock.lock();
    try {
      StringBuilder held = new StringBuilder();
      for (long table = 1; table <= 4; table++) {
        held.append(claims.holds(table) ? 'x' : '.');
      }
      return held.toString();
    } finally {
      lock.unlock();
    }
  }

  @Test
  void everyInterleavingIsAsOneAfterTheOther() {
    Interleavings.check(getClass());
  }
}
