// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same operations under every policy and every configuration have the answers of the model, one
 * by one: so early cleaning does not show, nor does a compaction at any moment, nor a crash.
 *
 * <p>{@code -Doperations=N} sets how many in all, {@code -Dseed=N} the first seed, {@code
 * -Dseeds=N} how many seeds instead of operations, {@code -Dprofile=NAME} one kind of load, {@code
 * -Dcase=FILE} a case to run again instead, {@code -Dshrink=N} how many runs a failure may take to
 * shrink.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StoreModelTest {

  private static final long OPERATIONS = Long.getLong("operations", 1_000_000);
  private static final int LENGTH = Integer.getInteger("length", 1_950);
  private static final int RANDOM_CONFIGS = 30;
  private static final int FIRST_SEED = 1;

  /** A real disk syncs for real, and large entries are copied again and again. */
  private static final int SHORTER = 8;

  private static final int SHRINKING_RUNS = Integer.getInteger("shrink", 2_000);
  private static final Path REGRESS = Path.of("src/test/resources/io/coppice/regress");

  @Test
  @Order(1)
  void whatFailedOnceFailsNoMore() throws IOException {
    String only = System.getProperty("case");
    List<Path> files = new ArrayList<>();
    if (only != null) {
      files.add(Path.of(only));
    } else {
      try (Stream<Path> all = Files.list(REGRESS)) {
        all.filter(path -> path.toString().endsWith(".case")).sorted().forEach(files::add);
      }
    }
    assertThat(files).isNotEmpty();
    for (Path path : files) {
      CaseFile file = CaseFile.parse(path.getFileName().toString(), Files.readString(path));
      assertThat(CaseFile.parse("", file.text()).text()).as(path.toString()).isEqualTo(file.text());
      History history = History.of(file.load());
      if (file.answers() != null) {
        assertThat(Long.toHexString(history.hash()))
            .as("%s: answers", path)
            .isEqualTo(file.answers());
      }
      assertThat(Trial.run(StoreSubject::new, file.config(), history))
          .as(path.toString())
          .isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Profile.class)
  @Order(2)
  void everyConfigurationAnswersLikeTheModel(Profile profile) throws IOException {
    if (!System.getProperty("profile", profile.name()).equals(profile.name())
        || System.getProperty("case") != null) {
      return;
    }
    long first = Seeds.first();
    LongRun run = new LongRun(getClass(), first);
    boolean large = profile == Profile.LARGE || profile == Profile.SIZES;
    int length = large ? LENGTH / SHORTER : LENGTH;
    long share = OPERATIONS / Profile.values().length / (large ? 4 : 1);
    long seeds = Long.getLong("seeds", Long.MAX_VALUE);
    long operations = 0;
    long trials = 0;
    for (long seed = first;
        System.getProperty("seeds") == null ? operations < share : seed < first + seeds;
        seed++) {
      long started = System.nanoTime();
      long before = operations;
      Load load = Generator.load(profile, seed, length);
      History whole = History.of(load);
      History part = History.of(Generator.load(profile, seed, length / SHORTER));
      for (Config drawn : configs(seed)) {
        Config config = profile == Profile.SIZES ? drawn.withCodec(trials) : drawn;
        History history = config.io().equals("memory") ? whole : part;
        check(config, history, seed);
        operations += history.load().ops().size();
        trials++;
      }
      progress(profile, seed, operations - before, operations, System.nanoTime() - started);
    }
    run.passed(
        profile.name(), Map.of("operations", operations, "trials", trials, "differences", 0L));
  }

  private static List<Config> configs(long seed) {
    List<Config> configs = new ArrayList<>(Config.extremes());
    for (int i = 0; i < RANDOM_CONFIGS; i++) {
      configs.add(Config.random(seed * RANDOM_CONFIGS + i));
    }
    return configs;
  }

  private static void check(Config config, History history, long seed) throws IOException {
    Optional<Difference> found = Trial.run(StoreSubject::new, config, history);
    if (found.isPresent()) {
      Difference first = found.get();
      int tries = config.threads() ? 3 : 1;
      Shrinker.Result least =
          Shrinker.shrink(StoreSubject::new, config, history.load(), tries, SHRINKING_RUNS)
              .orElse(new Shrinker.Result(config, history.load(), first));
      String name = history.load().name().toLowerCase(Locale.ROOT) + ".case";
      Path path = Files.createDirectories(Path.of("target", "regress")).resolve(name);
      List<String> notes = List.of(least.difference().what(), "found by " + history.load().name());
      Files.writeString(path, new CaseFile(notes, least.config(), least.load(), null).text());
      fail(
          "under ["
              + config
              + "] "
              + first.what()
              + "\nshrunk to "
              + least.load().ops().size()
              + " operations in engine/store/"
              + path
              + "\nrepeat with: mvn -q -f engine test -Dtest=StoreModelTest -Dcase="
              + path
              + "\n"
              + Seeds.replay(StoreModelTest.class, seed),
          least.difference().cause() == null ? first.cause() : least.difference().cause());
    }
  }

  /** One line a seed, so that a run of many hours can be watched, and gone on with. */
  private static void progress(Profile profile, long seed, long operations, long all, long nanos)
      throws IOException {
    if (Boolean.getBoolean("coppice.long")) {
      Files.writeString(
          Files.createDirectories(Path.of("target", "long")).resolve("StoreModelTest.progress"),
          String.format(
              "%s seed %d: %d operations, %d so far, %d a second%n",
              profile, seed, operations, all, operations * 1_000_000_000L / nanos),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  @Test
  @Order(3)
  void oneSeedReplaysAWholeHistory() throws IOException {
    History history = History.of(Generator.load(Profile.CRASHES, Seeds.seed(FIRST_SEED), 2_000));
    Config config = Config.parse("slots=2 every=3 memtable=4096 extra=kill odds=200 seed=11");
    List<String> trace = trace(config, history);

    assertThat(trace).hasSizeGreaterThan(1_500).isEqualTo(trace(config, history));
    assertThat(trace(Config.parse(config + " seed=12"), history)).isNotEqualTo(trace);
  }

  private static List<String> trace(Config config, History history) {
    List<String> trace = new ArrayList<>();
    Trial.Maker maker = (c, h) -> new StoreSubject(c, h, UnaryOperator.identity(), trace::add);
    assertThat(Trial.run(maker, config, history)).isEmpty();
    return trace;
  }

  @Test
  @Order(4)
  void aConfigurationIsReadAsWritten() {
    configs(1).forEach(config -> assertThat(Config.parse(config.toString())).isEqualTo(config));
    assertThat(configs(1)).doesNotHaveDuplicates().hasSizeGreaterThan(60);
  }
}
