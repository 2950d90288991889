// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.CompactionFilter;
import io.coppice.base.Durability;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Workload of a store on a failing disk. {@link #prepare} runs once on a healthy disk. {@link #act}
 * runs repeatedly on copies of the result: it opens the store, calls {@link FaultTrial#arm} where
 * operations begin to count, and continues.
 */
enum FaultScenario {
  PUTS(
      FaultScenario.STEPS,
      trial -> {
        for (int i = 0; i < 5; i++) {
          trial.put(Durability.SYNC, i * 3, 1, 50);
        }
      }),
  BATCHES(
      FaultScenario.STEPS,
      trial -> {
        trial.put(Durability.BUFFERED, 0, 20, 50);
        trial.put(Durability.BUFFERED, 5, 5, 50);
        trial.sync();
        trial.delete(Durability.BUFFERED, 0, 7);
        trial.put(Durability.SYNC, 3, 10, 300);
        trial.put(Durability.BUFFERED, 9, 2, 10);
      }),
  LARGE_VALUES(
      FaultScenario.STEPS,
      trial -> {
        trial.put(Durability.BUFFERED, 1, 1, 70_000);
        trial.put(Durability.SYNC, 2, 1, 130_000);
        trial.put(Durability.SYNC, 1, 2, 10);
      }),
  FLUSH(
      FaultScenario.STEPS,
      trial -> {
        trial.put(Durability.BUFFERED, 0, 40, 100);
        trial.flush();
        trial.put(Durability.BUFFERED, 20, 5, 100);
        trial.flush();
        trial.put(Durability.SYNC, 0, 1, 10);
      }),
  SEALS(
      FaultScenario.QUIET,
      trial -> {
        for (int i = 0; i < 9; i++) {
          trial.put(Durability.BUFFERED, 10 * i, 2, 50_000);
        }
        trial.idle();
        trial.put(Durability.SYNC, 1, 1, 10);
      }),
  MERGES_IN_STEPS(
      FaultScenario.STEPS,
      trial -> {
        for (int i = 0; i < 3; i++) {
          trial.put(Durability.BUFFERED, 15 * i, 60, 200);
          trial.flush();
          trial.idle();
        }
      }),
  LEVELED_MERGES(
      "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=2",
      trial -> {
        for (int i = 0; i < 3; i++) {
          trial.put(Durability.BUFFERED, 7 * i, 40, 200);
          trial.delete(Durability.BUFFERED, 11 * i, 10);
          trial.flush();
          trial.idle();
        }
      }),
  MOVES(
      "leveled,fanout=2,l0_trigger=1,table_size=4KiB",
      trial -> {
        for (int i = 0; i < 3; i++) {
          trial.put(Durability.BUFFERED, 100 * i, 20, 100);
          trial.flush();
          trial.idle();
        }
      }),
  DELAYS(
      "delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=8,vsmt=2",
      trial -> {
        overlaps(trial);
        trial.read();
        trial.idle();
      }),
  TIERED_MERGES("tiered,trigger=4,table_size=4KiB,cleaning_threshold=1", FaultScenario::overlaps),
  GROUPED_MERGES("grouped,groups=2,table_size=4KiB,cleaning_threshold=1", FaultScenario::overlaps),
  LAZY_MERGES("lazy-binomial,k=2,table_size=4KiB,cleaning_threshold=1", FaultScenario::overlaps),
  MAJOR(
      FaultScenario.QUIET,
      FaultScenario::threeRuns,
      trial -> {
        trial.put(Durability.SYNC, 33, 3, 30);
        trial.compact();
        trial.put(Durability.SYNC, 34, 1, 30);
      }),
  DELETES(
      FaultScenario.STEPS,
      trial -> {
        trial.open();
        trial.put(Durability.BUFFERED, 0, 80, 150);
        trial.flush();
        trial.idle();
        trial.close();
      },
      trial -> {
        trial.delete(Durability.BUFFERED, 0, 80);
        trial.flush();
        trial.idle();
        trial.put(Durability.BUFFERED, 10, 2, 10);
        trial.compact();
      }),
  MANIFEST_ROTATION(
      FaultScenario.QUIET,
      FaultScenario::tenKeys,
      trial -> {
        trial.open();
        for (int i = 0; i < 9; i++) {
          longKeys(trial, i);
        }
        trial.arm();
      },
      trial -> {
        longKeys(trial, 9);
        longKeys(trial, 10);
        trial.put(Durability.SYNC, 34, 1, 30);
      }) {
    @Override
    int sample(int usual) {
      return usual == Integer.MAX_VALUE ? usual : 1 + usual / 6;
    }
  },
  OPEN_AFTER_KILL(
      FaultScenario.STEPS,
      trial -> {
        threeRuns(trial);
        trial.open();
        trial.put(Durability.BUFFERED, 0, 30, 200);
        trial.flush();
        trial.put(Durability.SYNC, 10, 30, 200);
        trial.delete(Durability.SYNC, 5, 10);
        // It is left open: what its disk has now is what a kill leaves.
      },
      FaultTrial::arm,
      trial -> {
        if (trial.open() || trial.open()) {
          trial.put(Durability.SYNC, 1, 2, 20);
        }
      }),
  OPEN_AND_CLOSE(
      FaultScenario.STEPS,
      FaultScenario::threeRuns,
      FaultTrial::arm,
      trial -> {
        for (int i = 0; i < 2; i++) {
          if (trial.open()) {
            trial.put(Durability.BUFFERED, 5 * i, 10, 20);
            trial.close();
          }
        }
      }),
  SNAPSHOT(
      FaultScenario.STEPS,
      FaultScenario::threeRuns,
      trial -> {
        trial.snapshot(
            () -> {
              trial.put(Durability.BUFFERED, 0, 30, 90);
              trial.delete(Durability.BUFFERED, 40, 10);
              trial.flush();
              trial.compact();
            });
      }),
  READS(
      FaultScenario.QUIET,
      FaultScenario::threeRuns,
      trial -> {
        trial.read();
        trial.snapshot(() -> {});
      }),
  COLD_TABLES(
      FaultScenario.STEPS,
      FaultScenario::threeRuns,
      trial -> {
        trial.read();
        trial.put(Durability.BUFFERED, 5, 40, 90);
        trial.flush();
        trial.idle();
        trial.compact();
        trial.close();
        if (trial.open()) {
          trial.delete(Durability.SYNC, 7, 3);
          trial.compact();
        }
      }) {
    @Override
    StoreOptions.Builder options() {
      return TestStores.warmBytes(super.options(), 0);
    }
  },
  MANY_FILTERS(
      "leveled,fanout=4,l0_trigger=4,table_size=4KiB",
      trial -> {
        trial.put(Durability.BUFFERED, 0, 300, 60);
        trial.flush();
        trial.put(Durability.BUFFERED, 300, 300, 60);
        trial.flush();
        trial.compact();
        trial.close();
        trial.open();
      }),
  CHECKPOINT(
      FaultScenario.STEPS,
      FaultScenario::threeRuns,
      trial -> {
        trial.put(Durability.BUFFERED, 5, 10, 40);
        trial.checkpoint();
        trial.put(Durability.SYNC, 7, 1, 40);
      }),
  CHECKPOINT_TO_A_BAD_DISK(
      FaultScenario.QUIET,
      FaultScenario::threeRuns,
      trial -> {
        trial.open();
        trial.armTarget();
      },
      trial -> {
        trial.put(Durability.BUFFERED, 5, 10, 40);
        trial.checkpoint();
        trial.put(Durability.SYNC, 7, 1, 40);
      }),
  READ_ONLY(
      FaultScenario.STEPS,
      trial -> {
        threeRuns(trial);
        trial.open();
        trial.createFamily("users");
        trial.put("users", Durability.SYNC, 3, 40, 20);
        // It is left open: what its disk has now is what a kill leaves.
      },
      FaultTrial::arm,
      trial -> {
        trial.readOnlyView();
        trial.readOnlyView();
      }),
  FAMILIES(
      FaultScenario.STEPS,
      trial -> {
        trial.createFamily("users");
        trial.put("users", Durability.BUFFERED, 0, 40, 120);
        trial.flush();
        trial.createFamily("orders");
        trial.put("orders", Durability.SYNC, 10, 5, 60);
        trial.put("users", Durability.BUFFERED, 20, 40, 120);
        trial.dropFamily("orders");
        trial.flush();
        trial.createFamily("orders");
        trial.put("orders", Durability.BUFFERED, 0, 3, 60);
        trial.idle();
        trial.dropFamily("users");
        trial.put(Durability.SYNC, 1, 1, 10);
      }),
  KINDS(
      FaultScenario.STEPS,
      trial -> {
        trial.open();
        trial.put(Durability.BUFFERED, 0, 90, 60);
        trial.flush();
        trial.idle();
        trial.close();
      },
      trial -> {
        trial.putPassing(Durability.BUFFERED, 10, 20, 50);
        trial.deleteRange(Durability.BUFFERED, 40, 20);
        trial.flush();
        trial.putPassing(Durability.BUFFERED, 30, 20, 0);
        trial.pass(50);
        trial.putPassing(Durability.SYNC, 20, 5, 500);
        trial.deleteRange(Durability.BUFFERED, 5, 3);
        trial.flush();
        trial.idle();
        trial.compact();
        trial.put(Durability.SYNC, 35, 2, 10);
      }) {
    @Override
    StoreOptions.Builder options() {
      return super.options().compactionFilter(new Dropping());
    }
  },
  REPAIR(
      FaultScenario.QUIET,
      trial -> {
        threeRuns(trial);
        trial.open();
        trial.createFamily("users");
        trial.put("users", Durability.SYNC, 3, 40, 20);
        trial.close();
        trial.damage();
      },
      FaultTrial::arm,
      trial -> {
        if (trial.repair() || trial.repair()) {
          trial.open();
        }
      });

  /** Merges at every occasion, in steps of one small table. */
  private static final String STEPS = "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1";

  /** Merges nothing unless asked to. */
  private static final String QUIET = "leveled,l0_trigger=64,table_size=4KiB,cleaning_threshold=2";

  private final String policy;
  private final Consumer<FaultTrial> preparation;
  private final Consumer<FaultTrial> beginning;
  private final Consumer<FaultTrial> action;

  FaultScenario(String policy, Consumer<FaultTrial> action) {
    this(policy, FaultScenario::tenKeys, action);
  }

  FaultScenario(String policy, Consumer<FaultTrial> preparation, Consumer<FaultTrial> action) {
    this(policy, preparation, FaultScenario::openAndArm, action);
  }

  FaultScenario(
      String policy,
      Consumer<FaultTrial> preparation,
      Consumer<FaultTrial> beginning,
      Consumer<FaultTrial> action) {
    this.policy = policy;
    this.preparation = preparation;
    this.beginning = beginning;
    this.action = action;
  }

  /** Creates the store from which each trial starts, without failures. */
  void prepare(FaultTrial trial) {
    preparation.accept(trial);
  }

  /** Runs the operations under test while disk operations fail. */
  void act(FaultTrial trial) {
    beginning.accept(trial);
    action.accept(trial);
  }

  /** Returns the options of the store without its memory and its clock. */
  StoreOptions.Builder options() {
    return StoreOptions.builder().policy(policy);
  }

  /** Returns the number of operations to try, from the number for a usual scenario. */
  int sample(int usual) {
    return usual;
  }

  /** Returns the approximate duration relative to the other scenarios. */
  int cost() {
    return switch (this) {
      case MANIFEST_ROTATION -> 20;
      case SEALS, GROUPED_MERGES -> 4;
      case MANY_FILTERS, DELAYS, CHECKPOINT -> 2;
      default -> 1;
    };
  }

  private static void openAndArm(FaultTrial trial) {
    trial.open();
    trial.arm();
  }

  private static void tenKeys(FaultTrial trial) {
    trial.open();
    trial.put(Durability.SYNC, 0, 10, 30);
    trial.close();
  }

  /** Four runs, each of which shares keys with the last one. */
  private static void overlaps(FaultTrial trial) {
    for (int i = 0; i < 4; i++) {
      trial.put(Durability.BUFFERED, 9 * i, 40, 150);
      trial.delete(Durability.BUFFERED, 13 * i, 6);
      trial.flush();
      trial.idle();
    }
  }

  /** Flushes a table between keys so long that few of them fill a manifest. */
  private static void longKeys(FaultTrial trial, int i) {
    String padding = "p".repeat(59_000);
    Map<String, String> batch = new TreeMap<>();
    batch.put(FaultTrial.key(i) + padding, "first");
    batch.put(FaultTrial.key(i + 500) + padding, "last");
    if (trial.write(batch, Durability.BUFFERED)) {
      trial.flush();
    }
  }

  private static void threeRuns(FaultTrial trial) {
    trial.open();
    for (int i = 0; i < 3; i++) {
      trial.put(Durability.BUFFERED, 20 * i, 60, 100);
      trial.delete(Durability.BUFFERED, 30 * i, 5);
      trial.flush();
    }
    trial.close();
  }

  /** Drops values of the trials that are to be dropped. */
  private static final class Dropping implements CompactionFilter {
    @Override
    public String name() {
      return "dropping";
    }

    @Override
    public Verdict filter(byte[] key, byte[] value) {
      String text = new String(value, StandardCharsets.US_ASCII);
      return text.startsWith(FaultTrial.DROPPED) ? Verdict.REMOVE : Verdict.KEEP;
    }
  }
}
