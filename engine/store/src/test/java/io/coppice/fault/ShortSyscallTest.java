// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.io.ChildJvm;
import io.coppice.load.NumberedWrites;
import io.coppice.testing.Needs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole store on a real directory whose system calls transfer fewer bytes than they are asked to,
 * or are interrupted before the first: a library loaded before the system's makes them so. Nobody
 * may notice. Needs a C compiler.
 */
class ShortSyscallTest {

  /** Shortens three of four calls on files below the directory SHORT_DIR; logs how many. */
  private static final String LIBRARY =
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      #include <sys/types.h>
      static unsigned long calls, shortened;
      static size_t part(int fd, size_t n) {
        char link[64], path[4096];
        const char *dir = getenv("SHORT_DIR");
        if (!dir) return n;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t len = readlink(link, path, sizeof path - 1);
        if (len < 0) return n;
        path[len] = 0;
        if (strncmp(path, dir, strlen(dir))) return n;
        unsigned long mixed = __sync_add_and_fetch(&calls, 1) * 0x9E3779B97F4A7C15ul;
        if (mixed >> 60 == 0) return 0;
        if (n < 2 || mixed >> 62 == 3) return n;
        __sync_add_and_fetch(&shortened, 1);
        return 1 + (mixed >> 20) % (n - 1);
      }
      #define CALL(type, name, parameters, arguments) \\
        type name parameters { \\
          static type (*real) parameters; \\
          if (!real) real = (type (*) parameters) dlsym(RTLD_NEXT, #name); \\
          size_t asked = n; \\
          n = part(fd, n); \\
          if (asked && !n) { errno = EINTR; return -1; } \\
          return real arguments; \\
        }
      CALL(ssize_t, read, (int fd, void *b, size_t n), (fd, b, n))
      CALL(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n))
      CALL(ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
      CALL(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o))
      CALL(ssize_t, pread64, (int fd, void *b, size_t n, off64_t o), (fd, b, n, o))
      CALL(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o))
      __attribute__((destructor)) static void report(void) {
        const char *log = getenv("SHORT_LOG");
        FILE *f = log ? fopen(log, "w") : 0;
        if (f) { fprintf(f, "%lu", shortened); fclose(f); }
      }
      """;

  @TempDir Path directory;

  @Test
  void noShortTransferIsNoticed() throws Exception {
    Path source = Files.writeString(directory.resolve("short.c"), LIBRARY);
    Path library = directory.resolve("short.so");
    Process compiler =
        new ProcessBuilder(
                Needs.program("gcc").toString(),
                "-shared",
                "-fPIC",
                "-O1",
                "-o",
                library.toString(),
                source.toString(),
                "-ldl")
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).as("gcc").isZero();
    Path log = directory.resolve("short.log");
    for (String io : List.of("mmap", "read")) {
      Path data = directory.toRealPath().resolve(io);
      ProcessBuilder child =
          ChildJvm.builder(List.of(), Workload.class, data.toString(), io).inheritIO();
      child.environment().put("LD_PRELOAD", library.toString());
      child.environment().put("SHORT_DIR", data.toString());
      child.environment().put("SHORT_LOG", log.toString());
      Process process = child.start();
      try {
        assertThat(process.waitFor(600, TimeUnit.SECONDS)).as("ends").isTrue();
      } finally {
        process.destroyForcibly();
      }
      assertThat(process.exitValue()).as(io).isZero();
      assertThat(Long.parseLong(Files.readString(log, StandardCharsets.US_ASCII)))
          .as("shortened calls")
          .isGreaterThan(500);
      assertThat(Store.verify(data).damaged()).isFalse();
    }
  }

  /** Fills a store, merges it, opens it again after a kind of crash, and compares. */
  static final class Workload {

    private Workload() {}

    public static void main(String[] args) {
      NumberedWrites writes = new NumberedWrites(500);
      StoreOptions options =
          StoreOptions.builder()
              .policy("split-forest,fanout=2,table_size=8KiB,cleaning_threshold=1")
              .memtableBytes(64 << 10)
              .io(args[1])
              .build();
      int written = 0;
      for (int round = 0; round < 4; round++) {
        try (Store store = Store.open(Path.of(args[0]), options)) {
          compare(store, writes, written);
          for (int i = 0; i < 400; i++) {
            writes.write(store, written++, i % 9 == 0 ? Durability.SYNC : Durability.BUFFERED);
          }
          compare(store, writes, written);
          if (round == 2) {
            store.compact();
            compare(store, writes, written);
          }
        }
      }
    }

    private static void compare(Store store, NumberedWrites writes, int written) {
      NavigableMap<byte[], byte[]> model = writes.after(written);
      if (!NumberedWrites.same(NumberedWrites.contents(store), model)) {
        throw new AssertionError("wrong after " + written + " writes");
      }
    }
  }
}
