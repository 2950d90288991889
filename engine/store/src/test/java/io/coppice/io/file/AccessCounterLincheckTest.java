// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.base.thread.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** What a gate guards is freed once, after the last reader left, and nobody gets in after that. */
public class AccessCounterLincheckTest {

  private final AccessCounter accesses = new AccessCounter();
  private final AtomicInteger freed = new AtomicInteger();

  /** Reads what is guarded. */
  @Operation
  public String read() {
    if (!accesses.enter()) {
      return "closed";
    }
    boolean early = freed.get() != 0;
    if (accesses.leave()) {
      freed.incrementAndGet();
    }
    return early ? "freed under a reader" : "read";
  }

  /** Closes. */
  @Operation
  public String close() {
    if (accesses.close()) {
      freed.incrementAndGet();
    }
    return freed.get() > 1 ? "freed twice" : "closed";
  }

  @Test
  void everyInterleavingIsAsOneAfterTheOther() {
    Interleavings.check(getClass());
  }
}
