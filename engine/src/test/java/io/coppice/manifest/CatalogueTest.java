// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.io.FileKind;
import io.coppice.table.TableMeta;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CatalogueTest {

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
    Catalogue catalogue =
        Catalogue.EMPTY.apply(
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

    assertThat(catalogue.marks()).isEqualTo(new Catalogue.Marks(9, 8, 7, true, 1, 6));
    assertThat(catalogue.family(0))
        .isEqualTo(new Catalogue.Family(0, "default", "bytes", "a", "sum", Version.EMPTY));
    assertThatThrownBy(() -> catalogue.apply(edit().nextNumber(8).build()))
        .hasMessageContaining("fall");
    assertThatThrownBy(() -> catalogue.apply(edit().nextNumber(FileKind.MAX_NUMBER + 1).build()))
        .hasMessageContaining("no file can have");
    assertThatThrownBy(() -> catalogue.apply(edit().lastSequence(7).build()))
        .hasMessageContaining("fall");
    assertThatThrownBy(() -> catalogue.apply(edit().walFloor(6, true).build()))
        .hasMessageContaining("fall");
    assertThat(catalogue.apply(edit().walFloor(8, false).build()).marks().floorBegun()).isFalse();
    assertThatThrownBy(() -> catalogue.apply(edit().keyOrder("other").build()))
        .hasMessageContaining("cannot become other");
    assertThat(catalogue.apply(edit().policyText("b").build()).family(0).policy()).isEqualTo("b");
  }

  @Test
  void oneEditFlushesIntoSeveralFamilies() {
    VersionEdit.Builder edit = edit().createFamily(1, "users");
    Catalogue catalogue = Catalogue.EMPTY.apply(flush(flush(edit, 1, 5), 0, 6).build());

    assertThat(catalogue.family("users").version().tables()).containsExactly(meta(5));
    assertThat(catalogue.version(0).tables()).containsExactly(meta(6));
    assertThat(catalogue.tables()).hasSize(2);
    assertThat(catalogue.marks().nextNumber()).isEqualTo(7);
  }

  @Test
  void aDroppedFamilyLeavesNothingAndItsNumberIsNeverGivenAgain() {
    Catalogue catalogue =
        Catalogue.EMPTY.apply(flush(edit().createFamily(1, "users"), 1, 5).build());
    Catalogue without = catalogue.apply(edit().dropFamily(1).build());

    assertThat(without.tables()).isEmpty();
    assertThat(without.family("users")).isNull();
    assertThatThrownBy(() -> without.apply(edit().createFamily(1, "users").build()))
        .hasMessageContaining("family 1 is not new");
    assertThat(without.apply(edit().createFamily(2, "users").build()).family("users").version())
        .isEqualTo(Version.EMPTY);
  }

  @Test
  void editsOfFamiliesThatDoNotExistAreIllegal() {
    Catalogue catalogue = Catalogue.EMPTY.apply(edit().createFamily(1, "users").build());

    assertThatThrownBy(() -> catalogue.apply(edit().createFamily(2, "users").build()))
        .hasMessageContaining("there is a family 'users' already");
    assertThatThrownBy(() -> catalogue.apply(edit().dropFamily(0).build()))
        .hasMessageContaining("default family cannot be dropped");
    assertThatThrownBy(() -> catalogue.apply(edit().dropFamily(2).build()))
        .hasMessageContaining("no family 2");
    assertThatThrownBy(() -> catalogue.apply(flush(edit(), 2, 5).build()))
        .hasMessageContaining("no family 2");
    assertThatThrownBy(() -> catalogue.apply(flush(edit().dropFamily(1), 1, 5).build()))
        .hasMessageContaining("no family 1");
  }

  @Test
  void aTableBelongsToOneFamily() {
    Catalogue catalogue =
        Catalogue.EMPTY.apply(flush(edit().createFamily(1, "users"), 1, 5).build());

    assertThatThrownBy(() -> catalogue.apply(flush(edit(), 0, 5).build()))
        .hasMessageContaining("table 5 is in family 1");
  }

  @Test
  void familiesThatAnEditDoesNotTouchKeepTheirVersion() {
    Catalogue catalogue =
        Catalogue.EMPTY.apply(flush(edit().createFamily(1, "users"), 1, 5).build());

    assertThat(catalogue.apply(flush(edit(), 0, 6).build()).version(1))
        .isSameAs(catalogue.version(1));
  }
}
