// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SnapshotStripesTest {

  @Test
  void withoutSnapshotsThereIsOneStripe() {
    SnapshotStripes stripes = new SnapshotStripes(new long[0]);
    assertThat(stripes.of(9)).isEqualTo(stripes.of(1));
    assertThat(stripes.isUnseen(stripes.of(9))).isTrue();
    assertThat(SnapshotStripes.isSeenByAll(stripes.of(9))).isTrue();
  }

  @Test
  void aSnapshotSeesUpToItsOwnNumber() {
    SnapshotStripes stripes = new SnapshotStripes(new long[] {7});
    assertThat(stripes.of(8)).isNotEqualTo(stripes.of(7));
    assertThat(stripes.of(7)).isEqualTo(stripes.of(1));
  }

  @Test
  void snapshotsComeInAnyOrder() {
    SnapshotStripes stripes = new SnapshotStripes(new long[] {20, 5, 8});
    assertThat(new int[] {stripes.of(21), stripes.of(9), stripes.of(6), stripes.of(5)})
        .containsExactly(3, 2, 1, 0);
  }

  @Test
  void aDeletionIsFinalOnceEverySnapshotSeesIt() {
    assertThat(SnapshotStripes.isSeenByAll(new SnapshotStripes(new long[] {5}).of(5))).isTrue();
    assertThat(SnapshotStripes.isSeenByAll(new SnapshotStripes(new long[] {4, 9}).of(5))).isFalse();
  }

  @Test
  void aValueIsUnseenAboveEverySnapshot() {
    SnapshotStripes stripes = new SnapshotStripes(new long[] {4, 9});
    assertThat(stripes.isUnseen(stripes.of(10))).isTrue();
    assertThat(stripes.isUnseen(stripes.of(9))).isFalse();
  }
}
