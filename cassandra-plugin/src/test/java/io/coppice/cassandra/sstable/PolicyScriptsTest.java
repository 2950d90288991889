// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.policy.DrawnTree;
import io.coppice.policy.MergeRule;
import io.coppice.policy.ScriptHost;
import io.coppice.policy.ScriptRunner;
import io.coppice.policy.spec.ScriptQuestion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** The policies' own scripts, with the Shape drawn as the strategy draws it in a node. */
final class PolicyScriptsTest {

  @TestFactory
  Stream<DynamicContainer> theAdapterGivesTheAnswersOfThePolicies() {
    return ScriptRunner.tests(new Host());
  }

  private static final class Host implements ScriptHost {

    @Override
    public String answer(DrawnTree tree, ScriptQuestion question) {
      List<ShapeBuilder.Job> jobs = new ArrayList<>();
      for (DrawnTree.DrawnJob job : tree.jobs()) {
        jobs.add(new ShapeBuilder.Job(job.level(), inputs(tree, job)));
      }
      return question.answer(
          ShapeBuilder.draw(outlines(tree), jobs, tree.requests()), slice -> "t" + slice);
    }

    /** A host of free merges has no runs in the making, and knows a job by its inputs. */
    @Override
    public boolean canDraw(DrawnTree tree) {
      return tree.rule() == MergeRule.FREE
          && !tree.cut()
          && tree.levels().stream().flatMap(List::stream).allMatch(run -> run.sources().isEmpty())
          && tree.jobs().stream().allMatch(job -> spanned(tree, job));
    }

    private static boolean spanned(DrawnTree tree, DrawnTree.DrawnJob job) {
      Set<Long> inputs = inputs(tree, job);
      List<SSTableOutline<String>> drawn =
          outlines(tree).stream().filter(outline -> inputs.contains(outline.id())).toList();
      return drawn.stream().anyMatch(outline -> outline.first().equals(job.low()))
          && drawn.stream().anyMatch(outline -> outline.last().equals(job.high()));
    }

    private static Set<Long> inputs(DrawnTree tree, DrawnTree.DrawnJob job) {
      Set<Long> inputs = new HashSet<>();
      for (SSTableOutline<String> outline : outlines(tree)) {
        if (outline.claimed()
            && job.low().compareTo(outline.first()) <= 0
            && outline.last().compareTo(job.high()) <= 0) {
          inputs.add(outline.id());
        }
      }
      return inputs;
    }

    private static List<SSTableOutline<String>> outlines(DrawnTree tree) {
      List<SSTableOutline<String>> outlines = new ArrayList<>();
      for (int level = 0; level < tree.levels().size(); level++) {
        for (DrawnTree.DrawnRun run : tree.levels().get(level)) {
          for (DrawnTree.DrawnTable table : run.tables()) {
            outlines.add(
                new SSTableOutline<>(
                    table.number(),
                    table.low(),
                    table.high(),
                    level,
                    table.bytes(),
                    table.entries(),
                    table.tombstones(),
                    table.claimed(),
                    table.hidden()));
          }
        }
      }
      return outlines;
    }
  }
}
