// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.DiskOp.Kind;
import io.coppice.io.MemDisk.Stored;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * What a disk and its system know after some of the operations of a trace: of each file the durable
 * bytes and the operations since its last sync, of each name the files that it stood for since the
 * directory was last synced. From that follows every content that a loss of power may leave:
 *
 * <ul>
 *   <li>Each name stands for one of those files, each chosen apart from the others.
 *   <li>Of the pending operations of a file some first ones count; of those that overwrite bytes,
 *       or cut them off, each sector shows a version between the durable and the newest one, zeros
 *       where there was none; the length lies between the durable and the newest one, at any byte,
 *       or was the file's after one of those that cut it.
 *   <li>Or the end of the file, from a sector behind the durable bytes on, is garbage: random bytes
 *       or those of another file. The first sector is never another file's: that would be a file
 *       under a wrong name, which is damage.
 * </ul>
 *
 * Not safe to share between threads.
 */
public final class DiskImage {

  private static final int SECTOR_BYTES = MemDisk.SECTOR_BYTES;
  private static final String RESERVE = FileKind.RESERVE.fileName(0);
  private static final String FILTERS = FileKind.FILTERS.fileName(0);

  /**
   * What a loss of power left.
   *
   * @param files all files
   * @param torn true if an operation is there in part
   * @param hash of names and bytes
   * @param core as the hash, but for the filters, which are made anew, and the reserve, which
   *     nobody reads
   */
  public record State(Map<String, Stored> files, boolean torn, long hash, long core) {}

  /** A file under whatever names it has. */
  private static final class Content {
    byte[] durable;
    int length;
    final List<DiskOp> pending = new ArrayList<>();

    /** When each of them was done. */
    final List<Integer> indexes = new ArrayList<>();

    long hash;
    boolean hashed;

    Content(byte[] durable, int length) {
      this.durable = durable;
      this.length = length;
    }

    Stored durableOnly() {
      return new Stored(durable, length);
    }
  }

  /** From an operation on a name stood for a file, or for none. */
  private record Named(int index, Content content) {}

  private final Map<Integer, Content> contents = new HashMap<>();
  private final TreeMap<String, Content> names = new TreeMap<>();
  private final TreeMap<String, Content> durableNames = new TreeMap<>();

  /**
   * Of names that changed since the last sync of the directory, all they stood for, oldest first.
   */
  private final TreeMap<String, List<Named>> histories = new TreeMap<>();

  private int applied;

  /** A disk on which these files are durable. */
  public DiskImage(Map<String, Stored> files) {
    for (String name : ordered(files.keySet())) {
      Stored stored = files.get(name);
      Content content = new Content(stored.array(), stored.length());
      contents.put(contents.size(), content);
      names.put(name, content);
      durableNames.put(name, content);
    }
  }

  /** The order in which files that are there from the start are numbered. */
  static Iterable<String> ordered(Iterable<String> names) {
    TreeSet<String> sorted = new TreeSet<>();
    names.forEach(sorted::add);
    return sorted;
  }

  /** How many operations are applied. */
  public int applied() {
    return applied;
  }

  /** Goes on by one operation. */
  public void apply(DiskOp op) {
    Content own = contents.get(op.file());
    switch (op.kind()) {
      case CREATE -> {
        Content content = new Content(new byte[0], 0);
        contents.put(op.file(), content);
        name(op.name(), content);
      }
      case OPEN, KEEP_ASIDE -> {
        // Nothing happens to the names and bytes that are seen.
      }
      case WRITE, TRUNCATE -> {
        if (own != null) {
          own.pending.add(op);
          own.indexes.add(applied);
        }
      }
      case SYNC -> {
        if (own != null) {
          sync(own);
        }
      }
      case RENAME -> {
        name(op.other(), contents.get(op.file()));
        name(op.name(), null);
      }
      case DELETE -> name(op.name(), null);
      case SYNC_DIRECTORY -> {
        durableNames.clear();
        durableNames.putAll(names);
        histories.clear();
        contents.values().retainAll(new HashSet<>(durableNames.values()));
      }
    }
    applied++;
  }

  private void name(String name, Content content) {
    histories
        .computeIfAbsent(name, x -> new ArrayList<>(List.of(new Named(-1, durableNames.get(x)))))
        .add(new Named(applied, content));
    put(names, name, content);
  }

  private static void sync(Content content) {
    Stored whole = whole(content, content.pending.size());
    content.durable = whole.array();
    content.length = whole.length();
    content.pending.clear();
    content.indexes.clear();
    content.hashed = false;
  }

  /** What is found if nothing but what is durable is there. */
  public State allLost() {
    return state(durableNames, Content::durableOnly, false);
  }

  /** What is found if everything is there. */
  public State allKept() {
    return state(names, content -> whole(content, content.pending.size()), false);
  }

  /** What is found if everything is there that happened before an operation, and nothing after. */
  public State prefix(int operations) {
    TreeMap<String, Content> then = new TreeMap<>(durableNames);
    histories.forEach(
        (name, history) -> {
          int i = history.size() - 1;
          while (history.get(i).index >= operations) {
            i--;
          }
          put(then, name, history.get(i).content);
        });
    return state(
        then,
        content -> {
          int count = 0;
          while (count < content.pending.size() && content.indexes.get(count) < operations) {
            count++;
          }
          return whole(content, count);
        },
        false);
  }

  private static void put(Map<String, Content> names, String name, Content content) {
    if (content == null) {
      names.remove(name);
    } else {
      names.put(name, content);
    }
  }

  /** What is found if of all that is not durable some is there. */
  public State random(Random random) {
    TreeMap<String, Content> found = someNames(random);
    boolean usual = random.nextInt(4) != 0;
    return state(
        found,
        content -> {
          boolean aside = content == names.get(RESERVE) || (usual && content == names.get(FILTERS));
          return aside && random.nextInt(8) != 0
              ? whole(content, content.pending.size())
              : some(content, random);
        },
        true);
  }

  /**
   * What is found if an operation, which is not applied yet, is there in part; what is pending
   * besides is there or not.
   *
   * @return null if it is done in whole or not at all
   */
  public State torn(DiskOp op, Random random) {
    boolean others = random.nextBoolean();
    TreeMap<String, Content> found = others ? names : durableNames;
    Content own = contents.get(op.file());
    if (own == null && op.kind() != Kind.SYNC_DIRECTORY) {
      return null;
    }
    switch (op.kind()) {
      case WRITE -> {
        if (op.bytes().length < 2) {
          return null;
        }
        found = new TreeMap<>(found);
        put(found, op.name(), own);
        int keep = 1 + random.nextInt(op.bytes().length - 1);
        return state(
            found,
            content ->
                content == own
                    ? partly(content, op, keep, random.nextInt(3))
                    : others ? whole(content, content.pending.size()) : content.durableOnly(),
            true);
      }
      case SYNC -> {
        if (own.pending.isEmpty()) {
          return null;
        }
        found = new TreeMap<>(found);
        put(found, op.name(), own);
        return state(
            found,
            content ->
                content == own
                    ? some(content, random)
                    : others ? whole(content, content.pending.size()) : content.durableOnly(),
            true);
      }
      case SYNC_DIRECTORY, RENAME -> {
        if (op.kind() == Kind.SYNC_DIRECTORY && histories.size() < 2) {
          return null;
        }
        return state(
            op.kind() == Kind.RENAME ? halfRenamed(op, random) : someNames(random),
            content -> others ? whole(content, content.pending.size()) : content.durableOnly(),
            true);
      }
      default -> {
        return null;
      }
    }
  }

  /** The new name is there and the old one still too. */
  private TreeMap<String, Content> halfRenamed(DiskOp op, Random random) {
    TreeMap<String, Content> found = someNames(random);
    Content content = contents.get(op.file());
    found.put(op.other(), content);
    found.put(op.name(), content);
    return found;
  }

  private TreeMap<String, Content> someNames(Random random) {
    TreeMap<String, Content> found = new TreeMap<>(durableNames);
    histories.forEach(
        (name, history) -> {
          put(found, name, history.get(random.nextInt(history.size())).content);
        });
    return found;
  }

  private interface Choice {
    Stored of(Content content);
  }

  private State state(Map<String, Content> found, Choice choice, boolean torn) {
    Map<String, Stored> files = new TreeMap<>();
    long hash = 0;
    long core = 0;
    Map<Content, Stored> chosen = new HashMap<>();
    for (Map.Entry<String, Content> entry : found.entrySet()) {
      Content content = entry.getValue();
      Stored stored = chosen.get(content);
      if (stored == null) {
        stored = choice.of(content);
        chosen.put(content, stored);
      }
      String name = entry.getKey();
      files.put(name, stored);
      long own = mix(name.hashCode());
      if (name.equals(RESERVE)) {
        hash += own + (stored.length() == 0 ? 0 : 1);
      } else if (name.equals(FILTERS)) {
        hash += mix(own + hash(content, stored));
      } else {
        core += mix(own + hash(content, stored));
      }
    }
    return new State(files, torn, mix(hash + core), mix(core));
  }

  private static long hash(Content content, Stored stored) {
    if (stored.array() != content.durable || stored.length() != content.length) {
      return hash(stored);
    }
    if (!content.hashed) {
      content.hash = hash(stored);
      content.hashed = true;
    }
    return content.hash;
  }

  private static long hash(Stored stored) {
    CRC32 one = new CRC32();
    CRC32C other = new CRC32C();
    one.update(stored.array(), 0, stored.length());
    other.update(stored.array(), 0, stored.length());
    return mix(one.getValue() << 32 | other.getValue()) + stored.length();
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** The file after the first so many pending operations. */
  private static Stored whole(Content content, int count) {
    if (count == 0) {
      return content.durableOnly();
    }
    int length = content.length;
    int greatest = length;
    for (int i = 0; i < count; i++) {
      length = lengthAfter(content.pending.get(i), length);
      greatest = Math.max(greatest, length);
    }
    byte[] bytes = Arrays.copyOf(content.durable, greatest);
    Arrays.fill(bytes, content.length, greatest, (byte) 0);
    int end = content.length;
    for (int i = 0; i < count; i++) {
      DiskOp op = content.pending.get(i);
      end = perform(op, bytes, end);
    }
    return new Stored(bytes, end);
  }

  private static int lengthAfter(DiskOp op, int length) {
    return op.kind() == Kind.TRUNCATE
        ? (int) op.position()
        : Math.max(length, (int) op.position() + op.bytes().length);
  }

  private static int perform(DiskOp op, byte[] bytes, int end) {
    int position = (int) op.position();
    if (op.kind() == Kind.TRUNCATE) {
      Arrays.fill(bytes, position, Math.max(position, end), (byte) 0);
      return position;
    }
    System.arraycopy(op.bytes(), 0, bytes, position, op.bytes().length);
    return Math.max(end, position + op.bytes().length);
  }

  /**
   * All that is pending, and of one more write its first bytes, or its last, or its first sector.
   */
  private static Stored partly(Content content, DiskOp op, int keep, int manner) {
    Stored before = whole(content, content.pending.size());
    int from = (int) op.position();
    int end = from + op.bytes().length;
    boolean tail = manner == 1 && end / SECTOR_BYTES > from / SECTOR_BYTES;
    int length = Math.max(before.length(), tail ? end : from + keep);
    byte[] bytes = Arrays.copyOf(before.array(), length);
    Arrays.fill(bytes, before.length(), length, (byte) 0);
    if (tail) {
      int start = (from / SECTOR_BYTES + 1) * SECTOR_BYTES;
      System.arraycopy(op.bytes(), start - from, bytes, start, end - start);
    } else {
      System.arraycopy(op.bytes(), 0, bytes, from, keep);
    }
    return new Stored(bytes, length);
  }

  /** A content that a loss of power may leave. */
  private Stored some(Content content, Random random) {
    if (content.pending.isEmpty()) {
      return content.durableOnly();
    }
    return switch (random.nextInt(8)) {
      case 0 -> content.durableOnly();
      case 1 -> whole(content, content.pending.size());
      case 2 -> whole(content, random.nextInt(content.pending.size() + 1));
      case 3 -> garbage(content, random);
      case 4, 5 -> cut(whole(content, content.pending.size()), content.length, random);
      default -> sectors(content, random);
    };
  }

  private static Stored cut(Stored whole, int durable, Random random) {
    int least = Math.min(whole.length(), durable);
    int length = least + random.nextInt(whole.length() - least + 1);
    if (random.nextBoolean()) {
      length = Math.max(least, length - length % SECTOR_BYTES);
    }
    return new Stored(whole.array(), length);
  }

  /** The end is not what was written; all that was durable is. */
  private Stored garbage(Content content, Random random) {
    Stored whole = whole(content, content.pending.size());
    int least = content.length;
    for (DiskOp op : content.pending) {
      if (op.position() < content.length) {
        return whole;
      }
    }
    int firstSector = (least + SECTOR_BYTES - 1) / SECTOR_BYTES;
    int sectors = (whole.length() + SECTOR_BYTES - 1) / SECTOR_BYTES - firstSector;
    if (sectors <= 0) {
      return whole;
    }
    byte[] bytes = Arrays.copyOf(whole.array(), whole.length());
    int from = (firstSector + random.nextInt(sectors)) * SECTOR_BYTES;
    SplittableRandom filler = new SplittableRandom(random.nextLong());
    Stored other = from > 0 && random.nextBoolean() ? other(content, random) : null;
    for (int i = from; i < bytes.length; i++) {
      bytes[i] =
          other == null || other.length() == 0
              ? (byte) filler.nextInt()
              : other.array()[i % other.length()];
    }
    if (bitsApart(bytes, whole.array(), from) == 1) {
      // The formats take that for a failing disk, not for a stop; a second bit decides it.
      bytes[from] ^= (byte) (bytes[from] == whole.array()[from] ? 1 : 0xFF);
    }
    return new Stored(bytes);
  }

  private static int bitsApart(byte[] a, byte[] b, int from) {
    int bits = 0;
    for (int i = from; i < a.length; i++) {
      bits += Integer.bitCount((a[i] ^ b[i]) & 0xFF);
    }
    return bits;
  }

  /** Another file of the same kind, as a block that was in use before would show it. */
  private Stored other(Content content, Random random) {
    String own = nameOf(content);
    List<Content> others = new ArrayList<>();
    names.forEach(
        (name, candidate) -> {
          if (candidate != content && kind(name).equals(kind(own))) {
            others.add(candidate);
          }
        });
    if (others.isEmpty()) {
      return null;
    }
    Content other = others.get(random.nextInt(others.size()));
    return whole(other, other.pending.size());
  }

  private String nameOf(Content content) {
    for (Map.Entry<String, Content> entry : names.entrySet()) {
      if (entry.getValue() == content) {
        return entry.getKey();
      }
    }
    return "";
  }

  private static String kind(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Of each sector a version of its own; all versions are of the first so many operations. */
  private static Stored sectors(Content content, Random random) {
    int count = 1 + random.nextInt(content.pending.size());
    count = random.nextBoolean() ? content.pending.size() : count;
    List<Patch> patches = new ArrayList<>();
    int[] lengths = new int[count + 1];
    lengths[0] = content.length;
    int greatest = content.length;
    boolean cut = false;
    for (int i = 0; i < count; i++) {
      DiskOp op = content.pending.get(i);
      patches.add(Patch.of(op, lengths[i]));
      lengths[i + 1] = lengthAfter(op, lengths[i]);
      greatest = Math.max(greatest, lengths[i + 1]);
      cut |= op.kind() == Kind.TRUNCATE;
    }
    int[] versions = new int[greatest / SECTOR_BYTES + 1];
    for (Patch patch : patches) {
      for (int sector = patch.firstSector(); sector <= patch.lastSector(); sector++) {
        versions[sector]++;
      }
    }
    for (int sector = 0; sector < versions.length; sector++) {
      versions[sector] = random.nextInt(versions[sector] + 1);
    }
    byte[] bytes = Arrays.copyOf(content.durable, greatest);
    Arrays.fill(bytes, content.length, greatest, (byte) 0);
    for (Patch patch : patches) {
      for (int sector = patch.firstSector(); sector <= patch.lastSector(); sector++) {
        if (versions[sector]-- > 0) {
          patch.apply(bytes, sector);
        }
      }
    }
    // The length is kept apart from the bytes: it may be that of any moment.
    int moment = cut && random.nextBoolean() ? random.nextInt(count + 1) : count;
    Stored whole = new Stored(bytes, cut ? lengths[moment] : greatest);
    return random.nextInt(3) == 0 ? cut(whole, content.length, random) : whole;
  }

  /** What an operation puts in a place of a file; what is cut off becomes zeros. */
  private record Patch(int from, int end, byte[] source) {
    static Patch of(DiskOp op, int length) {
      int from = (int) op.position();
      return op.kind() == Kind.TRUNCATE
          ? new Patch(from, Math.max(from, length), null)
          : new Patch(from, from + op.bytes().length, op.bytes());
    }

    int firstSector() {
      return from / SECTOR_BYTES;
    }

    int lastSector() {
      return (end - 1) / SECTOR_BYTES;
    }

    void apply(byte[] bytes, int sector) {
      int start = Math.max(from, sector * SECTOR_BYTES);
      int stop = Math.min(end, (sector + 1) * SECTOR_BYTES);
      if (source == null) {
        Arrays.fill(bytes, start, stop, (byte) 0);
      } else {
        System.arraycopy(source, start - from, bytes, start, stop - start);
      }
    }
  }
}
