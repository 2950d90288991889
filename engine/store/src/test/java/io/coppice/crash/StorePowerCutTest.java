// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.LongRun;
import io.coppice.testing.Needs;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power of a real ext4 under a process that writes: the file system is told to stop where
 * it is, without writing its journal, and mounted again. What was not synced is gone then, names
 * included. {@code -Dcuts=N} sets how often. Needs root, loop devices and Python.
 */
class StorePowerCutTest {

  private static final int CUTS = Integer.getInteger("cuts", 20);
  private static final int MAX_WRITES = 5_000;
  private static final int LONGEST_MILLIS = 400;
  private static final long IMAGE_BYTES = 256L << 20;

  /**
   * EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH. As with the power, the process stops first
   * wherever it is, in a system call perhaps: one that ran on could acknowledge what is lost, since
   * a sync that is under way in the moment of the shutdown may report success.
   */
  private static final String SHUTDOWN =
      """
      import fcntl, os, signal, struct, sys
      fd = os.open(sys.argv[1], os.O_RDONLY)
      def states(tasks):
          for task in os.listdir(tasks):
              try:
                  yield open(tasks + task + '/stat').read().rsplit(')', 1)[1][1]
              except FileNotFoundError:
                  pass
      if len(sys.argv) > 2 and os.path.exists('/proc/' + sys.argv[2]):
          os.kill(int(sys.argv[2]), signal.SIGSTOP)
          while not set(states('/proc/' + sys.argv[2] + '/task/')) <= set('TDXZ'):
              pass
      fcntl.ioctl(fd, 0x8004587d, struct.pack('I', 2))
      """;

  private final long seed = Seeds.seed(11);
  private final Random random = Seeds.random(seed, 0);
  private final KilledWriter store = new KilledWriter();
  @TempDir Path directory;
  private Path image;
  private Path mounted;
  private String python;

  @BeforeEach
  void makeFileSystem() throws Exception {
    python = Needs.program("python3").toString();
    String mkfs = Needs.program("mkfs.ext4").toString();
    Needs.program("losetup");
    mounted = Files.createDirectory(directory.resolve("mounted"));
    image = directory.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(IMAGE_BYTES);
    }
    run(mkfs, "-q", "-F", image.toString());
    String problem = tryMount();
    Needs.that(problem.isEmpty(), "no loop device can be mounted: " + problem.strip());
    String refused = output(python, "-c", SHUTDOWN, mounted.toString());
    unmount();
    Needs.that(refused.isEmpty(), "this ext4 cannot be shut down: " + refused.strip());
  }

  @AfterEach
  void unmountAnyway() throws Exception {
    if (mounted != null && Files.readString(Path.of("/proc/mounts")).contains(mounted + " ")) {
      unmount();
    }
  }

  @Test
  void aPowerCutLosesNoSyncedWrite() throws Exception {
    LongRun run = new LongRun(getClass(), seed);
    int atWork = 0;
    for (int cut = 0; cut < CUTS; cut++) {
      assertThat(tryMount()).isEmpty();
      int millis = random.nextInt(LONGEST_MILLIS);
      boolean opening = cut % 4 == 3;
      Path data = mounted.resolve("store");
      long acknowledged =
          store.run(
              List.of(),
              data,
              MAX_WRITES,
              (process, writing) -> {
                if (!opening) {
                  writing.await();
                }
                process.waitFor(millis, TimeUnit.MILLISECONDS);
                run(python, "-c", SHUTDOWN, mounted.toString(), Long.toString(process.pid()));
                process.toHandle().destroyForcibly();
              });
      atWork += acknowledged > 0 ? 1 : 0;
      unmount();
      assertThat(tryMount()).isEmpty();
      store.check(
          data,
          true,
          String.format(
              "cut %d, %d ms after it %s; %s",
              cut, millis, opening ? "started" : "wrote", Seeds.replay(getClass(), seed)));
      unmount();
    }
    assertThat(atWork).as("cuts under a process that had written").isGreaterThan(CUTS / 2);
    run.passed(
        "ext4",
        Map.of(
            "cuts",
            (long) CUTS,
            "at_work",
            (long) atWork,
            "acknowledged",
            store.total(),
            "unsynced_lost",
            store.unsyncedLost(),
            "lost",
            0L));
  }

  private String tryMount() throws Exception {
    return output("mount", "-t", "ext4", "-o", "loop", image.toString(), mounted.toString());
  }

  private void unmount() throws Exception {
    run("umount", mounted.toString());
  }

  private static void run(String... command) throws Exception {
    String problem = output(command);
    if (!problem.isEmpty()) {
      throw new AssertionError(Arrays.asList(command) + ": " + problem);
    }
  }

  /** What a command that failed said; empty if it did not. */
  private static String output(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    return status == 0 ? "" : text.isBlank() ? "status " + status : text;
  }
}
