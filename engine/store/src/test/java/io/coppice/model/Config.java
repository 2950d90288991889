// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;

/**
 * How a store is opened and driven for a load. Its text is {@code field=value} separated by blanks;
 * fields at their defaults may be left out.
 *
 * @param policy the compaction policy with its options
 * @param memtable bytes of a memtable
 * @param filter bits of filters; 0 for none
 * @param cache bytes of the block cache; 0 for none
 * @param slots merges at once; 0 if nothing runs but when the load or {@code every} says so
 * @param io memory, mmap or read; the last two on a real disk
 * @param search the scheme of lookups in small letters, or any for one after the other
 * @param reader auto for what the disk has, or shuffled for blocks that come in any order
 * @param block bytes of a block
 * @param restart entries between restart points
 * @param threads whether threads do the background work, and not the seed
 * @param room tables of transient space; 0 for no limit
 * @param families the load goes to the last of so many; the others count its batches
 * @param codecs of the levels, as the options of a store name them
 * @param cold whether indexes and filters come into memory only when their table is read
 * @param every operations between some background steps, on average; of writes between two plans,
 *     if slots is 0
 * @param extra what happens now and then beside the load and must not show: none, flush, compact,
 *     step, reopen, crash (all synced before), kill, or switch, which turns the rung of an adaptive
 *     policy
 * @param odds operations between two extras, on average
 * @param seed of what the configuration draws
 */
public record Config(
    String policy,
    int memtable,
    int filter,
    int cache,
    int slots,
    String io,
    String search,
    String reader,
    int block,
    int restart,
    boolean threads,
    int room,
    int families,
    String codecs,
    boolean cold,
    int every,
    String extra,
    int odds,
    long seed) {

  /** One of so many drawn configurations follows its load. */
  private static final int ADAPTIVE_EACH = 8;

  /** Values of the option {@code rung}. */
  public static final int RUNGS = 7;

  /** What other configurations are extremes of. */
  public static final Config DEFAULT =
      new Config(
          "split-forest,table_size=4KiB",
          16 << 10,
          10,
          0,
          0,
          "memory",
          "adaptive",
          "auto",
          1024,
          16,
          false,
          0,
          1,
          "none",
          false,
          8,
          "none",
          1000,
          0);

  private static final List<String> SEARCHES =
      List.of("serial", "fixed_count", "priority_aware", "adaptive", "any");

  private static final List<String> CODECS =
      List.of("none", "lz4", "zstd", "none,lz4", "lz4,none,zstd", "none,none,lz4,zstd");

  private static final List<String> POLICIES =
      List.of(
          "split-forest,fanout=2",
          "leveled,fanout=2,l0_trigger=2",
          "tiered,trigger=3",
          "delayed,fanout=2,l0_trigger=2,base_size=16KiB,vct=8,vsmt=2",
          "grouped,groups=2",
          "lazy-binomial,k=2");

  /** After the default. */
  private static final List<String> EXTREMES =
      List.of(
          "policy=split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
          "policy=split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1000",
          "policy=split-forest,fanout=32,table_size=4KiB",
          "policy=leveled,fanout=2,l0_trigger=1,base_size=4KiB,table_size=4KiB,cleaning_threshold=1",
          "policy=leveled,fanout=2,l0_trigger=2,base_size=16KiB,table_size=4KiB,cleaning_threshold=1000",
          "policy=leveled,fanout=32,l0_trigger=16,table_size=64KiB",
          "policy=tiered,trigger=2,table_size=4KiB,cleaning_threshold=1",
          "policy=tiered,trigger=3,size_ratio=0,min_merge_width=2,max_merge_width=2,table_size=4KiB,cleaning_threshold=1000",
          "policy=tiered,trigger=16,max_size_amplification_percent=0,table_size=8KiB",
          "policy=delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=8,vsmt=2,cleaning_threshold=1",
          "policy=delayed,fanout=2,l0_trigger=2,base_size=16KiB,table_size=4KiB,vct=64,vsmt=64,max_pinned_ratio=100,cleaning_threshold=1",
          "policy=delayed,fanout=4,l0_trigger=4,base_size=32KiB,table_size=4KiB,vct=12,vsmt=5,max_pinned_ratio=0,cleaning_threshold=1000",
          "policy=grouped,groups=2,table_size=4KiB,cleaning_threshold=1",
          "policy=grouped,groups=3,last_level_leveled=true,table_size=4KiB,cleaning_threshold=1000",
          "policy=lazy-binomial,k=1,x=0,table_size=4KiB,cleaning_threshold=1",
          "policy=lazy-binomial,k=3,x=0.25,table_size=4KiB,cleaning_threshold=1000",
          "memtable=2048",
          "memtable=1048576",
          "block=32 restart=1",
          "block=65536 restart=128 policy=leveled,fanout=2,l0_trigger=2,table_size=4KiB",
          "filter=0",
          "filter=20 policy=leveled,fanout=3,l0_trigger=2,table_size=4KiB",
          "cache=65536",
          "cache=65536 block=32 restart=1 policy=tiered,trigger=4,table_size=16KiB",
          "cache=262144 block=4096 filter=0 policy=leveled,fanout=4,l0_trigger=2,table_size=64KiB",
          "cache=65536 threads=true slots=2 memtable=4096"
              + " policy=split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
          "io=mmap memtable=65536",
          "io=read memtable=65536 cache=65536 policy=leveled,fanout=4,l0_trigger=2,table_size=16KiB",
          "search=serial policy=leveled,fanout=4,l0_trigger=4,table_size=4KiB",
          "search=fixed_count reader=shuffled filter=0 policy=split-forest,fanout=2,table_size=4KiB",
          "search=priority_aware reader=shuffled filter=0"
              + " policy=leveled,fanout=2,l0_trigger=4,table_size=4KiB",
          "search=any reader=shuffled memtable=4096 policy=tiered,trigger=8,table_size=4KiB",
          "reader=shuffled memtable=4096 filter=6"
              + " policy=delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=8,vsmt=2",
          "reader=shuffled io=mmap memtable=65536",
          "slots=1 every=4 memtable=4096"
              + " policy=leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1",
          "slots=4 every=2 memtable=4096"
              + " policy=split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
          "slots=2 threads=true memtable=4096"
              + " policy=tiered,trigger=2,table_size=4KiB,cleaning_threshold=1",
          "room=64 memtable=4096"
              + " policy=leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=10",
          "families=2 policy=split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
          "families=3 memtable=4096 extra=crash odds=300"
              + " policy=leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1",
          "codecs=lz4 policy=leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1",
          "codecs=none,lz4,zstd cache=65536"
              + " policy=leveled,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB",
          "every=1 extra=step odds=3",
          "every=100",
          "extra=flush odds=20"
              + " policy=delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=8,vsmt=2",
          "extra=compact odds=200",
          "extra=reopen odds=300 policy=leveled,fanout=2,l0_trigger=2,table_size=4KiB",
          "extra=crash odds=300",
          "cold=true extra=reopen odds=50 memtable=4096"
              + " policy=delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=8,vsmt=2",
          "cold=true extra=crash odds=100 memtable=4096 filter=6 reader=shuffled"
              + " policy=split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
          "extra=kill odds=300 policy=tiered,trigger=3,table_size=4KiB,cleaning_threshold=1",
          "policy=adaptive,rung=3,window=1,dwell=1,table_size=4KiB,cleaning_threshold=1"
              + " extra=switch odds=40 memtable=4096",
          "slots=2 every=2 memtable=2048 extra=switch odds=100"
              + " policy=adaptive,rung=6,window=1,dwell=1,min_gain=0,max_switch_ratio=0.1,table_size=4KiB",
          "slots=2 threads=true memtable=4096 extra=switch odds=20"
              + " policy=adaptive,rung=0,window=1,dwell=1,max_switch_ratio=0,table_size=4KiB",
          "slots=2 memtable=4096 extra=switch odds=40"
              + " policy=adaptive,shards=6306,window=1,dwell=1,table_size=4KiB",
          "memtable=2048 extra=kill odds=300"
              + " policy=adaptive,shards=36,window=1,dwell=1,table_size=4KiB");

  /** The default and the extremes. */
  public static List<Config> extremes() {
    List<Config> all = new ArrayList<>();
    all.add(DEFAULT);
    EXTREMES.forEach(text -> all.add(parse(text)));
    return all;
  }

  /** A configuration in memory, drawn. */
  public static Config random(long seed) {
    Random random = new Random(seed);
    String policy = randomPolicy(random);
    if (Math.floorMod(seed, ADAPTIVE_EACH) == 0) {
      long rung = Math.floorMod(seed / ADAPTIVE_EACH, RUNGS);
      policy = "adaptive,window=1,dwell=1,rung=" + rung;
      if (Math.floorMod(seed / ADAPTIVE_EACH / RUNGS, 2) == 1) {
        policy += ",shards=" + rung + (rung + 3) % RUNGS + (rung + 5) % RUNGS;
      }
    }
    policy += ",table_size=" + (4 << random.nextInt(4)) + "KiB";
    policy += ",cleaning_threshold=" + List.of(1, 2, 10, 1000).get(random.nextInt(4));
    int slots = random.nextInt(3);
    String extra =
        random.nextInt(3) > 0
            ? "none"
            : List.of("flush", "compact", "step", "reopen", "crash", "kill").get(random.nextInt(6));
    int memtable = 2048 << random.nextInt(7);
    int filter = List.of(0, 6, 10, 20).get(random.nextInt(4));
    int block = 32 << random.nextInt(9);
    int restart = 1 << random.nextInt(6);
    int every = 1 << random.nextInt(6);
    // Drawn last, so that the other draws of a seed stay what they were.
    int cache = List.of(0, 1 << 16, 1 << 16, 1 << 20).get(random.nextInt(4));
    String search = SEARCHES.get(random.nextInt(SEARCHES.size()));
    String reader = random.nextInt(3) == 0 ? "auto" : "shuffled";
    int families = Math.max(1, random.nextInt(6) - 2);
    String codecs = CODECS.get(Math.max(0, random.nextInt(2 * CODECS.size()) - CODECS.size()));
    boolean cold = random.nextInt(3) == 0;
    return new Config(
        policy,
        memtable,
        filter,
        cache,
        slots,
        "memory",
        search,
        reader,
        block,
        restart,
        false,
        0,
        families,
        codecs,
        cold,
        every,
        extra,
        List.of("compact", "reopen", "crash", "kill").contains(extra) ? 400 : 20,
        seed);
  }

  private static String randomPolicy(Random random) {
    int two = 2 + random.nextInt(3);
    int base = 8 << random.nextInt(3);
    return switch (random.nextInt(6)) {
      case 0 -> "split-forest,fanout=" + two;
      case 1 ->
          "leveled,fanout="
              + two
              + ",l0_trigger="
              + random.nextInt(1, 5)
              + ",base_size="
              + base
              + "KiB";
      case 2 -> "tiered,trigger=" + two + ",size_ratio=" + 50 * random.nextInt(3);
      case 3 ->
          "delayed,fanout="
              + two
              + ",l0_trigger="
              + random.nextInt(1, 5)
              + ",base_size="
              + base
              + "KiB,vct="
              + random.nextInt(20)
              + ",vsmt="
              + random.nextInt(2, 10)
              + ",max_pinned_ratio="
              + random.nextInt(3);
      case 4 -> "grouped,groups=" + two + ",last_level_leveled=" + random.nextBoolean();
      default -> "lazy-binomial,k=" + random.nextInt(1, 5) + ",x=" + 0.25 * random.nextInt(4);
    };
  }

  /** The policy to change to, with the table size and threshold of this configuration. */
  public String otherPolicy(long number) {
    StringBuilder text = new StringBuilder(POLICIES.get(Math.floorMod(number, POLICIES.size())));
    for (String option : policy.split(",")) {
      if (option.startsWith("table_size=") || option.startsWith("cleaning_threshold=")) {
        text.append(',').append(option);
      }
    }
    return text.toString();
  }

  /** The same with a codec for all levels, or several. */
  public Config withCodec(long number) {
    Map<String, String> fields = fields();
    fields.put("codecs", CODECS.get((int) Math.floorMod(number, (long) CODECS.size())));
    return of(fields);
  }

  /** Other options on the same disk, as may be given when a store is opened again. */
  public Config reopenedWith(long drawn) {
    Config other = random(drawn);
    return new Config(
        other.policy,
        other.memtable,
        other.filter,
        other.cache,
        slots == 0 ? 0 : other.slots,
        io,
        other.search,
        other.reader,
        other.block,
        other.restart,
        threads,
        room,
        families,
        other.codecs,
        other.cold,
        every,
        extra,
        odds,
        seed);
  }

  /** The value of each field as text. */
  Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    for (RecordComponent component : Config.class.getRecordComponents()) {
      try {
        fields.put(component.getName(), String.valueOf(component.getAccessor().invoke(this)));
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }
    return fields;
  }

  /** Reads what {@link #toString} writes. */
  public static Config parse(String text) {
    Map<String, String> fields =
        DEFAULT == null ? new LinkedHashMap<>() : new LinkedHashMap<>(DEFAULT.fields());
    Arrays.stream(text.trim().split("\\s+"))
        .filter(word -> !word.isEmpty())
        .forEach(word -> set(fields, word));
    return of(fields);
  }

  private static void set(Map<String, String> fields, String word) {
    int equals = word.indexOf('=');
    String name = word.substring(0, Math.max(0, equals));
    if (fields.replace(name, word.substring(equals + 1)) == null) {
      throw new IllegalArgumentException("no field of a configuration: " + word);
    }
  }

  static Config of(Map<String, String> fields) {
    return new Config(
        fields.get("policy"),
        integer(fields, "memtable"),
        integer(fields, "filter"),
        integer(fields, "cache"),
        integer(fields, "slots"),
        fields.get("io"),
        fields.get("search"),
        fields.get("reader"),
        integer(fields, "block"),
        integer(fields, "restart"),
        Boolean.parseBoolean(fields.get("threads")),
        integer(fields, "room"),
        integer(fields, "families"),
        fields.get("codecs"),
        Boolean.parseBoolean(fields.get("cold")),
        integer(fields, "every"),
        fields.get("extra"),
        integer(fields, "odds"),
        Long.parseLong(fields.get("seed")));
  }

  private static int integer(Map<String, String> fields, String name) {
    return Integer.parseInt(fields.get(name));
  }

  /** Only the fields that are not at their defaults. */
  @Override
  public String toString() {
    Map<String, String> usual = DEFAULT == null ? Map.of() : DEFAULT.fields();
    StringJoiner text = new StringJoiner(" ");
    fields()
        .forEach(
            (name, value) -> {
              if (!value.equals(usual.get(name))) {
                text.add(name + "=" + value);
              }
            });
    return text.toString();
  }
}
