// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.rocksdb.RocksDB;

/**
 * A process that puts the same loads to RocksDB and to a store, each answer against the same
 * history; RocksDB is native code and may take its process down.
 *
 * <p>Arguments: directory, first seed, operations for each, operations of a load. Exit code 0 if
 * there was no difference, 1 if there was, {@value #NO_LIBRARY} if RocksDB cannot be loaded. The
 * last line says how many operations were compared.
 */
final class RocksOracle {

  /** RocksDB goes through all range deletions of a memtable again and again. */
  private static final int MAX_CHANGES = 200;

  static final int NO_LIBRARY = 3;

  private RocksOracle() {}

  /** Runs it. */
  public static void main(String[] arguments) throws IOException {
    try {
      RocksDB.loadLibrary();
    } catch (Throwable e) {
      System.out.println("RocksDB cannot be loaded: " + e);
      System.exit(NO_LIBRARY);
    }
    Path root = Path.of(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    long wanted = Long.parseLong(arguments[2]);
    int length = Integer.parseInt(arguments[3]);
    long compared = 0;
    for (; compared < wanted; seed++) {
      for (Profile profile : Profile.values()) {
        History history =
            History.of(
                Generator.load(profile, seed, length).withoutTime().withBatchesUpTo(MAX_CHANGES));
        Path directory = Files.createTempDirectory(root, "rocksdb");
        Trial.Maker rocks = (c, h) -> new RocksSubject(h.load().keys(), directory);
        check("RocksDB", rocks, Config.DEFAULT, history);
        delete(directory);
        check("the store", StoreSubject::new, Config.random(seed), history);
        compared += history.load().ops().size();
      }
      System.out.println("seed " + seed + ": " + compared + " operations so far");
    }
    System.out.println("compared " + compared);
  }

  private static void check(String who, Trial.Maker maker, Config config, History history) {
    Optional<Difference> difference = Trial.run(maker, config, history);
    if (difference.isPresent()) {
      System.out.println(
          who
              + " under ["
              + config
              + "], load "
              + history.load().name()
              + ": "
              + difference.get().what());
      System.exit(1);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              path -> {
                try {
                  Files.delete(path);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
