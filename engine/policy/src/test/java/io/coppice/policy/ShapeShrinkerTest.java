// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.spec.Script;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class ShapeShrinkerTest {

  private static final String FOREST =
      """
      shape adjacent
        L0  run A t9[a..d] 4M claimed  t8[m..n] 8M
            run B t7[c..f] 4M  t6[p..q] 8M
            run t5[a..z] 8M
        L1  run T from A B t4[x..z] 8M
        L2  run t2[a..c] 64M  t1[d..z] 64M
        job L1 T [a..d]
      plan leveled
      """;

  @Test
  void leavesOnlyWhatIsNeeded() {
    Predicate<Shape> twoOverlap =
        shape -> {
          List<RunFacts> runs = shape.levels().get(0).runs();
          return runs.size() > 1
              && runs.get(0).segments().stream()
                  .anyMatch(
                      a ->
                          runs.get(1).segments().stream()
                              .anyMatch(b -> a.low() <= b.high() && b.low() <= a.high()));
        };
    Shape smallest = ShapeShrinker.shrink(shape(FOREST), twoOverlap);
    assertThat(ShapeText.of(smallest, Budget.unlimited()))
        .isEqualTo(
            """
            shape adjacent
              L0  run t6[b..c] 8192K
                  run t5[a..d] 8192K
            """);
  }

  @Test
  void drawsWhatItWasDrawnFrom() {
    Shape shape = shape(FOREST);
    String text = ShapeText.of(shape, new Budget(2, 7 << 20));
    assertThat(text)
        .isEqualTo(
            """
            shape adjacent
              L0  run R1 t9[a..c] 4096K claimed  t8[e..f] 8192K
                  run R2 t7[b..d] 4096K  t6[g..h] 8192K
                  run t5[a..j] 8192K
              L1  run R4 from R1 R2 t4[i..j] 8192K
              L2  run t2[a..b] 65536K  t1[c..j] 65536K
              job L1 R4 [a..c]
            budget slots=2 space=7168K
            """);
    Shape again = shape(text + "plan leveled\n");
    assertThat(ShapeText.of(again, new Budget(2, 7 << 20))).isEqualTo(text);
  }

  @Test
  void drawsVirtualSegmentsDeletionsAndRequests() {
    String drawn =
        """
        shape adjacent
          L0  run t9[a..b] 4K deletions
          L1  run G7{t5.1[a..c] 2K of 4K t3.1[b..d] 2K of 4K}  G7/2{t5.2[e] 2K of 4K}  t1[g..h] 4K
          request G7
        """;
    String text = ShapeText.of(shape(drawn + "plan leveled\n"), Budget.unlimited());
    assertThat(text).startsWith("# t3.1 is slice ");
    String redrawn = ShapeText.of(shape(text + "plan leveled\n"), Budget.unlimited());
    assertThat(redrawn).isEqualTo(text);
    assertThat(text)
        .contains("G7{t5.1[a..c] 2K of 4K t3.1[b..d] 2K of 4K}  G7/2{t5.2[e] 2K of 4K}");
    assertThat(text).contains("t9[a..b] 4K deletions").endsWith("request G7\n");
  }

  private static Shape shape(String drawn) {
    return PureHost.shape(Script.parse(drawn).cases().get(0).tree());
  }
}
