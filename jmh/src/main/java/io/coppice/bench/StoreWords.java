// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/**
 * Options of {@code bench} that say which stores, and how clients use them; picocli fills it in.
 */
public final class StoreWords {

  @Option(
      names = "--stores",
      paramLabel = "NAME,...",
      description = {
        "Instead of --policy and --peer: the first is compared with each of the others. coppice, or a",
        "policy such as split-forest or lazy-binomial:k=8:x=0.5; rocksdb, rocksdb-universal, lmdb,",
        "mvstore, xodus, leveldb, mapdb."
      })
  private String stores;

  @Option(
      names = "--table_size",
      paramLabel = "SIZE",
      description =
          "Of our tables; RocksDB's are then as large as a memtable, with --profile=paper as"
              + " these. Default each store's own.")
  private String tableSize;

  @Option(names = "--threads", paramLabel = "N", description = "That read at once; default 1.")
  private String threads;

  @Option(
      names = "--benchmark_write_rate_limit",
      paramLabel = "BYTES",
      description =
          "A second, of fills and overwrites but fillbatch, and beside readwhilewriting; default 0,"
              + " for none.")
  private String writeRate;

  @Option(
      names = "--rests",
      paramLabel = "0|1",
      description = "1: writes wait for flushes and merges time and again; default 0.")
  private String rests;

  @Option(
      names = "--writer_rate_limit",
      paramLabel = "BYTES",
      description =
          "A second, of the writer of readwhilewriting; default 0, for that of all writes.")
  private String writerRate;

  @Option(
      names = "--duration",
      paramLabel = "S",
      description = "Of each read or mix, instead of a number of operations.")
  private String duration;

  @Option(names = "--seek_nexts", paramLabel = "N", description = "After a seek; default 10.")
  private String seekNexts;

  @Option(
      names = "--readwritepercent",
      paramLabel = "N",
      description = "Reads among the operations of readrandomwriterandom; default 90.")
  private String readPercent;

  @Option(
      names = "--zipf",
      paramLabel = "EXPONENT",
      description = "Draws keys by Zipf's law; default 0, for all alike.")
  private String zipf;

  @Option(
      names = "--compression_type",
      paramLabel = "NAME",
      description = "none (the default) or lz4, of stores that have it.")
  private String compression;

  @Option(names = "--sync", paramLabel = "0|1", description = "Each write synced; default 0.")
  private String sync;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description = "Of RocksDB: modern (the default), or paper for levels of fixed sizes.")
  private String profile;

  @Option(
      names = "--bloom_bits",
      paramLabel = "N",
      description = "Of filters, for each key, 6 to 20; default 10, 0 for none.")
  private String bloomBits;

  @Option(
      names = "--merge_rate",
      paramLabel = "BYTES",
      description = "A second, of all merges of ours; default 0, for no limit.")
  private String mergeRate;

  @Option(
      names = "--later_policy",
      paramLabel = "TEXT",
      description = "What switchpolicy changes to.")
  private String laterPolicy;

  /** What was typed, by name without dashes. */
  Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    put(given, "stores", stores);
    put(given, "table_size", tableSize);
    put(given, "threads", threads);
    put(given, "benchmark_write_rate_limit", writeRate);
    put(given, "rests", rests);
    put(given, "writer_rate_limit", writerRate);
    put(given, "duration", duration);
    put(given, "seek_nexts", seekNexts);
    put(given, "readwritepercent", readPercent);
    put(given, "zipf", zipf);
    put(given, "compression_type", compression);
    put(given, "sync", sync);
    put(given, "profile", profile);
    put(given, "bloom_bits", bloomBits);
    put(given, "merge_rate", mergeRate);
    put(given, "later_policy", laterPolicy);
    return given;
  }

  private static void put(Map<String, String> given, String name, String value) {
    if (value != null) {
      given.put(name, value);
    }
  }
}
