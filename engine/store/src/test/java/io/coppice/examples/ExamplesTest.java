// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.InvalidOptionsException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExamplesTest {

  @TempDir Path directory;

  private List<String> printed(Consumer<String[]> main) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      main.accept(new String[] {directory.resolve("data").toString()});
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void aStoreInTwelveLines() {
    assertThat(printed(EmbeddedStore::main)).containsExactly("fast", "willow");
  }

  @Test
  void typedKeysSortAsWhatTheyStandFor() {
    assertThat(printed(TypedStore::main))
        .containsExactly("first shoots", "1969-07-20 planted", "2026-03-01 cut to the stump");
  }

  @Test
  void countersAddUpBeforeAndAfterAMerge() {
    assertThat(printed(Counters::main)).containsExactly("5050", "5050");
  }

  @Test
  void aPolicyOfOnesOwnDecides() {
    int[] runs = {1, 2, 3, 1, 2, 3, 1, 2};
    assertThat(printed(EveryFour::main))
        .containsExactlyElementsOf(
            IntStream.range(0, runs.length)
                .mapToObj(i -> "flush " + (i + 1) + ": runs " + runs[i])
                .toList());
  }

  @Test
  void aPolicyOfOnesOwnIsRememberedByItsIdAndTunedLikeOthers() {
    Path data = directory.resolve("data");
    StoreOptions with =
        StoreOptions.builder().customPolicy(new EveryFour()).family("f", "every-four").build();
    try (Store store = Store.open(data, with)) {
      store.family("f").put(new byte[] {1}, new byte[] {2});
      store.createFamily("g", "every-four,table_size=8KiB");
      store.policy("every-four");
      store.policy("leveled");
    }
    StoreOptions again = StoreOptions.builder().customPolicy(new EveryFour()).build();
    try (Store store = Store.open(data, again)) {
      assertThat(store.family("f").policy())
          .isEqualTo("every-four,table_size=4MiB,cleaning_threshold=10");
      assertThat(store.family("g").policy()).contains("table_size=8KiB");
    }
    assertThatThrownBy(() -> Store.open(data))
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("family 'f': policy 'every-four' is not understood");
    try (Store store = Store.openReadOnly(data)) {
      assertThat(store.family("f").get(new byte[] {1})).containsExactly(2);
    }
  }

  @Test
  void anIdThatIsTakenIsRefused() {
    StoreOptions.Builder twice =
        StoreOptions.builder().customPolicy(new EveryFour()).customPolicy(new EveryFour());
    assertThatThrownBy(twice::build)
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("customPolicy (every-four) must have an id");
  }
}
