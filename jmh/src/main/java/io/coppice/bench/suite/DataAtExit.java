// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Guard of a run's data directories, which removes them at the latest when this process exits. If
 * the process is ended early, the guard first ends its child processes. If one does not end within
 * a minute, its data stay, and the guard names it.
 */
public final class DataAtExit {

  private static final long MAX_SECONDS = 2;
  private static final long MAX_CHILD_SECONDS = 60;
  private static final int MAX_TRIES = 50;
  private static final long TRY_MILLIS = 20;

  private final List<Path> data;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook = new Thread(this::abandon, "removes data at exit");

  private DataAtExit(List<Path> data) {
    this.data = List.copyOf(data);
  }

  /** Returns a guard that removes these directories at the latest when this process ends. */
  public static DataAtExit of(Path... data) {
    DataAtExit made = new DataAtExit(List.of(data));
    Runtime.getRuntime().addShutdownHook(made.hook);
    return made;
  }

  /**
   * Removes the directories now, and ends the guard.
   *
   * @throws IOException if a directory cannot be removed
   */
  public void remove() throws IOException {
    try {
      for (Path directory : data) {
        Directories.delete(directory);
      }
    } finally {
      keep();
    }
  }

  /** Leaves the directories in place. They are still removed if this process is already exiting. */
  void keep() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This process ends, and the hook is at work.
      return;
    }
  }

  private void abandon() {
    try {
      // The run then ends as incomplete, unless it is busy with something else for long.
      List<ProcessHandle> children = ProcessHandle.current().children().toList();
      for (ProcessHandle descendant : ProcessHandle.current().descendants().toList()) {
        descendant.destroyForcibly();
      }
      // The kernel ends a process only after its write or sync, which may take longer than the wait
      // for the run. Grandchildren have another parent by now, which may never reap them.
      if (!awaitEnd(children)) {
        return;
      }
      if (!ended.await(MAX_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("The run does not end; its data are removed.");
      }
      for (int i = 0; i < MAX_TRIES && data.stream().anyMatch(Files::exists); i++) {
        delete();
        TimeUnit.MILLISECONDS.sleep(TRY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for the end of the processes. Returns false after naming those that do not end in time.
   */
  private static boolean awaitEnd(List<ProcessHandle> children) {
    CompletableFuture<?>[] ends =
        children.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
    boolean ended =
        CompletableFuture.allOf(ends)
            .thenApply(all -> true)
            .completeOnTimeout(false, MAX_CHILD_SECONDS, TimeUnit.SECONDS)
            .join();
    if (!ended) {
      children.stream()
          .filter(ProcessHandle::isAlive)
          .forEach(
              child ->
                  System.err.println(
                      "Process " + child.pid() + " does not end; the run's data stay."));
    }
    return ended;
  }

  private void delete() {
    for (Path directory : data) {
      try {
        Directories.delete(directory);
      } catch (IOException e) {
        // Something was still writing there; the next try removes it.
        continue;
      }
    }
  }
}
