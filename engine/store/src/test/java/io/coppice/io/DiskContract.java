// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.ClosedException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every disk does. */
public abstract class DiskContract {

  private Disk disk;

  /** A new, empty disk. */
  public abstract Disk newDisk() throws IOException;

  @BeforeEach
  void openDisk() throws IOException {
    disk = newDisk();
  }

  @AfterEach
  void closeDisk() throws IOException {
    disk.close();
  }

  @Test
  void aNewDiskIsEmpty() throws IOException {
    assertThat(disk.list()).isEmpty();
    assertThat(disk.freeBytes()).isPositive();
    assertThat(disk.describe()).isNotBlank();
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    byte[] bytes = new byte[200_000];
    new Random(1).nextBytes(bytes);
    try (Disk.OutputFile file = disk.create("a")) {
      file.write(bytes, 0, 10);
      assertThat(file.position()).isEqualTo(10);
      file.write(bytes, 10, bytes.length - 10);
      assertThat(file.position()).isEqualTo(bytes.length);
      file.sync();
    }
    disk.syncDirectory();
    for (Disk.InputFile open : new Disk.InputFile[] {disk.open("a"), disk.map("a")}) {
      try (Disk.InputFile file = open) {
        assertThat(file.name()).isEqualTo("a");
        assertThat(file.length()).isEqualTo(bytes.length);
        byte[] target = new byte[bytes.length + 2];
        file.read(0, target, 1, bytes.length);
        assertThat(target).startsWith(0, bytes[0]).endsWith(bytes[bytes.length - 1], 0);
        file.read(4_097, target, 0, 3);
        assertThat(target).startsWith(bytes[4_097], bytes[4_098], bytes[4_099]);
        file.read(bytes.length, target, 0, 0);
      }
    }
  }

  @Test
  void appendingGoesOnWhereAFileWasCutOff() throws IOException {
    try (Disk.OutputFile file = disk.create("a")) {
      file.write(ascii("abcdef"), 0, 6);
      file.truncate(2);
      assertThat(file.position()).isEqualTo(2);
      file.write(ascii("xy"), 0, 2);
      file.sync();
      assertThat(text("a")).isEqualTo("abxy");
      file.truncate(0);
      assertThat(text("a")).isEmpty();
    }
  }

  @Test
  void aReadBeyondTheEndFails() throws IOException {
    write("a", "abc");
    for (Disk.InputFile open : new Disk.InputFile[] {disk.open("a"), disk.map("a")}) {
      try (Disk.InputFile file = open) {
        assertThatThrownBy(() -> file.read(1, new byte[9], 0, 3)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> file.read(4, new byte[9], 0, 1)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> file.read(0, new byte[2], 0, 3))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
    }
  }

  @Test
  void anEmptyFileCanBeMapped() throws IOException {
    write("a", "");
    try (Disk.InputFile file = disk.map("a")) {
      assertThat(file.length()).isZero();
      assertThatThrownBy(() -> file.read(0, new byte[1], 0, 1)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void aClosedFileIsNotRead() throws IOException {
    write("a", "abc");
    for (Disk.InputFile file : new Disk.InputFile[] {disk.open("a"), disk.map("a")}) {
      file.close();
      file.close();
      assertThatThrownBy(() -> file.read(0, new byte[1], 0, 1))
          .isInstanceOf(ClosedException.class)
          .hasMessageContaining("a");
    }
  }

  @Test
  void aNameIsCreatedOnce() throws IOException {
    write("a", "abc");
    assertThatThrownBy(() -> disk.create("a")).isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> disk.open("a")).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> disk.map("a"))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("a");
    assertThatThrownBy(() -> disk.rename("a", "b")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void renameReplaces() throws IOException {
    write("a", "new");
    write("b", "old");
    disk.rename("a", "b");
    assertThat(disk.list()).containsExactly("b");
    assertThat(text("b")).isEqualTo("new");
  }

  @Test
  void deleteForgivesAMissingFile() throws IOException {
    write("a", "abc");
    disk.delete("a");
    disk.delete("a");
    assertThat(disk.list()).isEmpty();
  }

  @Test
  void aDeletedFileStaysReadableWhileItIsOpen() throws IOException {
    write("a", "abc");
    try (Disk.InputFile file = disk.map("a")) {
      disk.delete("a");
      byte[] target = new byte[3];
      file.read(0, target, 0, 3);
      assertThat(target).containsExactly('a', 'b', 'c');
    }
  }

  @Test
  void slotsAreWrittenInPlace() throws IOException {
    try (Disk.SlotFile file = disk.openSlots("s")) {
      assertThat(file.length()).isZero();
      file.write(8, ascii("abcd"), 0, 4);
      assertThat(file.length()).isEqualTo(12);
      file.write(4, ascii("xyzw12"), 0, 6);
      file.sync();
      byte[] target = new byte[12];
      file.read(0, target, 0, 12);
      assertThat(target).startsWith(0, 0, 0, 0).endsWith(ascii("xyzw12cd"));
    }
    try (Disk.SlotFile file = disk.openSlots("s")) {
      assertThat(file.length()).isEqualTo(12);
    }
  }

  private void write(String name, String text) throws IOException {
    try (Disk.OutputFile file = disk.create(name)) {
      file.write(ascii(text), 0, text.length());
    }
  }

  private String text(String name) throws IOException {
    try (Disk.InputFile file = disk.open(name)) {
      byte[] bytes = new byte[(int) file.length()];
      file.read(0, bytes, 0, bytes.length);
      return new String(bytes, StandardCharsets.US_ASCII);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
