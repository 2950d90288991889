// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class DiskSamplerTest {

  private static final Map<String, Long> LENGTHS = Map.of("input", 5L, "output", 7L);

  private static OptionalLong sample(String[]... listings) {
    Iterator<String[]> listing = List.of(listings).iterator();
    return DiskSampler.sample(listing::next, LENGTHS::get);
  }

  private static String[] names(String... names) {
    return names;
  }

  @Test
  void aListingThatNamesDeletedAndNewFilesIsNoSample() {
    assertThat(sample(names("input", "output"), names("output"))).isEmpty();
    assertThat(sample(names("input"), names("input", "output"))).isEmpty();
  }

  @Test
  void aFileCountsOnceHoweverOftenAListingNamesIt() {
    assertThat(sample(names("output", "input", "output"), names("input", "output"))).hasValue(12);
  }
}
