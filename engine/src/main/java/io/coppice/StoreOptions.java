// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.codahale.metrics.MetricRegistry;
import io.coppice.base.CompactionFilter;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MergeOperator;
import io.coppice.base.NameText;
import io.coppice.base.SearchScheme;
import io.coppice.entry.Extensions;
import io.coppice.entry.StoreClock;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.HostMemory;
import io.coppice.io.ReadBatch;
import io.coppice.manifest.Catalogue;
import io.coppice.manifest.Manifest;
import io.coppice.memtable.ChunkPool;
import io.coppice.policy.CustomPolicy;
import io.coppice.policy.PolicyLimits;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.read.Searching;
import io.coppice.table.BlockCache;
import io.coppice.table.BlockCacheOptions;
import io.coppice.table.Compression;
import io.coppice.table.FilterAllocation;
import io.coppice.table.FilterOptions;
import io.coppice.table.OpenTables;
import io.coppice.table.TableOptions;
import io.coppice.write.WritePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a store is opened. Immutable; made by {@link #builder()}, which reports every wrong value at
 * once. The defaults suit a store of a few gigabytes in a JVM of a few hundred megabytes.
 *
 * <pre>{@code
 * StoreOptions options = StoreOptions.builder()
 *     .policy("split-forest,fanout=8")
 *     .memory(MemoryBudget.ofMebibytes(512))
 *     .memtableBytes(64 << 20)
 *     .durability(Durability.BUFFERED)
 *     .build();
 * }</pre>
 */
public final class StoreOptions {

  /** All stores may share it: which keys pass a filter depends on the keys in it, too. */
  private static final long FILTER_SEED = 0;

  private final PolicySpec policy;
  private final Map<String, PolicySpec> families;
  private final MemoryBudget memory;
  private final long memtableBytes;
  private final int filterBits;
  private final FilterAllocation filterAllocation;
  private final SearchScheme search;
  private final int searchWidth;
  private final long blockCacheBytes;
  private final String reader;
  private final boolean directReads;
  private final int mergeSlots;
  private final long maxTransientSpace;
  private final long mergeRate;
  private final boolean mapped;
  private final Durability durability;
  private final String name;
  private final MetricRegistry metrics;
  private final TableOptions tables;
  private final LeakTracking leakTracking;
  private final Map<String, MergeOperator> mergeOperators;
  private final Map<String, CompactionFilter> compactionFilters;
  private final LongSupplier clock;
  private final long manifestBytes;
  private final boolean jmx;
  private final long warmBytes;
  private final boolean counting;
  private final List<CustomPolicy> customPolicies;

  private StoreOptions(Builder builder, PolicySpec policy, Map<String, PolicySpec> families) {
    this.policy = policy;
    this.families = families;
    this.memory = builder.memory;
    this.memtableBytes = builder.memtableBytes;
    this.filterBits = builder.filterBits;
    this.filterAllocation = builder.allocation;
    this.search = builder.search;
    this.searchWidth = builder.searchWidth;
    this.blockCacheBytes = builder.blockCacheBytes;
    this.reader = builder.reader;
    this.directReads = builder.directReads;
    this.mergeSlots = builder.mergeSlots;
    this.maxTransientSpace = builder.maxTransientSpace;
    this.mergeRate = builder.mergeRate;
    this.mapped = builder.io.equals("mmap");
    this.durability = builder.durability;
    this.name = builder.name;
    this.metrics = builder.metrics;
    this.tables = builder.tables.with(builder.directReads);
    this.leakTracking = builder.leakTracking;
    this.customPolicies = List.copyOf(builder.customPolicies);
    this.mergeOperators = Map.copyOf(builder.mergeOperators);
    this.compactionFilters = Map.copyOf(builder.compactionFilters);
    this.clock = builder.clock;
    this.manifestBytes = builder.manifestBytes;
    this.jmx = builder.jmx;
    this.warmBytes = builder.warmBytes;
    this.counting = builder.counting;
  }

  /** Options that are all at their defaults. */
  public static StoreOptions defaults() {
    return builder().build();
  }

  /** Starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  PolicySpec policy() {
    return policy;
  }

  /**
   * Reads the text of a policy, which may be one of the application.
   *
   * @throws PolicySpecException naming every fault
   */
  PolicySpec spec(String text) {
    return PolicySpec.parse(text, PolicyLimits.ENGINE, customPolicies);
  }

  /** The policy that a family is to have, or null if it keeps its own. */
  @Nullable PolicySpec policy(String family) {
    return family.equals(Catalogue.DEFAULT_NAME) ? policy : families.get(family);
  }

  /** The families named, the default one apart, in the order in which they were. */
  Set<String> families() {
    return families.keySet();
  }

  MemoryBudget memory() {
    return memory;
  }

  long memtableBytes() {
    return memtableBytes;
  }

  FilterOptions filters() {
    return filterBits == 0
        ? FilterOptions.OFF
        : new FilterOptions(filterBits, filterAllocation, FILTER_SEED);
  }

  /** What memtables may want, in whole chunks where that is not most of the memory. */
  long memtableClaimBytes() {
    long least = Builder.MEMTABLES * memtableBytes;
    long grown = memtableBytes / WritePath.GROWTH_PART;
    long whole = least + grown + Builder.MEMTABLES * (long) ChunkPool.CHUNK_BYTES;
    return Math.max(least, Math.min(whole, memory.capacityBytes() / 2));
  }

  SearchScheme search() {
    return search;
  }

  int searchWidth() {
    return searchWidth;
  }

  BlockCacheOptions blockCache() {
    return new BlockCacheOptions(blockCacheBytes, directReads);
  }

  /** How blocks are read at once. */
  BlockReaderOptions blockReader() {
    return new BlockReaderOptions(reader, directReads, memory);
  }

  int mergeSlots() {
    return mergeSlots;
  }

  long maxTransientSpace() {
    return maxTransientSpace;
  }

  long mergeRate() {
    return mergeRate;
  }

  boolean mapped() {
    return mapped;
  }

  Durability durability() {
    return durability;
  }

  String name() {
    return name;
  }

  MetricRegistry metrics() {
    return metrics;
  }

  TableOptions tables() {
    return tables;
  }

  LeakTracking leakTracking() {
    return leakTracking;
  }

  /** What of the application decides about the entries of a family, on this clock. */
  Extensions extensions(String family, StoreClock storeClock) {
    return new Extensions(mergeOperators.get(family), compactionFilters.get(family), storeClock);
  }

  /** What combines the operands of a family, or null. */
  @Nullable MergeOperator mergeOperator(String family) {
    return mergeOperators.get(family);
  }

  /** The time of the system. */
  LongSupplier clock() {
    return clock;
  }

  long manifestBytes() {
    return manifestBytes;
  }

  /** True if the families have beans. */
  boolean jmx() {
    return jmx;
  }

  long warmBytes() {
    return warmBytes;
  }

  /** True if lookups and accepted writes are counted. */
  boolean counting() {
    return counting;
  }

  /** Gathers options; nothing is checked before {@link #build()}. Not safe to share. */
  public static final class Builder {

    /** Small enough for tests: a few dozen entries. */
    private static final long MIN_MEMTABLE_BYTES = 2 << 10;

    /** Half of what four-byte addresses in units of 8 bytes reach. */
    private static final long MAX_MEMTABLE_BYTES = 8L << 30;

    /** Of a memory that has room for them. */
    private static final long USUAL_MEMTABLE_BYTES = 32 << 20;

    private static final int MEMTABLE_SHARE = 8;

    /** As all stores of one memory share what their caches may take. */
    private static final int CACHE_SHARE = 4;

    /** One memtable being written and two being flushed. */
    static final int MEMTABLES = 3;

    private String policy = "split-forest";
    private final Map<String, String> families = new LinkedHashMap<>();
    private MemoryBudget memory = HostMemory.budgetOfProcess();

    /** Null if it follows from the memory. */
    private @Nullable Long memtableBytes;

    private int filterBits = 10;
    private String filterAllocation = "monkey";
    private FilterAllocation allocation;
    private SearchScheme search = SearchScheme.ADAPTIVE;
    private int searchWidth = Searching.DEFAULT_WIDTH;

    /** Null if it follows from the memory. */
    private @Nullable Long blockCacheBytes;

    private String reader = "auto";
    private boolean directReads;
    private int mergeSlots = 1;
    private long maxTransientSpace = Long.MAX_VALUE;
    private String compression = "none";
    private long mergeRate;
    private String io = "mmap";
    private Durability durability = Durability.SYNC;
    private String name = "coppice";
    private MetricRegistry metrics = new MetricRegistry();
    private TableOptions tables = TableOptions.DEFAULT;
    private LeakTracking leakTracking = LeakTracking.SAMPLED;
    private final List<CustomPolicy> customPolicies = new ArrayList<>();
    private final Map<String, MergeOperator> mergeOperators = new HashMap<>();
    private final Map<String, CompactionFilter> compactionFilters = new HashMap<>();
    private LongSupplier clock = StoreClock.SYSTEM;
    private long manifestBytes = Manifest.MIN_ROTATION_BYTES;
    private boolean jmx;
    private long warmBytes = OpenTables.WARM_BYTES;
    private boolean counting = true;

    private Builder() {}

    /**
     * The compaction policy of the default family as text, such as {@code
     * split-forest,fanout=8,table_size=4MiB}. Default {@code split-forest}.
     *
     * <p>With {@code adaptive} the store itself changes the option {@code rung} to follow the load
     * of the family, until it is closed: {@link Store#switches} lists what it did and why. Opened
     * again it begins with the rung of the text.
     */
    public Builder policy(String text) {
      policy = Objects.requireNonNull(text, "policy");
      return this;
    }

    /**
     * A policy of the application, which may be named by its id wherever a policy is named by text.
     * The store remembers the id, so it is to be given whenever a store is opened that has it.
     * Default: none.
     */
    public Builder customPolicy(CustomPolicy custom) {
      customPolicies.add(Objects.requireNonNull(custom, "customPolicy"));
      return this;
    }

    /**
     * A family that is to exist, and its compaction policy as text: it is created if it is missing,
     * and gets this policy if it has another. Families that are not named keep the policy they
     * have. A name has 1 to 255 bytes of UTF-8.
     */
    public Builder family(String name, String policyText) {
      families.put(
          Objects.requireNonNull(name, "name"), Objects.requireNonNull(policyText, "policyText"));
      return this;
    }

    /**
     * The ledger for all off-heap memory; may be shared by several stores. It must hold three
     * memtables, and not be larger than what the JVM lets be allocated outside the heap ({@code
     * -XX:MaxDirectMemorySize}, by default as much as the heap). Default: one that all such stores
     * of the process share, a quarter of what the largest heap leaves of the container's or
     * machine's memory, from 16 MiB up to the JVM's limit; 256 MiB where the memory is not known.
     */
    public Builder memory(MemoryBudget budget) {
      memory = Objects.requireNonNull(budget, "memory");
      return this;
    }

    /**
     * Bytes that the memtables of all families take together before they are flushed, 2 KiB to 8
     * GiB. From 8 MiB on up to a quarter more, while what they hold is synced in the log. Default
     * an eighth of the memory, but not above 32 MiB.
     */
    public Builder memtableBytes(long bytes) {
      memtableBytes = bytes;
      return this;
    }

    /**
     * Memory of filters in bits for each key of a table, 6 to 20, or 0 for no filters. Default 10,
     * of which one absent key in 256 passes. Filters of tables that were written before stay.
     */
    public Builder filterBits(int bits) {
      filterBits = bits;
      return this;
    }

    /**
     * How the runs of a family share the memory for filters: {@code uniform}, every key as much, or
     * {@code monkey}, keys of small runs more and those of large ones less, which lets the fewest
     * lookups of absent keys read a block for nothing. Default {@code monkey}.
     */
    public Builder filterAllocation(String name) {
      filterAllocation = Objects.requireNonNull(name, "filterAllocation");
      return this;
    }

    /**
     * How lookups search tables; {@link Store#search} changes it. Answers do not depend on it.
     * Default {@link SearchScheme#ADAPTIVE}.
     */
    public Builder search(SearchScheme scheme) {
      search = Objects.requireNonNull(scheme, "search");
      return this;
    }

    /**
     * Blocks that a lookup of {@link SearchScheme#FIXED_COUNT} reads at once, 1 to 64. Default 16.
     */
    public Builder searchWidth(int blocks) {
      searchWidth = blocks;
      return this;
    }

    /**
     * Bytes that the cache of blocks may take of the memory, from 64 KiB on, or 0 for none. It
     * takes them while blocks are read, and gives them back when the store is closed; all caches of
     * one memory take no more than half of it. Three memtables must fit beside it. It keeps blocks
     * that are compressed or read by system calls. With mappings and without compression, as is the
     * default, it is used only while mappings are suspended. Default a quarter of the memory, or
     * what memtables leave of it.
     */
    public Builder blockCacheBytes(long bytes) {
      blockCacheBytes = bytes;
      return this;
    }

    /**
     * What reads the blocks that a lookup wants at once: {@code ring} for Linux's io_uring, {@code
     * pool} for 16 threads, {@code serial} for none, one block after another; or {@code auto},
     * which is the default, for the first of them that works here. For {@code ring} these must be
     * on the class path: {@code io.netty:netty-transport-classes-io_uring}, and {@code
     * io.netty:netty-transport-native-io_uring} with the classifier of the machine. A store does
     * not open with {@code ring} where it does not work.
     */
    public Builder reader(String kind) {
      reader = Objects.requireNonNull(kind, "reader");
      return this;
    }

    /**
     * Whether lookups read blocks that are not in memory past the page cache of the system, where
     * the file system can, at once or one by one; cursors do so with those that they read at once.
     * That takes less of the processor, but the system then keeps nothing of them, so it pays only
     * with a block cache that is large. Blocks of new tables that are not compressed then end with
     * pages of 4 KiB, as each would else be read with parts of its neighbours: that makes tables
     * larger by half an entry a block, some 2 % for entries of 100 bytes, 7 % for 400. Default
     * false.
     */
    public Builder directReads(boolean direct) {
      directReads = direct;
      return this;
    }

    /** Merges that may run at once, 1 to 16. Default 1. */
    public Builder mergeSlots(int slots) {
      mergeSlots = slots;
      return this;
    }

    /**
     * By how many bytes merges may fill the disk at any instant beyond what they have released;
     * tables that open cursors still read stand outside it. Merges become gentler to fit, and those
     * that cannot do not start, so too little holds compaction up. Default: no limit.
     */
    public Builder maxTransientSpace(long bytes) {
      maxTransientSpace = bytes;
      return this;
    }

    /**
     * How blocks of tables are compressed: {@code none}, {@code lz4} or {@code zstd}, one for each
     * level, level 0 first, the last one counting for all levels behind it, such as {@code
     * none,none,lz4,zstd}. Of the libraries {@code at.yawk.lz4:lz4-java} and {@code
     * com.github.luben:zstd-jni} those must be on the class path whose codec is named, or in use by
     * tables written before. Default {@code none}.
     */
    public Builder compression(String codecs) {
      compression = Objects.requireNonNull(codecs, "compression");
      return this;
    }

    /**
     * Bytes a second that all merges together may write, or 0 for no limit, which is the default. A
     * merge reads about as much as it writes; flushes are not limited. A rate below what writes
     * cause holds writers back sooner or later. {@link Store#mergeRate} changes it.
     */
    public Builder mergeRate(long bytesPerSecond) {
      mergeRate = bytesPerSecond;
      return this;
    }

    /**
     * How tables are read and short writes reach a log: {@code mmap} (default), or {@code read} for
     * no mapping at all. While the kernel evicts mapped pages, {@code mmap} also reads tables by
     * system calls.
     */
    public Builder io(String kind) {
      io = Objects.requireNonNull(kind, "io");
      return this;
    }

    /** The durability of writes that name none. Default {@link Durability#SYNC}. */
    public Builder durability(Durability mode) {
      durability = Objects.requireNonNull(mode, "durability");
      return this;
    }

    /** A name for threads and messages. Default {@code coppice}. */
    public Builder name(String text) {
      name = Objects.requireNonNull(text, "name");
      return this;
    }

    /** The registry that receives the store's figures. Default: one of its own. */
    public Builder metrics(MetricRegistry registry) {
      metrics = Objects.requireNonNull(registry, "metrics");
      return this;
    }

    /**
     * Whether each family has a bean {@code io.coppice:type=Store,name=...,family=...} in the JVM's
     * own agent while the store is open: a {@link io.coppice.policy.StrategyMXBean}, which shows
     * levels, figures, decisions and first and last keys of tables, and tunes the policy live; and
     * each figure of the registry one, {@code io.coppice:type=Metrics,store=...,name=...}. No port
     * is opened, and whoever may write to the agent may tune. Stores that are open at once need
     * names of their own. Default false.
     */
    public Builder jmx(boolean beans) {
      jmx = beans;
      return this;
    }

    /** The form of tables to be written. */
    Builder tables(TableOptions form) {
      tables = form;
      return this;
    }

    /** Bytes that the manifest must have before it is written anew; tests make it short. */
    Builder manifestBytes(long bytes) {
      manifestBytes = bytes;
      return this;
    }

    /**
     * Whether lookups and accepted writes are counted and sampled. Without it figures of both stay
     * at zero and no policy adapts; benchmarks compare, to say what counting costs.
     */
    Builder counting(boolean counts) {
      counting = counts;
      return this;
    }

    /** Bytes of indexes and filters that come into memory at opening; tests make it short. */
    Builder warmBytes(long bytes) {
      warmBytes = bytes;
      return this;
    }

    /**
     * Of which cursors and snapshots the place is remembered where they were opened, to be named if
     * they are forgotten. Default {@link LeakTracking#SAMPLED}.
     */
    public Builder leakTracking(LeakTracking mode) {
      leakTracking = Objects.requireNonNull(mode, "leakTracking");
      return this;
    }

    /**
     * What combines the operands that {@code merge} writes to the default family. The store
     * remembers its name and is not opened with another; opened without one, keys with operands
     * cannot be read. Default: none.
     */
    public Builder mergeOperator(MergeOperator operator) {
      return mergeOperator(Catalogue.DEFAULT_NAME, operator);
    }

    /** As {@link #mergeOperator(MergeOperator)}, of a family, which may be created later. */
    public Builder mergeOperator(String family, MergeOperator operator) {
      FamilyNames.check(Objects.requireNonNull(family, "family"));
      mergeOperators.put(family, Objects.requireNonNull(operator, "mergeOperator"));
      return this;
    }

    /** What looks at values while tables of the default family are merged. Default: none. */
    public Builder compactionFilter(CompactionFilter filter) {
      return compactionFilter(Catalogue.DEFAULT_NAME, filter);
    }

    /** As {@link #compactionFilter(CompactionFilter)}, of a family, which may be created later. */
    public Builder compactionFilter(String family, CompactionFilter filter) {
      FamilyNames.check(Objects.requireNonNull(family, "family"));
      compactionFilters.put(family, Objects.requireNonNull(filter, "compactionFilter"));
      return this;
    }

    /** The time by which entries end, in milliseconds since 1970. For tests. */
    Builder clock(LongSupplier millis) {
      clock = millis;
      return this;
    }

    /**
     * Checks everything.
     *
     * @throws InvalidOptionsException naming every wrong option, its value and what is allowed
     */
    public StoreOptions build() {
      List<String> errors = new ArrayList<>();
      Set<String> ids = new HashSet<>(PolicySpec.policyNames());
      for (CustomPolicy custom : customPolicies) {
        if (!custom.id().matches("[a-z0-9-]{1,64}") || !ids.add(custom.id())) {
          errors.add(
              "customPolicy ("
                  + custom.id()
                  + ") must have an id of 1 to 64 characters of a-z, 0-9 and '-' that no other"
                  + " policy has");
        }
      }
      PolicySpec spec = spec("", policy, errors);
      Map<String, PolicySpec> specs = new LinkedHashMap<>();
      for (Map.Entry<String, String> family : families.entrySet()) {
        String name = family.getKey();
        String fault = FamilyNames.fault(name);
        if (fault != null) {
          errors.add(fault);
        } else if (name.equals(Catalogue.DEFAULT_NAME)) {
          errors.add(
              "family "
                  + NameText.quoted(name)
                  + " gets its policy by policy(text), not by family");
        } else {
          specs.put(
              name, spec("family " + NameText.quoted(name) + ": ", family.getValue(), errors));
        }
      }
      if (memtableBytes == null) {
        memtableBytes = Math.min(USUAL_MEMTABLE_BYTES, memory.capacityBytes() / MEMTABLE_SHARE);
      }
      range(errors, "memtableBytes", memtableBytes, MIN_MEMTABLE_BYTES, MAX_MEMTABLE_BYTES);
      if (filterBits != 0) {
        range(errors, "filterBits", filterBits, 6, 20);
      }
      allocation = FilterAllocation.parse(filterAllocation, errors);
      range(errors, "searchWidth", searchWidth, 1, ReadBatch.MAX_READS);
      long beside = memory.capacityBytes() - MEMTABLES * Math.max(0, memtableBytes);
      if (blockCacheBytes == null) {
        long usual = Math.min(beside, memory.capacityBytes() / CACHE_SHARE);
        blockCacheBytes = usual < BlockCache.MIN_BYTES ? 0 : Math.min(usual, BlockCache.MAX_BYTES);
      }
      if (blockCacheBytes != 0) {
        range(
            errors, "blockCacheBytes", blockCacheBytes, BlockCache.MIN_BYTES, BlockCache.MAX_BYTES);
      }
      range(errors, "mergeSlots", mergeSlots, 1, 16);
      range(errors, "maxTransientSpace", maxTransientSpace, 0, Long.MAX_VALUE);
      Compression codecs = Compression.parse(compression, errors);
      range(errors, "mergeRate", mergeRate, 0, Long.MAX_VALUE);
      if (!io.equals("mmap") && !io.equals("read")) {
        errors.add("io (" + io + ") must be mmap or read");
      }
      if (!BlockReaderOptions.KINDS.contains(reader)) {
        String kinds = String.join(", ", BlockReaderOptions.KINDS);
        errors.add("reader (" + reader + ") must be one of " + kinds);
      }
      if (memtableBytes > 0 && memory.capacityBytes() / MEMTABLES < memtableBytes) {
        errors.add(
            "memory ("
                + memory.capacityBytes()
                + " bytes) must hold "
                + MEMTABLES
                + " memtables of memtableBytes ("
                + memtableBytes
                + ")");
      }
      if (blockCacheBytes > 0
          && blockCacheBytes > Math.min(beside, memory.capacityBytes() / BlockCache.LEDGER_SHARE)) {
        errors.add(
            "blockCacheBytes ("
                + blockCacheBytes
                + ") must fit into half of memory ("
                + memory.capacityBytes()
                + " bytes), beside "
                + MEMTABLES
                + " memtables of memtableBytes ("
                + memtableBytes
                + ")");
      }
      long direct = HostMemory.ofProcess().directBytes();
      if (memory.capacityBytes() > direct) {
        errors.add(
            "memory ("
                + memory.capacityBytes()
                + " bytes) must not be above what the JVM lets be allocated outside the heap ("
                + direct
                + "); lower it, or raise -XX:MaxDirectMemorySize");
      }
      if (!errors.isEmpty()) {
        throw new InvalidOptionsException(errors);
      }
      tables = tables.with(codecs);
      return new StoreOptions(this, spec, Collections.unmodifiableMap(specs));
    }

    private @Nullable PolicySpec spec(String prefix, String text, List<String> errors) {
      try {
        return PolicySpec.parse(text, PolicyLimits.ENGINE, customPolicies);
      } catch (PolicySpecException e) {
        for (String error : e.errors()) {
          errors.add(prefix + error);
        }
        return null;
      }
    }

    private static void range(List<String> errors, String option, long value, long min, long max) {
      if (value < min || value > max) {
        errors.add(option + " (" + value + ") must be in " + min + ".." + max);
      }
    }
  }
}
