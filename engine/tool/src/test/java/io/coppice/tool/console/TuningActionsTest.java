// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A change without an expected policy expects the one that the console saw last. */
class TuningActionsTest {

  @Test
  void aChangeOfTheConsoleIsNewerThanASampleThatBeganBeforeIt() {
    List<Change> changes = List.of(change(30, "stop", "drop"), change(20, "apply", "vct=4"));
    assertThat(TuningActions.lastSeen("vct=8", 10, changes)).isEqualTo("vct=4");
    assertThat(TuningActions.lastSeen("vct=8", 20, changes)).isEqualTo("vct=4");
    assertThat(TuningActions.lastSeen("vct=9", 21, changes)).isEqualTo("vct=9");
    assertThat(TuningActions.lastSeen("vct=8", 10, List.of())).isEqualTo("vct=8");
    assertThat(TuningActions.lastSeen("vct=8", 10, List.of(change(30, "stop", "drop"))))
        .isEqualTo("vct=8");
  }

  private static Change change(long at, String what, String after) {
    return new Change("c" + at, at, "user", "node", "table", what, "vct=8", after, "");
  }
}
