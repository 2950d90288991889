// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
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

  @Test
  void thePeakCountsFilesCreatedSinceTheStart() {
    DiskSampler sampler = sampler("input", "output");
    sampler.close();
    assertThat(sampler.peak()).isEqualTo(12);
  }

  @Test
  void thereIsNoPeakIfNoSampleShowsANewFile() {
    DiskSampler sampler = sampler("input");
    sampler.close();
    assertThatThrownBy(sampler::peak)
        .isInstanceOf(AssertionError.class)
        .hasMessage("no sample shows a file created since the start");
  }

  @Test
  void aFailedSampleFailsTheTest() {
    DiskSampler sampler = sampler("a file without a length");
    assertThatThrownBy(sampler::close)
        .isInstanceOf(AssertionError.class)
        .hasMessage("sampling failed");
    assertThatThrownBy(sampler::peak)
        .isInstanceOf(AssertionError.class)
        .hasMessage("sampling failed");
  }

  /** Returns a sampler that first finds one input, and later the given files. */
  private static DiskSampler sampler(String... later) {
    AtomicBoolean started = new AtomicBoolean();
    return new DiskSampler(() -> started.getAndSet(true) ? later : names("input"), LENGTHS::get);
  }
}
