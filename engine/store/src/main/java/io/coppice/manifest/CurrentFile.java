// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import java.io.IOException;
import java.util.List;

/**
 * The file {@code CURRENT}: it names the manifest in force and records its durable length.
 *
 * <pre>
 *     0  envelope
 *    48  manifest number   u64
 *    56  owner             u64, {@link Disk#owner} of the store that wrote it
 *    64  durable           u64, bytes of the manifest that were durable when this was written
 *    72  checksum          u32, of bytes 48 to 71, file 0, offset 48
 * </pre>
 *
 * @param manifest the number of the manifest in force
 * @param owner the store that put it in force
 * @param durable bytes of it that were durable when this was written; a manifest that is shorter,
 *     or damaged before that offset, has lost edits
 */
public record CurrentFile(long manifest, long owner, long durable) {

  static final String NAME = FileKind.CURRENT.fileName(0);

  /**
   * Temporary name: the file is written whole, then renamed. A remainder after a crash has no
   * meaning.
   */
  static final String NEW_NAME = NAME + ".new";

  private static final int NUMBER = FileHeader.BYTES;
  private static final int OWNER = NUMBER + Long.BYTES;
  private static final int DURABLE = OWNER + Long.BYTES;
  private static final int SUM = DURABLE + Long.BYTES;
  private static final int BYTES = SUM + Integer.BYTES;

  /**
   * Reads and verifies the file.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   * @throws CorruptionException if it is damaged
   * @throws io.coppice.base.VersionException if a newer version wrote it
   */
  public static CurrentFile read(Disk disk) throws IOException {
    try (Disk.InputFile file = disk.open(NAME)) {
      FileHeader.read(file, FileKind.CURRENT, 0);
      if (file.length() != BYTES) {
        throw new CorruptionException(
            NAME, NUMBER, BYTES + " bytes were expected, the file has " + file.length());
      }
      byte[] bytes = new byte[BYTES];
      file.read(0, bytes, 0, BYTES);
      long number = Coding.fixed64(bytes, NUMBER);
      if (Coding.fixed32(bytes, SUM) != Checksum.of(0, NUMBER, bytes, NUMBER, SUM - NUMBER)
          || number < 0) {
        throw new CorruptionException(
            NAME,
            NUMBER,
            "the manifest's number (" + number + ") does not match its checksum or is negative");
      }
      return new CurrentFile(number, Coding.fixed64(bytes, OWNER), Coding.fixed64(bytes, DURABLE));
    }
  }

  /**
   * Returns the error about a store without a file CURRENT.
   *
   * @param names all files of the store's directory, with at least one data file
   */
  static CorruptionException missing(List<String> names) {
    String other = names.stream().filter(FileKind::isData).min(String::compareTo).orElseThrow();
    return new CorruptionException(
        NAME,
        0,
        "the file is missing, but there is " + other + "; `coppice-tool store repair` restores it");
  }

  /**
   * Puts a manifest in force and records its durable length. The change is durable on return.
   *
   * @param manifest number of the manifest
   * @param durable its durable length in bytes
   * @throws IOException if a write or sync fails; the old or the new content is then in force
   */
  static void write(Disk disk, long manifest, long durable) throws IOException {
    ByteSink sink = new ByteSink(BYTES);
    sink.bytes(FileHeader.of(FileKind.CURRENT, 0).encode(), 0, FileHeader.BYTES).fixed64(manifest);
    sink.fixed64(disk.owner()).fixed64(durable);
    sink.fixed32(Checksum.of(0, NUMBER, sink.array(), NUMBER, SUM - NUMBER));
    disk.delete(NEW_NAME);
    try (Disk.OutputFile file = disk.create(NEW_NAME)) {
      file.write(sink.array(), 0, sink.length());
      file.sync();
    }
    disk.rename(NEW_NAME, NAME);
    disk.syncDirectory();
  }
}
