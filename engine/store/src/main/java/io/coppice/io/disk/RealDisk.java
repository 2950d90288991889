// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.base.ClosedException;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.ReadMode;
import io.coppice.io.block.BlockReaders;
import io.coppice.io.file.AppendFile;
import io.coppice.io.file.DeferredInterrupt;
import io.coppice.io.file.DescriptorBudget;
import io.coppice.io.file.MappedFile;
import io.coppice.io.file.MappedLogFile;
import io.coppice.io.file.Mapping;
import io.coppice.io.file.MappingBudget;
import io.coppice.io.file.PageResidencyTracker;
import io.coppice.io.file.PositionalFile;
import io.coppice.io.file.RealSlotFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Directory of the file system, locked from opening to closing. On POSIX file systems only the
 * owner can access files that it creates, and the directory if it was missing. It follows a
 * symbolic link to the directory, but none to a file. Bytes are written through files; only a
 * {@link MappedLogFile} writes through a mapping. An interrupt of the calling thread is kept and
 * does not fail any operation. Closing releases the lock; files that are still open stay usable
 * until they are closed themselves. Safe to share between threads.
 */
public final class RealDisk implements Disk {

  /** Name of the directory for files that repair removed from the store. */
  private static final String LOST = "lost";

  /**
   * Names in Linux of the file systems that change existing bytes in place and need no room for a
   * copy of them.
   */
  private static final Set<String> OVERWRITING = Set.of("ext2", "ext3", "ext4", "xfs", "tmpfs");

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private final Path directory;
  private final ReadMode readMode;
  private final MappingBudget mappings;
  private final DirectoryLock lock;
  private final SyncedDirectory names;
  private final PageResidencyTracker residency = new PageResidencyTracker();

  /** Names of files created here and not yet read: their pages are still in memory. */
  private final Set<String> written = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * File system of the directory; null until needed, because finding it reads the table of mounts.
   */
  private volatile FileStore fileStore;

  private static final Set<String> OWN =
      Set.of(DirectoryLock.FILE, LOST, "lost+found", "System Volume Information");

  private RealDisk(
      Path directory,
      ReadMode readMode,
      MappingBudget mappings,
      DirectoryLock lock,
      SyncedDirectory names) {
    this.directory = directory;
    this.readMode = readMode;
    this.mappings = mappings;
    this.lock = lock;
    this.names = names;
  }

  /**
   * Opens the directory like {@link #open(Path, ReadMode, MappingBudget)}, with mappings from the
   * mapping budget of the process.
   */
  public static RealDisk open(Path directory) throws IOException {
    return open(directory, ReadMode.MMAP, MappingBudget.ofProcess());
  }

  /**
   * Opens and locks the directory, and creates it if it is missing. Does not wait for the lock. The
   * caller closes the disk.
   *
   * @throws FileSystemException if the directory contains a foreign file and lacks tables, logs,
   *     manifests and {@code CURRENT}; nothing was changed
   * @throws io.coppice.base.LockedException if another store has it open; nothing was changed
   */
  public static RealDisk open(Path directory, ReadMode readMode, MappingBudget mappings)
      throws IOException {
    PrivateFiles.createDirectory(directory);
    Path real = directory.toRealPath();
    refuseForeign(real);
    try (DeferredInterrupt interrupt = new DeferredInterrupt()) {
      interrupt.absorb();
      DirectoryLock lock = DirectoryLock.acquire(real);
      try {
        return new RealDisk(real, readMode, mappings, lock, SyncedDirectory.open(real));
      } catch (IOException | RuntimeException | Error e) {
        lock.close();
        throw e;
      }
    }
  }

  private static void refuseForeign(Path directory) throws IOException {
    String foreign = null;
    long files = 0;
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
      for (Path path : paths) {
        String name = path.getFileName().toString();
        if (FileKind.isData(name)) {
          return;
        }
        if (!isOwn(name)) {
          files++;
          foreign = foreign == null || name.compareTo(foreign) < 0 ? name : foreign;
        }
      }
    }
    if (foreign != null) {
      throw new FileSystemException(
          directory.toString(),
          null,
          "it is no store's directory, but holds "
              + (files == 1
                  ? "'" + foreign + "'"
                  : "'" + foreign + "' and " + (files - 1) + " more")
              + "; name the directory of a store, or an empty or new one");
    }
  }

  /**
   * Returns whether an unfinished creation of a store, a file system or a desktop may have left a
   * file of this name. Other files are foreign.
   */
  private static boolean isOwn(String name) {
    boolean single = false;
    for (FileKind kind : FileKind.values()) {
      String own = kind.numbered() ? null : kind.fileName(0);
      single |= own != null && (name.equals(own) || name.equals(own + ".new"));
    }
    return single || OWN.contains(name) || name.startsWith(".");
  }

  /**
   * Opens an existing directory for reading without a single write, even to its lock. Files are
   * read by positional reads. The caller closes the disk. The lock keeps writers out while it is
   * open.
   *
   * @throws io.coppice.base.LockedException if a store has it open
   * @throws java.nio.file.NoSuchFileException if it is missing
   */
  public static Disk openForReading(Path directory) throws IOException {
    return openForReading(directory, ReadMode.READ, MappingBudget.ofProcess());
  }

  /**
   * Opens an existing directory for reading, as {@link #openForReading(Path)} does.
   *
   * @param mappings budget of the mappings, if the mode uses them
   */
  public static Disk openForReading(Path directory, ReadMode readMode, MappingBudget mappings)
      throws IOException {
    Path real = directory.toRealPath();
    try (DeferredInterrupt interrupt = new DeferredInterrupt()) {
      interrupt.absorb();
      DirectoryLock lock = DirectoryLock.acquireForReading(real);
      try {
        return new ReadOnlyDisk(
            new RealDisk(real, readMode, mappings, lock, SyncedDirectory.open(real)));
      } catch (IOException | RuntimeException | Error e) {
        lock.close();
        throw e;
      }
    }
  }

  @Override
  public OutputFile create(String name) throws IOException {
    Path path = resolve(name);
    PrivateFiles.create(path);
    written.add(name);
    try {
      return isLog(name) && logsAreMapped()
          ? MappedLogFile.open(path, mappings)
          : AppendFile.open(path);
    } catch (IOException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  private static boolean isLog(String name) {
    return FileKind.WAL.numberOf(name).isPresent();
  }

  private boolean logsAreMapped() {
    try {
      return readMode == ReadMode.MMAP
          && Mapping.isAvailable()
          && OVERWRITING.contains(fileStore().type());
    } catch (IOException e) {
      // The table of mounts may be hidden in a jail, or unreadable without a free descriptor.
      return false;
    }
  }

  @Override
  public InputFile open(String name) throws IOException {
    return PositionalFile.open(resolve(name));
  }

  @Override
  public InputFile map(String name) throws IOException {
    Path path = resolve(name);
    boolean resident = written.remove(name);
    if (readMode == ReadMode.MMAP && Mapping.isAvailable()) {
      MappedFile mapped =
          MappedFile.map(path, mappings, DescriptorBudget.ofProcess(), resident, residency);
      if (mapped != null) {
        return mapped;
      }
    }
    return PositionalFile.open(path, resident, residency, DescriptorBudget.ofProcess());
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    Path path = resolve(name);
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      createUnlessThere(path);
    }
    return RealSlotFile.open(path);
  }

  private static void createUnlessThere(Path path) throws IOException {
    try {
      PrivateFiles.create(path);
    } catch (FileAlreadyExistsException e) {
      assert Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }
  }

  @Override
  public BlockReader blockReader(BlockReaderOptions options) {
    return BlockReaders.open(options, this::announce);
  }

  private void announce(String reader) {
    LOG.log(
        System.Logger.Level.INFO,
        "{0}: reader {1} mapped={2} read_ahead={3} kernel={4} jdk={5}",
        directory,
        reader,
        readMode == ReadMode.MMAP && Mapping.isAvailable() ? "yes" : "no",
        KernelReadahead.of(directory),
        System.getProperty("os.version"),
        Runtime.version().feature());
  }

  @Override
  public void rename(String from, String to) throws IOException {
    written.remove(from);
    Files.move(
        resolve(from),
        resolve(to),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(String name) throws IOException {
    written.remove(name);
    Files.deleteIfExists(resolve(name));
  }

  @Override
  public List<String> list() throws IOException {
    checkOpen();
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
      for (Path path : paths) {
        String name = path.getFileName().toString();
        if (!name.equals(DirectoryLock.FILE) && !name.equals(LOST)) {
          names.add(name);
        }
      }
    }
    return names;
  }

  @Override
  public void syncDirectory() throws IOException {
    checkOpen();
    names.sync();
  }

  @Override
  public long freeBytes() throws IOException {
    checkOpen();
    return fileStore().getUsableSpace();
  }

  private FileStore fileStore() throws IOException {
    FileStore found = fileStore;
    if (found == null) {
      found = Files.getFileStore(directory);
      fileStore = found;
    }
    return found;
  }

  @Override
  public String describe() {
    return directory.toString();
  }

  @Override
  public boolean link(String name, Disk target) throws IOException {
    if (!(target instanceof RealDisk other)) {
      return false;
    }
    Path path = resolve(name);
    Path copy = other.resolve(name);
    try {
      Files.createLink(copy, path);
      return true;
    } catch (FileAlreadyExistsException | NoSuchFileException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      // The target is on another file system or on one without links, or the file has too many
      // links.
      return false;
    }
  }

  @Override
  public void keepAside(String name) throws IOException {
    Path path = resolve(name);
    Path lost = directory.resolve(LOST);
    PrivateFiles.createDirectory(lost);
    Path place = lost.resolve(name);
    for (int i = 1; Files.exists(place, LinkOption.NOFOLLOW_LINKS); i++) {
      if (Files.isSameFile(place, path)) {
        return;
      }
      place = lost.resolve(name + "." + i);
    }
    try {
      Files.createLink(place, path);
    } catch (FileSystemException | UnsupportedOperationException e) {
      Files.copy(path, place, LinkOption.NOFOLLOW_LINKS);
      try (FileChannel copy = FileChannel.open(place, StandardOpenOption.WRITE)) {
        copy.force(true);
      }
    }
    PrivateFiles.syncDirectory(lost);
  }

  @Override
  public Stamp stamp(String name) throws IOException {
    try {
      BasicFileAttributes found =
          Files.readAttributes(resolve(name), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return new Stamp(
          String.valueOf(found.fileKey()),
          found.lastModifiedTime().to(TimeUnit.NANOSECONDS),
          found.size());
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public long owner() {
    return lock.owner();
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      try (lock) {
        names.close();
      }
    }
  }

  private Path resolve(String name) {
    checkOpen();
    Path path = directory.resolve(name);
    if (!directory.equals(path.getParent())
        || !name.equals(path.getFileName().toString())
        || name.equals(DirectoryLock.FILE)
        || name.equals(".")
        || name.equals("..")) {
      throw new IllegalArgumentException("'" + name + "' is not the name of a file of a store");
    }
    return path;
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new ClosedException(directory.toString());
    }
  }
}
