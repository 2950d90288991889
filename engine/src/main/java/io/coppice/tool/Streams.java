// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.base.StoreException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a command speaks: results to standard output, everything else to standard error.
 *
 * @param out gets results and nothing else
 * @param err gets progress and complaints
 */
record Streams(PrintWriter out, PrintWriter err) {

  /**
   * Where results go: as UTF-8 whatever the platform's charset is, and whole. One that cannot be
   * written ends the command by an {@link UncheckedIOException}.
   */
  static PrintWriter results(OutputStream to) {
    return new PrintWriter(new Whole(to), true, StandardCharsets.UTF_8);
  }

  /** Throws where writers would only note that something is missing. */
  private static final class Whole extends FilterOutputStream {

    Whole(OutputStream to) {
      super(to);
    }

    @Override
    public void write(int one) {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        throw new UncheckedIOException("standard output: " + e.getMessage(), e);
      }
    }
  }

  /** Puts a result into a file, or on standard output where none is named. */
  void deliver(String result, Optional<Path> file) throws IOException {
    if (file.isPresent()) {
      Files.writeString(file.get(), result, StandardCharsets.UTF_8);
    } else {
      out.print(result);
      out.flush();
    }
  }

  /** Says why a command did not end well; returns its exit code. */
  int explain(Exception failure) {
    if (failure instanceof UsageException usage) {
      usage.errors().forEach(err::println);
      err.println("Nothing was started; --help names every option.");
      return ExitCode.USAGE;
    }
    if (failure instanceof StoreException) {
      err.println(failure.getMessage());
    } else if (failure instanceof UncheckedIOException wrapped) {
      err.println(said(wrapped));
    } else if (failure instanceof IOException io) {
      err.println(reason(io));
    } else {
      failure.printStackTrace(err);
      err.println("unexpected error: " + failure);
    }
    return ExitCode.FAILED;
  }

  private static String said(UncheckedIOException failure) {
    IOException cause = failure.getCause();
    String text = failure.getMessage();
    if (text.equals(cause.toString())) {
      return reason(cause);
    }
    String end = cause.getMessage();
    return end != null && text.endsWith(end)
        ? text.substring(0, text.length() - end.length()) + reason(cause)
        : text + ": " + reason(cause);
  }

  /** What went wrong, for people: the message of many exceptions is the name of a file alone. */
  static String reason(IOException failure) {
    if (failure instanceof FileSystemException of && of.getReason() == null) {
      String what =
          failure instanceof NoSuchFileException
              ? "no such file or directory"
              : failure instanceof AccessDeniedException
                  ? "permission denied"
                  : failure.getClass().getSimpleName();
      return of.getFile() + ": " + what;
    }
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
