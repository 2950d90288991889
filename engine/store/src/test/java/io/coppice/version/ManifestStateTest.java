// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.io.FileKind;
import io.coppice.manifest.EditCodec;
import io.coppice.manifest.ManifestReplay;
import io.coppice.manifest.ManifestSnapshotCodec;
import io.coppice.table.TableMeta;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManifestStateTest {

  private static VersionEdit.Builder edit() {
    return VersionEdit.builder();
  }

  private static TableMeta meta(long number) {
    return RandomEdits.meta(number, 10, 20, new Random(1));
  }

  private static VersionEdit.Builder flush(VersionEdit.Builder edit, int family, long number) {
    return edit.family(family)
        .addRun(0, number, Set.of())
        .addTable(0, number, number, meta(number));
  }

  @Test
  void marksNeverFallAndTheKeyOrderStays() {
    ManifestState state =
        ManifestState.EMPTY.apply(
            edit()
                .nextNumber(9)
                .lastSequence(8)
                .walFloor(7, true)
                .keyOrder("bytes")
                .policyText("a")
                .mergeOperatorName("sum")
                .clockFloor(6)
                .clockFloor(5)
                .build());

    assertThat(state.marks()).isEqualTo(new ManifestState.Marks(9, 8, 7, true, 1, 6));
    assertThat(state.family(0))
        .isEqualTo(new ManifestState.Family(0, "default", "bytes", "a", "sum", Version.EMPTY));
    assertThatThrownBy(() -> state.apply(edit().nextNumber(8).build()))
        .hasMessageContaining("fall");
    assertThatThrownBy(() -> state.apply(edit().nextNumber(FileKind.MAX_NUMBER + 1).build()))
        .hasMessageContaining("next number " + (FileKind.MAX_NUMBER + 1));
    assertThatThrownBy(() -> state.apply(edit().lastSequence(7).build()))
        .hasMessageContaining("fall");
    assertThatThrownBy(() -> state.apply(edit().walFloor(6, true).build()))
        .hasMessageContaining("fall");
    assertThat(state.apply(edit().walFloor(8, false).build()).marks().floorBegun()).isFalse();
    assertThatThrownBy(() -> state.apply(edit().keyOrder("other").build()))
        .hasMessageContaining("cannot become other");
    assertThat(state.apply(edit().policyText("b").build()).family(0).policy()).isEqualTo("b");
  }

  @Test
  void aSnapshotWithMarksThatNoStoreCanHaveIsDamaged() {
    assertRead(1, 0, 0, 0);
    assertRead(FileKind.MAX_NUMBER, Limits.MAX_SEQUENCE, 9, Long.MAX_VALUE);
    assertDamaged(-1, 0, 0, 0);
    assertDamaged(1, -1, 0, 0);
    assertDamaged(1, Limits.MAX_SEQUENCE + 1, 0, 0);
    assertDamaged(1, 0, -1, 0);
    assertDamaged(1, 0, 0, -1);
  }

  private static void assertRead(long next, long sequence, long floor, long clock) {
    ManifestReplay replay = new ManifestReplay("a");
    replay.add(snapshot(next, sequence, floor, clock), 48);
    assertThat(replay.state().marks())
        .isEqualTo(new ManifestState.Marks(next, sequence, floor, false, 1, clock));
  }

  private static void assertDamaged(long next, long sequence, long floor, long clock) {
    assertThatThrownBy(
            () -> new ManifestReplay("a").add(snapshot(next, sequence, floor, clock), 48))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("a is damaged at offset 48: no store can have")
        .hasMessageContaining("last sequence " + sequence);
  }

  /** Of an empty store, with other marks; its own have a byte each. */
  private static ByteSource snapshot(long next, long sequence, long floor, long clock) {
    ByteSink empty = new ByteSink(64);
    ManifestSnapshotCodec.encode(ManifestState.EMPTY, empty);
    int marks = 7;
    ByteSink other = new ByteSink(64).u8(EditCodec.SNAPSHOT).varint64(next).varint64(sequence);
    other.varint64(floor).u8(0).varint32(1).varint64(clock);
    other.bytes(empty.array(), marks, empty.length() - marks);
    return new ByteSource().reset("a", 0, other.array(), 0, other.length());
  }

  @Test
  void noTableHasALargerSequenceThanAnEntryCanHave() {
    byte[] key = {1};
    long largest = Limits.MAX_SEQUENCE;
    TableMeta table = new TableMeta(5, 100, 2, 0, 0, key, key, 1, largest, TableMeta.NO_FILTER);
    assertThat(table.maxSequence()).isEqualTo(largest);
    assertThatThrownBy(
            () -> new TableMeta(5, 100, 2, 0, 0, key, key, 1, largest + 1, TableMeta.NO_FILTER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sequences 1 to " + (largest + 1));
  }

  @Test
  void oneEditFlushesIntoSeveralFamilies() {
    VersionEdit.Builder edit = edit().createFamily(1, "users");
    ManifestState state = ManifestState.EMPTY.apply(flush(flush(edit, 1, 5), 0, 6).build());

    assertThat(state.family("users").version().tables()).containsExactly(meta(5));
    assertThat(state.version(0).tables()).containsExactly(meta(6));
    assertThat(state.tables()).hasSize(2);
    assertThat(state.marks().nextNumber()).isEqualTo(7);
  }

  @Test
  void aDroppedFamilyLeavesNothingAndItsNumberIsNeverGivenAgain() {
    ManifestState state =
        ManifestState.EMPTY.apply(flush(edit().createFamily(1, "users"), 1, 5).build());
    ManifestState without = state.apply(edit().dropFamily(1).build());

    assertThat(without.tables()).isEmpty();
    assertThat(without.family("users")).isNull();
    assertThatThrownBy(() -> without.apply(edit().createFamily(1, "users").build()))
        .hasMessageContaining("family 1 is not new");
    assertThat(without.apply(edit().createFamily(2, "users").build()).family("users").version())
        .isEqualTo(Version.EMPTY);
  }

  @Test
  void editsOfFamiliesThatDoNotExistAreIllegal() {
    ManifestState state = ManifestState.EMPTY.apply(edit().createFamily(1, "users").build());

    assertThatThrownBy(() -> state.apply(edit().createFamily(2, "users").build()))
        .hasMessageContaining("there is a family 'users' already");
    assertThatThrownBy(() -> state.apply(edit().dropFamily(0).build()))
        .hasMessageContaining("default family cannot be dropped");
    assertThatThrownBy(() -> state.apply(edit().dropFamily(2).build()))
        .hasMessageContaining("no family 2");
    assertThatThrownBy(() -> state.apply(flush(edit(), 2, 5).build()))
        .hasMessageContaining("no family 2");
    assertThatThrownBy(() -> state.apply(flush(edit().dropFamily(1), 1, 5).build()))
        .hasMessageContaining("no family 1");
  }

  @Test
  void aTableBelongsToOneFamily() {
    ManifestState state =
        ManifestState.EMPTY.apply(flush(edit().createFamily(1, "users"), 1, 5).build());

    assertThatThrownBy(() -> state.apply(flush(edit(), 0, 5).build()))
        .hasMessageContaining("table 5 is in family 1");
  }

  @Test
  void familiesThatAnEditDoesNotTouchKeepTheirVersion() {
    ManifestState state =
        ManifestState.EMPTY.apply(flush(edit().createFamily(1, "users"), 1, 5).build());

    assertThat(state.apply(flush(edit(), 0, 6).build()).version(1)).isSameAs(state.version(1));
  }
}
