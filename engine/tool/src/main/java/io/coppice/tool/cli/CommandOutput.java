// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

import io.coppice.base.StoreException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The output streams of a command, and the clock that decides when it reports progress.
 *
 * @param out receives results only
 * @param err receives progress and error messages
 * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}; commands also
 *     measure the time limits of simulations with it
 */
public record CommandOutput(PrintWriter out, PrintWriter err, LongSupplier nanos) {

  /** Creates an output with the clock of the system. */
  public CommandOutput(PrintWriter out, PrintWriter err) {
    this(out, err, System::nanoTime);
  }

  /**
   * Returns a writer for results, in UTF-8 on every platform. A failed write throws an {@link
   * UncheckedIOException} and thereby ends the command.
   */
  public static PrintWriter results(OutputStream to) {
    return new PrintWriter(new Whole(to), true, StandardCharsets.UTF_8);
  }

  /** A stream that throws if a write fails, unlike the writers above it, which only set a flag. */
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

  /**
   * Writes a result to a file, which it overwrites, or to standard output if no file is named.
   *
   * @throws IOException if the file cannot be written
   * @throws UncheckedIOException if standard output cannot be written
   */
  public void deliver(String result, Optional<Path> file) throws IOException {
    if (file.isPresent()) {
      Files.writeString(file.get(), result, StandardCharsets.UTF_8);
    } else {
      out.print(result);
      out.flush();
    }
  }

  /**
   * Reports on the error stream why a command failed, and returns its exit code.
   *
   * @param command its name with that of the tool, for the hint at its help
   */
  public int explain(Exception failure, String command) {
    if (failure instanceof UsageException usage) {
      usage.errors().forEach(err::println);
      err.println("Nothing was started; see " + command + " --help.");
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
      err.println("unexpected error: " + failure + "; please report it with the lines above");
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

  /** Returns the reason of an I/O failure for users, which names the file if there is one. */
  static String reason(IOException failure) {
    return failure instanceof FileSystemException of && of.getFile() != null
        ? of.getFile() + ": " + cause(failure)
        : cause(failure);
  }

  /**
   * Returns the reason of an I/O failure for users, without the name of the file. The message of
   * many exceptions is a bare file name.
   */
  public static String cause(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory; check the path";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied; check the owner and the mode of the file";
    }
    if (failure instanceof MalformedInputException) {
      return "it is not text in UTF-8";
    }
    String message =
        failure instanceof FileSystemException of ? of.getReason() : failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  /** Returns a number and a noun, in the plural unless the number is 1. */
  public static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
