// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.policy.DrawnTree;
import io.coppice.policy.MergeRule;
import io.coppice.policy.ScriptHost;
import io.coppice.policy.ScriptRunner;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import io.coppice.policy.spec.ScriptQuestion;
import io.coppice.table.TableMeta;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;

/** The scripts of the policies, asked of the engine's versions. */
class EngineScriptTest {

  @TestFactory
  Stream<DynamicContainer> theEngineAnswersAsThePolicyAlone() {
    return ScriptRunner.tests(new EngineHost());
  }

  /** Builds a drawing by edits of a manifest; keys are the letters themselves. */
  private static final class EngineHost implements ScriptHost {

    @Override
    public boolean canDraw(DrawnTree tree) {
      // A version holds no run that is empty and that nothing feeds, and every claim is a job's.
      return tree.rule() == MergeRule.ADJACENT
          && !(tree.claimed() && tree.jobs().isEmpty())
          && tree.levels().stream()
              .flatMap(List::stream)
              .noneMatch(run -> run.tables().isEmpty() && run.sources().isEmpty());
    }

    @Override
    public String answer(DrawnTree tree, ScriptQuestion question) {
      if (tree.virtual()) {
        return question.answer(VirtualTree.shape(tree), DrawnTree.DrawnTable::name);
      }
      try (Manifest manifest = Manifest.open(new MemDisk())) {
        Map<String, Long> ids = new HashMap<>();
        List<DrawnTree.DrawnRun> left = new ArrayList<>();
        tree.levels().forEach(left::addAll);
        while (!left.isEmpty()) {
          if (!addOne(manifest, tree, ids, left)) {
            throw new AssertionError("sources go in circles: " + left);
          }
        }
        Claims claims = claims(tree, ids);
        return question.answer(
            shape(manifest.family().current(), claims, hidden(tree)), slice -> "t" + slice);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Map<Long, Long> hidden(DrawnTree tree) {
      return tree.levels().stream()
          .flatMap(List::stream)
          .flatMap(run -> run.tables().stream())
          .collect(Collectors.toMap(DrawnTree.DrawnTable::number, DrawnTree.DrawnTable::hidden));
    }

    private static Shape shape(Version version, Claims claims, Map<Long, Long> hidden) {
      byte[][] bounds = VersionShapeBuilder.bounds(version, claims);
      return VersionShapeBuilder.of(bounds, version, claims, SliceSize::ofTable, Map.of(), hidden);
    }

    /** Adds a run whose older neighbours and sources are there already. */
    private static boolean addOne(
        Manifest manifest, DrawnTree tree, Map<String, Long> ids, List<DrawnTree.DrawnRun> left)
        throws IOException {
      for (int level = 0; level < tree.levels().size(); level++) {
        List<DrawnTree.DrawnRun> runs = tree.levels().get(level);
        for (int i = runs.size() - 1; i >= 0; i--) {
          DrawnTree.DrawnRun run = runs.get(i);
          if (!left.contains(run)) {
            continue;
          }
          if (!ids.keySet().containsAll(run.sources())) {
            break;
          }
          add(manifest, level, run, ids);
          left.remove(run);
          return true;
        }
      }
      return false;
    }

    private static void add(
        Manifest manifest, int level, DrawnTree.DrawnRun run, Map<String, Long> ids)
        throws IOException {
      long id = 1_000 + ids.size();
      ids.put(run.name(), id);
      Set<Long> sources = run.sources().stream().map(ids::get).collect(Collectors.toSet());
      VersionEdit.Builder edit = VersionEdit.builder().addRun(level, id, sources);
      for (DrawnTree.DrawnTable table : run.tables()) {
        edit.addTable(
            level,
            id,
            table.number(),
            new TableMeta(
                table.number(),
                table.bytes(),
                Math.max(1, table.entries()),
                table.deletions() ? Math.max(1, table.entries()) : 0,
                0,
                table.low().getBytes(US_ASCII),
                table.high().getBytes(US_ASCII),
                1,
                1,
                TableMeta.NO_FILTER));
      }
      if (run.tables().isEmpty()) {
        manifest.family().beginOutput(id);
      }
      manifest.install(
          edit.nextNumber(Math.max(2_000, manifest.state().marks().nextNumber())).build());
    }

    /** The first job holds all that is drawn as claimed. */
    private static Claims claims(DrawnTree tree, Map<String, Long> ids) {
      Set<Long> tables = new HashSet<>();
      tree.levels().stream()
          .flatMap(List::stream)
          .flatMap(run -> run.tables().stream())
          .filter(DrawnTree.DrawnTable::claimed)
          .forEach(table -> tables.add(table.number()));
      Claims claims = new Claims();
      for (DrawnTree.DrawnJob job : tree.jobs()) {
        claims.take(
            new Claims.Claim(
                job.level(),
                ids.getOrDefault(job.run(), Target.NEW_RUN),
                job.low().getBytes(US_ASCII),
                job.high().getBytes(US_ASCII),
                Set.copyOf(tables)));
        tables.clear();
      }
      return claims;
    }
  }
}
