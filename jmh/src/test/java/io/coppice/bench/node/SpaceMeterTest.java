// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpaceMeterTest {

  @Test
  void aPeakThatIsGoneIsRemembered(@TempDir Path directory) throws IOException {
    try (SpaceMeter meter = new SpaceMeter(List.of(directory))) {
      Path data = directory.resolve("nb-1-big-Data.db");
      Files.write(data, new byte[300]);
      Files.write(directory.resolve("nb-1-big-Index.db"), new byte[100]);
      meter.start(200);
      Files.delete(data);
      RecorderMXBean.Space space = meter.sample();
      assertThat(space.bytes()).isEqualTo(100);
      assertThat(space.peakBytes()).isEqualTo(400);
      assertThat(space.peakRatio()).isEqualTo(2.0);
      assertThat(space.meanRatio()).isBetween(0.5, 2.0);
      assertThat(space.samples()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void dataThatNobodyAnnouncedIsFound(@TempDir Path directory) throws IOException {
    try (SpaceMeter meter = new SpaceMeter(List.of(directory))) {
      Files.write(directory.resolve("nb-1-big-Data.db"), new byte[30]);
      Files.write(directory.resolve("oa-2-big-Data.db"), new byte[50]);
      Files.write(directory.resolve("oa-2-big-Filter.db"), new byte[7]);
      meter.sample();
      Files.delete(directory.resolve("oa-2-big-Data.db"));
      assertThat(meter.unknownBytes(Set.of("1"))).isEqualTo(50);
      assertThat(meter.unknownBytes(Set.of("1", "2"))).isZero();
    }
  }
}
