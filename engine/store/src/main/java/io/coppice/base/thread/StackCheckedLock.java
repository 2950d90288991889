// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Lock that checks the remaining stack before it is taken, because a thread without stack for
 * {@link #unlock} would hold it for ever. Safe to share between threads.
 */
public final class StackCheckedLock extends ReentrantLock {

  private static final long serialVersionUID = 1;

  /** Creates a lock that no thread holds. */
  public StackCheckedLock() {}

  /**
   * Takes the lock and waits for it if necessary.
   *
   * @throws StackOverflowError if the thread has too little stack to release it
   */
  @Override
  public void lock() {
    StackRoom.require();
    super.lock();
  }

  /**
   * Takes the lock if it is free. Returns whether it did.
   *
   * @throws StackOverflowError if the thread has too little stack to release it
   */
  @Override
  public boolean tryLock() {
    StackRoom.require();
    return super.tryLock();
  }
}
