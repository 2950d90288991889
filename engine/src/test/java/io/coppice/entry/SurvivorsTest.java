// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SurvivorsTest {

  @Test
  void withoutSnapshotsOnlyTheNewestVersionSurvives() {
    Survivors survivors = new Survivors(new long[0]);
    assertThat(survivors.newest(9)).isTrue();
    assertThat(survivors.older(7)).isFalse();
    assertThat(survivors.older(1)).isFalse();
  }

  @Test
  void aSnapshotKeepsTheVersionItSees() {
    Survivors survivors = new Survivors(new long[] {7});
    assertThat(survivors.newest(9)).isTrue();
    assertThat(survivors.older(7)).as("the snapshot at 7 sees 7").isTrue();
    assertThat(survivors.older(6)).as("nobody sees 6").isFalse();
  }

  @Test
  void aSnapshotBetweenVersionsKeepsTheOlderOne() {
    Survivors survivors = new Survivors(new long[] {20, 5, 8});
    survivors.newest(9);
    assertThat(survivors.older(6)).as("the snapshot at 8 sees 6").isTrue();
    assertThat(survivors.older(3)).as("the snapshot at 5 sees 3").isTrue();
    assertThat(survivors.older(2)).isFalse();
  }

  @Test
  void aDeletionIsFinalOnceEverySnapshotSeesIt() {
    assertThat(new Survivors(new long[0]).deletionIsFinal(5)).isTrue();
    assertThat(new Survivors(new long[] {5}).deletionIsFinal(5)).isTrue();
    assertThat(new Survivors(new long[] {4, 9}).deletionIsFinal(5)).isFalse();
  }
}
