// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import io.coppice.base.MemoryBudget.Role;

/**
 * A ledger whose n-th reservation fails, once or for ever: it is refused, or the JVM is out of
 * memory just then. Safe to share between threads.
 */
public final class FailingBudget {

  /** What an {@link OutOfMemoryError} made here says. */
  public static final String MESSAGE = "no memory";

  private final MemoryBudget budget;
  private int start;
  private int countdown;
  private boolean forEver;
  private boolean throwing;
  private boolean failing;
  private boolean fired;
  private String hit = "";

  /** A ledger of this capacity that fails nothing yet. */
  public FailingBudget(long capacityBytes) {
    budget = new MemoryBudget(capacityBytes, (role, bytes) -> !fails(role, bytes));
  }

  /** The ledger. */
  public MemoryBudget budget() {
    return budget;
  }

  /** Fails the n-th reservation from now on, n from 1; and all later ones if for ever. */
  public synchronized void fail(int n, boolean always, boolean byError) {
    start = n;
    countdown = n;
    forEver = always;
    throwing = byError;
    failing = true;
    fired = false;
    hit = "";
  }

  /** Fails nothing from now on. */
  public synchronized void heal() {
    failing = false;
  }

  /** True if a reservation failed since the last call of {@code fail}. */
  public synchronized boolean fired() {
    return fired;
  }

  /** The first reservation that failed since then. */
  public synchronized String hit() {
    return hit;
  }

  /** How many reservations there were since then. */
  public synchronized int passed() {
    return start - countdown;
  }

  private synchronized boolean fails(Role role, long bytes) {
    if (!failing) {
      return false;
    }
    countdown--;
    if (countdown > 0 || (countdown < 0 && !forEver)) {
      return false;
    }
    if (!fired) {
      fired = true;
      hit = "RESERVE " + bytes + " bytes for " + role;
    }
    if (throwing) {
      throw new OutOfMemoryError(MESSAGE);
    }
    return true;
  }
}
