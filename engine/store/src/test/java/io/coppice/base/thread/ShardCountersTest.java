// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardCountersTest {

  private final ShardCounters shards = new ShardCounters();

  private static byte[] key(String text) {
    return text.getBytes(US_ASCII);
  }

  private void count(String key) {
    shards.count(key(key), 0, key.length());
  }

  private int[] counted() {
    return IntStream.range(0, ShardCounters.MOST).map(i -> (int) shards.counted(i)).toArray();
  }

  @Test
  void nothingIsCountedWithoutEnds() {
    count("a");
    shards.count(key("a"), key("z"), 10);
    shards.countLast();
    assertThat(counted()).containsOnly(0);
  }

  @Test
  void anEndBelongsToTheShardBelowIt() {
    shards.ends(new byte[][] {key("f"), key("m")});
    count("");
    count("f");
    count("f\0");
    count("m");
    count("mm");
    shards.count(key("__z__"), 2, 1);
    assertThat(counted()).startsWith(2, 2, 2, 0);
    shards.countLast();
    assertThat(counted()).startsWith(2, 2, 3, 0);
  }

  @Test
  void whatReachesOverEndsIsSharedAlike() {
    shards.ends(new byte[][] {key("f"), key("m")});
    shards.count(key("a"), key("f"), 9);
    shards.count(key("a"), key("z"), 9);
    shards.count(key("m"), key("n"), 10);
    assertThat(counted()).startsWith(12, 8, 8, 0);
    shards.ends(new byte[0][]);
    count("a");
    assertThat(counted()).startsWith(12, 8, 8, 0);
  }
}
