// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.merge.StepSpaceReservation.LackException;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** nodetool shows one sentence for all rounds and parts of a major compaction. */
class LackExceptionTest {

  @Test
  void everySstableThatIsLeftOutIsNamedAndOneBlockedMerge() {
    long seed = Seeds.first();
    for (int round = 0; round < 200; round++) {
      Random random = Seeds.random(seed, round);
      List<String> leftOut = new ArrayList<>();
      List<String> blocked = new ArrayList<>();
      LackException all = null;
      boolean passes = true;
      int count = 1 + random.nextInt(8);
      for (int i = 0; i < count; i++) {
        boolean whole = random.nextBoolean();
        boolean passing = random.nextBoolean();
        String sentence = "[" + i + "]";
        (whole ? blocked : leftOut).add(sentence);
        passes &= passing || !whole || blocked.size() > 1;
        LackException next =
            whole ? new LackException(sentence, passing) : LackException.leavingOut(sentence);
        all = LackException.both(all, next);
      }
      String message = all.getMessage();
      assertThat(message).as("seed " + seed).startsWith("not enough space: ");
      assertThat(leftOut).as("seed " + seed).allMatch(message::contains);
      assertThat(blocked.stream().filter(message::contains).count())
          .as("seed " + seed)
          .isEqualTo(Math.min(1, blocked.size()));
      assertThat(message.indexOf("not enough", 1)).as("seed " + seed).isNegative();
      assertThat(all.passes()).as("seed " + seed).isEqualTo(passes);
    }
  }
}
