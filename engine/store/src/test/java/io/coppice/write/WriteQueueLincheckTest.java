// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.thread.Interleavings;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Each waiter is committed once, by one leader at a time, and learns its outcome. */
public class WriteQueueLincheckTest {

  private static final class Numbered extends WriteQueue.Waiter {
    private int number;
  }

  private final WriteQueue queue = new WriteQueue(0);

  /** Not volatile: leaders follow one another. */
  private int count;

  /** Takes a number, from the leader of its group. */
  @Operation
  public int next() {
    Numbered own = new Numbered();
    if (queue.join(own) || queue.awaitUninterruptibly(own)) {
      List<Numbered> group = new ArrayList<>();
      group.add(own);
      queue.takeAll(Numbered.class, group);
      for (Numbered one : group) {
        one.number = ++count;
      }
      queue.pass();
      group.remove(own);
      group.forEach(queue::end);
    }
    return own.number;
  }

  /** Takes a number, unless the writer gives up before it leads. */
  @Operation
  public int nextAtOnce() {
    Numbered own = new Numbered();
    if (queue.join(own)) {
      own.number = ++count;
      queue.pass();
    } else if (queue.leave(own)) {
      return nextAlone();
    } else {
      queue.awaitUninterruptibly(own);
    }
    return own.number;
  }

  private int nextAlone() {
    Numbered own = new Numbered();
    if (queue.join(own) || queue.awaitUninterruptibly(own)) {
      own.number = ++count;
      queue.pass();
    }
    return own.number;
  }

  @Test
  void everyInterleavingIsAsOneAfterTheOther() {
    Interleavings.check(getClass());
  }
}
