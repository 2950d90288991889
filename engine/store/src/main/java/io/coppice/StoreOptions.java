// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.codahale.metrics.MetricRegistry;
import io.coppice.base.CompactionFilter;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MergeOperator;
import io.coppice.base.SearchScheme;
import io.coppice.base.bytes.NameText;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.StoreClock;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.ReadBatch;
import io.coppice.io.disk.HostMemory;
import io.coppice.manifest.Manifest;
import io.coppice.memtable.ChunkPool;
import io.coppice.policy.spec.CustomPolicy;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.read.LookupContext;
import io.coppice.table.OpenTables;
import io.coppice.table.TableOptions;
import io.coppice.table.block.LevelCompression;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.cache.BlockCacheOptions;
import io.coppice.table.filter.FilterAllocation;
import io.coppice.table.filter.FilterOptions;
import io.coppice.version.ManifestState;
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
 * Immutable options of a store. {@link #builder()} makes them and reports every wrong value at
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

  /**
   * Filter seed shared by all stores. The keys that pass a filter also depend on the keys in it, so
   * one seed suffices.
   */
  private static final long FILTER_SEED = 0;

  final PolicySpec policy;
  private final Map<String, PolicySpec> families;
  final MemoryBudget memory;
  final long memtableBytes;
  private final int filterBits;
  private final FilterAllocation filterAllocation;
  final SearchScheme search;
  final int searchWidth;
  private final long blockCacheBytes;
  private final String reader;
  private final boolean directReads;
  final int compactionSlots;
  final long maxTransientSpace;
  final long compactionRate;
  final boolean mapped;
  final Durability durability;
  final String name;
  final MetricRegistry metrics;
  final TableOptions tables;
  final LeakTracking leakTracking;
  private final Map<String, MergeOperator> mergeOperators;
  private final Map<String, CompactionFilter> compactionFilters;

  /** System clock in milliseconds since 1970. */
  final LongSupplier clock;

  final long manifestBytes;

  /** Whether the families have JMX beans. */
  final boolean jmx;

  final long warmBytes;

  /** Whether lookups and accepted writes are counted. */
  final boolean counting;

  private final List<CustomPolicy> customPolicies;

  private StoreOptions(
      Builder builder,
      PolicySpec policy,
      Map<String, PolicySpec> families,
      long memtableBytes,
      long blockCacheBytes) {
    this.policy = policy;
    this.families = families;
    this.memory = builder.memory;
    this.memtableBytes = memtableBytes;
    this.filterBits = builder.filterBits;
    this.filterAllocation = builder.allocation;
    this.search = builder.search;
    this.searchWidth = builder.searchWidth;
    this.blockCacheBytes = blockCacheBytes;
    this.reader = builder.reader;
    this.directReads = builder.directReads;
    this.compactionSlots = builder.compactionSlots;
    this.maxTransientSpace = builder.maxTransientSpace;
    this.compactionRate = builder.compactionRate;
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

  /** Returns the default options. */
  public static StoreOptions defaults() {
    return builder().build();
  }

  /** Returns a builder that starts with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Parses the text of a policy, built in or of the application.
   *
   * @throws PolicySpecException if the text is malformed; it names every fault
   */
  PolicySpec spec(String text) {
    return PolicySpec.parse(text, PolicyLimits.ENGINE, customPolicies);
  }

  /** Returns the policy that the options name for a family, or null if it keeps its own. */
  @Nullable PolicySpec policy(String family) {
    return family.equals(ManifestState.DEFAULT_NAME) ? policy : families.get(family);
  }

  /**
   * Returns the names of the families that the options name, except the default one, in the order
   * of naming.
   */
  Set<String> families() {
    return families.keySet();
  }

  FilterOptions filters() {
    return filterBits == 0
        ? FilterOptions.OFF
        : new FilterOptions(filterBits, filterAllocation, FILTER_SEED);
  }

  /**
   * Returns the bytes of the memory budget that are claimed for memtables: three memtables and
   * their growth, rounded up to whole chunks unless that exceeds half of the memory.
   */
  long memtableClaimBytes() {
    long least = Builder.MEMTABLES * memtableBytes;
    long grown = memtableBytes / WritePath.GROWTH_PART;
    long whole = least + grown + Builder.MEMTABLES * (long) ChunkPool.CHUNK_BYTES;
    return Math.max(least, Math.min(whole, memory.capacityBytes() / 2));
  }

  BlockCacheOptions blockCache() {
    return new BlockCacheOptions(blockCacheBytes, directReads);
  }

  /** Returns the options of the reader of several blocks at once. */
  BlockReaderOptions blockReader() {
    return new BlockReaderOptions(reader, directReads, memory);
  }

  /** Returns the entry hooks of a family: merge operator, compaction filter and the given clock. */
  EntryHooks extensions(String family, StoreClock storeClock) {
    return new EntryHooks(mergeOperators.get(family), compactionFilters.get(family), storeClock);
  }

  /** Returns the merge operator of a family, or null. */
  @Nullable MergeOperator mergeOperator(String family) {
    return mergeOperators.get(family);
  }

  /**
   * Mutable collector of options; {@link #build()} checks all of them. Not safe to share between
   * threads.
   */
  public static final class Builder {

    /** Smallest memtable size in bytes: it holds a few dozen entries, which is enough for tests. */
    private static final long MIN_MEMTABLE_BYTES = 2 << 10;

    /**
     * Largest memtable size in bytes: half of the range of four-byte addresses in units of 8 bytes.
     */
    private static final long MAX_MEMTABLE_BYTES = 8L << 30;

    /** Default memtable size in bytes if the memory has room for it. */
    private static final long USUAL_MEMTABLE_BYTES = 32 << 20;

    private static final int MEMTABLE_SHARE = 8;

    /**
     * Divisor of the memory budget for the default size of the block cache. Stores that share a
     * budget also share its limit for caches.
     */
    private static final int CACHE_SHARE = 4;

    /** Number of memtables that the memory must hold: one being written and two being flushed. */
    static final int MEMTABLES = 3;

    private String policy = "split-forest";
    private final Map<String, String> families = new LinkedHashMap<>();
    private MemoryBudget memory = HostMemory.budgetOfProcess();

    /** Memtable size in bytes, or null to derive it from the memory. */
    private @Nullable Long memtableBytes;

    private int filterBits = 10;
    private String filterAllocation = "monkey";
    private FilterAllocation allocation;
    private SearchScheme search = SearchScheme.ADAPTIVE;
    private int searchWidth = LookupContext.DEFAULT_WIDTH;

    /** Cache size in bytes, or null to derive it from the memory. */
    private @Nullable Long blockCacheBytes;

    private String reader = "auto";
    private boolean directReads;
    private int compactionSlots = 1;
    private long maxTransientSpace = Long.MAX_VALUE;
    private String compression = "none";
    private long compactionRate;
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
     * Sets the compaction policy of the default family as text, such as {@code
     * split-forest,fanout=8,table_size=4MiB}. Default {@code split-forest}.
     *
     * <p>With {@code adaptive} the store itself changes the option {@code rung} to follow the load
     * of the family until it is closed. {@link Store#switches} lists the changes with their
     * reasons. A reopened store begins with the rung of the text.
     */
    public Builder policy(String text) {
      policy = Objects.requireNonNull(text, "policy");
      return this;
    }

    /**
     * Adds a policy of the application. Its id may be used wherever a policy is named by text. The
     * store saves the id, so each later opening of that store needs the policy too. Default: none.
     */
    public Builder customPolicy(CustomPolicy custom) {
      customPolicies.add(Objects.requireNonNull(custom, "customPolicy"));
      return this;
    }

    /**
     * Names a family and its compaction policy as text. The family is created if it is missing, and
     * gets this policy if it has another. Unnamed families keep their policies. A name has 1 to 255
     * bytes of UTF-8.
     */
    public Builder family(String name, String policyText) {
      families.put(
          Objects.requireNonNull(name, "name"), Objects.requireNonNull(policyText, "policyText"));
      return this;
    }

    /**
     * Sets the budget of all off-heap memory; several stores may share it. It must hold three
     * memtables and must not exceed the JVM's limit of off-heap allocation ({@code
     * -XX:MaxDirectMemorySize}, by default the maximum heap size). Default: one budget for all such
     * stores of the process. It is a quarter of the memory that the largest heap leaves of the
     * container or machine, from 16 MiB up to the JVM's limit. If that memory is unknown, it is 256
     * MiB.
     */
    public Builder memory(MemoryBudget budget) {
      memory = Objects.requireNonNull(budget, "memory");
      return this;
    }

    /**
     * Sets the bytes that the memtables of all families may take together before they are flushed,
     * 2 KiB to 8 GiB. From 8 MiB on they may take up to a quarter more while their content is
     * synced in the log. Default: an eighth of the memory, at most 32 MiB.
     */
    public Builder memtableBytes(long bytes) {
      memtableBytes = bytes;
      return this;
    }

    /**
     * Sets the filter memory in bits per key of a table, 6 to 20, or 0 for no filters. Default 10,
     * with a false-positive rate of one in 256. Filters of existing tables stay.
     */
    public Builder filterBits(int bits) {
      filterBits = bits;
      return this;
    }

    /**
     * Sets how the runs of a family share the filter memory. With {@code uniform} every key gets
     * the same; {@code monkey} gives keys of small runs more and keys of large runs less, which
     * minimizes useless block reads for absent keys. Default {@code monkey}.
     */
    public Builder filterAllocation(String name) {
      filterAllocation = Objects.requireNonNull(name, "filterAllocation");
      return this;
    }

    /**
     * Sets how lookups search tables; {@link Store#search} changes it. Results do not depend on it.
     * Default {@link SearchScheme#ADAPTIVE}.
     */
    public Builder search(SearchScheme scheme) {
      search = Objects.requireNonNull(scheme, "search");
      return this;
    }

    /**
     * Sets the number of blocks that a lookup of {@link SearchScheme#FIXED_COUNT} reads at once, 1
     * to 64. Default 16.
     */
    public Builder searchWidth(int blocks) {
      searchWidth = blocks;
      return this;
    }

    /**
     * Sets the bytes of the memory that the block cache may take, at least 64 KiB, or 0 for no
     * cache. It takes them as blocks are read and releases them when the store is closed. All
     * caches of one memory take at most half of it, and three memtables must fit beside this one.
     * The cache holds blocks that are compressed or read by system calls. In the default
     * configuration, with mappings and without compression, it serves only while mappings are
     * suspended. Default: a quarter of the memory, or less if memtables leave less.
     */
    public Builder blockCacheBytes(long bytes) {
      blockCacheBytes = bytes;
      return this;
    }

    /**
     * Sets how a lookup reads several blocks at once: {@code ring} uses Linux's io_uring, {@code
     * pool} 16 threads, and {@code serial} reads one block after another. The default, {@code
     * auto}, takes the first one that works on this machine. For {@code ring} the class path needs
     * {@code io.netty:netty-transport-classes-io_uring} and {@code
     * io.netty:netty-transport-native-io_uring}, the latter with the classifier of the machine. A
     * store with {@code ring} fails to open if io_uring does not work.
     */
    public Builder reader(String kind) {
      reader = Objects.requireNonNull(kind, "reader");
      return this;
    }

    /**
     * Sets whether lookups bypass the system's page cache for blocks that are not in memory, if the
     * file system supports it. It applies to single reads and to several at once; cursors bypass it
     * for blocks that they read at once. This saves processor time, but the system then caches none
     * of these blocks, so it pays only with a large block cache. Uncompressed blocks of new tables
     * are then padded to pages of 4 KiB, since a read would otherwise include parts of their
     * neighbors. The padding enlarges a table by half an entry per block: some 2 % for entries of
     * 100 bytes, 7 % for 400. Default false.
     */
    public Builder directReads(boolean direct) {
      directReads = direct;
      return this;
    }

    /** Sets how many merges may run at once, 1 to 16. Default 1. */
    public Builder compactionSlots(int slots) {
      compactionSlots = slots;
      return this;
    }

    /**
     * Limits the disk space in bytes that merges may take at any instant beyond the space they have
     * released. Tables that open cursors still read do not count. Merges take smaller steps to fit.
     * A merge that does not fit waits, so a limit that is too low stops compaction. Default: no
     * limit.
     */
    public Builder maxTransientSpace(long bytes) {
      maxTransientSpace = bytes;
      return this;
    }

    /**
     * Sets the block compression of each level, level 0 first: {@code none}, {@code lz4} or {@code
     * zstd}, such as {@code none,none,lz4,zstd}. The last one applies to all further levels. A
     * codec that is named, or used by existing tables, needs its library on the class path: {@code
     * at.yawk.lz4:lz4-java} or {@code com.github.luben:zstd-jni}. Default {@code none}.
     */
    public Builder compression(String codecs) {
      compression = Objects.requireNonNull(codecs, "compression");
      return this;
    }

    /**
     * Limits the bytes per second that all merges together may write; 0, the default, means no
     * limit. A merge reads about as many bytes as it writes; flushes are not limited. A rate too
     * low for the write load eventually slows writers down. {@link Store#compactionRate} changes
     * it.
     */
    public Builder compactionRate(long bytesPerSecond) {
      compactionRate = bytesPerSecond;
      return this;
    }

    /**
     * Sets how tables are read and short writes reach a log: {@code mmap} (default) uses memory
     * mappings, {@code read} none. While the kernel evicts mapped pages, {@code mmap} also reads
     * tables by system calls.
     */
    public Builder io(String kind) {
      io = Objects.requireNonNull(kind, "io");
      return this;
    }

    /** Sets the durability of writes that name none. Default {@link Durability#SYNC}. */
    public Builder durability(Durability mode) {
      durability = Objects.requireNonNull(mode, "durability");
      return this;
    }

    /** Sets the store's name in threads and messages. Default {@code coppice}. */
    public Builder name(String text) {
      name = Objects.requireNonNull(text, "name");
      return this;
    }

    /** Sets the registry that receives the store's metrics. Default: a registry of its own. */
    public Builder metrics(MetricRegistry registry) {
      metrics = Objects.requireNonNull(registry, "metrics");
      return this;
    }

    /**
     * Sets whether the open store registers beans with the JVM's own agent. Each family has one,
     * {@code io.coppice:type=Store,name=...,family=...}, a {@link
     * io.coppice.policy.observe.StrategyMXBean}: it shows levels, metrics, decisions, and first and
     * last keys of tables, and tunes the policy live. Each metric of the registry has one, {@code
     * io.coppice:type=Metrics,store=...,name=...}. No port is opened; anyone with write access to
     * the agent may tune. Stores open at the same time need different names. Default false.
     */
    public Builder jmx(boolean beans) {
      jmx = beans;
      return this;
    }

    /** Sets the format options of new tables. */
    Builder tables(TableOptions form) {
      tables = form;
      return this;
    }

    /** Sets the size in bytes that triggers a rewrite of the manifest; tests make it small. */
    Builder manifestBytes(long bytes) {
      manifestBytes = bytes;
      return this;
    }

    /**
     * Sets whether lookups and accepted writes are counted and sampled. Without it, metrics of both
     * stay at zero and policies stop adapting. Benchmarks use it to measure the cost of counting.
     */
    Builder counting(boolean counts) {
      counting = counts;
      return this;
    }

    /**
     * Sets the bytes of indexes and filters that opening loads into memory; tests make it small.
     */
    Builder warmBytes(long bytes) {
      warmBytes = bytes;
      return this;
    }

    /**
     * Selects the cursors and snapshots whose place of opening is recorded, so that the warning
     * about a forgotten one can name it. Default {@link LeakTracking#SAMPLED}.
     */
    public Builder leakTracking(LeakTracking mode) {
      leakTracking = Objects.requireNonNull(mode, "leakTracking");
      return this;
    }

    /**
     * Sets the merge operator of the default family, which combines the operands that {@code merge}
     * writes. The store saves its name and refuses to open with another. Without an operator, reads
     * of keys with operands fail. Default: none.
     */
    public Builder mergeOperator(MergeOperator operator) {
      return mergeOperator(ManifestState.DEFAULT_NAME, operator);
    }

    /**
     * Sets the merge operator of a family, which may be created later; see {@link
     * #mergeOperator(MergeOperator)}.
     */
    public Builder mergeOperator(String family, MergeOperator operator) {
      FamilyNames.check(Objects.requireNonNull(family, "family"));
      mergeOperators.put(family, Objects.requireNonNull(operator, "mergeOperator"));
      return this;
    }

    /**
     * Sets the filter that inspects values while tables of the default family are merged. Default:
     * none.
     */
    public Builder compactionFilter(CompactionFilter filter) {
      return compactionFilter(ManifestState.DEFAULT_NAME, filter);
    }

    /**
     * Sets the compaction filter of a family, which may be created later; see {@link
     * #compactionFilter(CompactionFilter)}.
     */
    public Builder compactionFilter(String family, CompactionFilter filter) {
      FamilyNames.check(Objects.requireNonNull(family, "family"));
      compactionFilters.put(family, Objects.requireNonNull(filter, "compactionFilter"));
      return this;
    }

    /** Sets the clock for the expiry of entries, in milliseconds since 1970. For tests. */
    Builder clock(LongSupplier millis) {
      clock = millis;
      return this;
    }

    /**
     * Checks every option and returns the options. The builder stays as it is and may build again.
     *
     * @throws InvalidOptionsException naming every wrong option, its value and the allowed values
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
        } else if (name.equals(ManifestState.DEFAULT_NAME)) {
          errors.add(
              "family "
                  + NameText.quoted(name)
                  + " gets its policy by policy(text), not by family");
        } else {
          specs.put(
              name, spec("family " + NameText.quoted(name) + ": ", family.getValue(), errors));
        }
      }
      long memtable =
          memtableBytes != null
              ? memtableBytes
              : Math.min(USUAL_MEMTABLE_BYTES, memory.capacityBytes() / MEMTABLE_SHARE);
      range(errors, "memtableBytes", memtable, MIN_MEMTABLE_BYTES, MAX_MEMTABLE_BYTES);
      if (filterBits != 0) {
        range(errors, "filterBits", filterBits, 6, 20);
      }
      allocation = FilterAllocation.parse(filterAllocation, errors);
      range(errors, "searchWidth", searchWidth, 1, ReadBatch.MAX_READS);
      long beside = memory.capacityBytes() - MEMTABLES * Math.max(0, memtable);
      long cache = blockCacheBytes != null ? blockCacheBytes : usualCacheBytes(beside);
      if (cache != 0) {
        range(errors, "blockCacheBytes", cache, BlockCache.MIN_BYTES, BlockCache.MAX_BYTES);
      }
      range(errors, "compactionSlots", compactionSlots, 1, 16);
      range(errors, "maxTransientSpace", maxTransientSpace, 0, Long.MAX_VALUE);
      LevelCompression codecs = LevelCompression.parse(compression, errors);
      range(errors, "compactionRate", compactionRate, 0, Long.MAX_VALUE);
      if (!io.equals("mmap") && !io.equals("read")) {
        errors.add("io (" + io + ") must be mmap or read");
      }
      if (!BlockReaderOptions.KINDS.contains(reader)) {
        String kinds = String.join(", ", BlockReaderOptions.KINDS);
        errors.add("reader (" + reader + ") must be one of " + kinds);
      }
      if (memtable > 0 && memory.capacityBytes() / MEMTABLES < memtable) {
        errors.add(
            "memory (%s bytes) must hold %s memtables of memtableBytes (%s)"
                .formatted(memory.capacityBytes(), MEMTABLES, memtable));
      }
      if (cache > 0 && cache > Math.min(beside, memory.capacityBytes() / BlockCache.BUDGET_SHARE)) {
        errors.add(
            String.format(
                "blockCacheBytes (%s) must fit into half of memory (%s bytes), beside %s"
                    + " memtables of memtableBytes (%s)",
                cache, memory.capacityBytes(), MEMTABLES, memtable));
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
      return new StoreOptions(this, spec, Collections.unmodifiableMap(specs), memtable, cache);
    }

    /** Returns the cache size of a memory that has the given bytes beside its memtables. */
    private long usualCacheBytes(long beside) {
      long usual = Math.min(beside, memory.capacityBytes() / CACHE_SHARE);
      return usual < BlockCache.MIN_BYTES ? 0 : Math.min(usual, BlockCache.MAX_BYTES);
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
