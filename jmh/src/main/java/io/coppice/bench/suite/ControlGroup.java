// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A Linux control group, of version 1 or 2, that limits the memory of its processes, page cache
 * included. Closing removes it; its processes must have ended before.
 *
 * @param directory directory of the group
 */
public record ControlGroup(Path directory) implements AutoCloseable {

  private static final Path ROOT = Path.of("/sys/fs/cgroup");
  private static final Path OWN_GROUPS = Path.of("/proc/self/cgroup");
  private static final String MEMBERS = "cgroup.procs";

  /** Names of the files with the memory limit, of version 2 and of version 1. */
  private static final List<String> LIMITS = List.of("memory.max", "memory.limit_in_bytes");

  /** Shell command that moves the shell into a group; {@code $0} is the group's directory. */
  private static final String JOIN = "echo $$ > \"$0/" + MEMBERS + "\"";

  /**
   * Creates a group inside the group of this process, or beside it. The caller closes it.
   *
   * @param limitBytes memory limit in bytes
   * @throws IOException naming each place that refused a group
   */
  public static ControlGroup create(long limitBytes) throws IOException {
    String own = Files.exists(OWN_GROUPS) ? Files.readString(OWN_GROUPS) : "";
    return create(ROOT, own, "coppice-bench-" + ProcessHandle.current().pid(), limitBytes);
  }

  /**
   * Creates a group inside a process's group, or beside it.
   *
   * @param root directory where the system mounts control groups
   * @param ownGroups lines {@code number:controllers:path} about the groups of the process
   * @param limitBytes memory limit in bytes
   * @throws IOException naming each place that refused a group
   */
  static ControlGroup create(Path root, String ownGroups, String name, long limitBytes)
      throws IOException {
    List<String> refusals = new ArrayList<>();
    for (Path parent : parents(root, ownGroups)) {
      Path directory = parent.resolve(name);
      try {
        Files.createDirectory(directory);
        limit(directory, limitBytes);
        return new ControlGroup(directory);
      } catch (IOException e) {
        refusals.add(parent + " (" + e.getClass().getSimpleName() + ")");
        Files.deleteIfExists(directory);
      }
    }
    throw new IOException(
        refusals.isEmpty() ? root + " has no groups" : String.join(", ", refusals) + " gives none");
  }

  /** Returns the directories that may contain a new group, the nearest to the process first. */
  static List<Path> parents(Path root, String ownGroups) {
    Set<Path> parents = new LinkedHashSet<>();
    for (String line : ownGroups.lines().toList()) {
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && (fields[1].isEmpty() || fields[1].equals("memory"))) {
        Path mount = root.resolve(fields[1]);
        Path own = mount.resolve(fields[2].substring(1));
        parents.add(own);
        if (!own.equals(mount)) {
          parents.add(own.getParent());
        }
        parents.add(mount);
      }
    }
    return parents.stream().filter(Files::isDirectory).toList();
  }

  private static void limit(Path directory, long bytes) throws IOException {
    for (String name : LIMITS) {
      Path file = directory.resolve(name);
      if (Files.exists(file)) {
        Files.writeString(file, Long.toString(bytes));
        return;
      }
    }
    throw new IOException(directory + " has no limit of memory");
  }

  /** Returns the words in front of a command that run it in this group. */
  public List<String> launcher() {
    return launcher(directory);
  }

  /** Returns the words in front of a command that run it in the group with a directory. */
  public static List<String> launcher(Path directory) {
    return List.of("sh", "-c", JOIN + " && exec \"$@\"", directory.toString());
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(directory);
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
