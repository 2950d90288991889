// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.io.Disk;
import io.coppice.io.disk.CallSite;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Every line of the engine's compiled code that changes something on a disk, found by reading the
 * code, so that a new one shows up by itself.
 */
public final class DiskCallSites {

  private static final String DISK = "io/coppice/io/Disk";
  private static final String OUTPUT = DISK + "$OutputFile";
  private static final String SLOTS = DISK + "$SlotFile";

  /** What only asks, closes, or opens what is there; a link changes the other disk. */
  private static final Set<String> HARMLESS =
      Set.of(
          "open",
          "map",
          "list",
          "freeBytes",
          "describe",
          "close",
          "position",
          "length",
          "name",
          "read",
          "stamp",
          "unread",
          "owner",
          "blockReader",
          "link",
          // Nothing where a file takes no room ahead, and that only those of a real disk do.
          "cutAhead");

  private DiskCallSites() {}

  /** All of them, by class and line. */
  public static Set<CallSite> all() {
    Set<CallSite> sites = new TreeSet<>();
    try (Stream<Path> files = Files.walk(root())) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        try (InputStream in = Files.newInputStream(file)) {
          read(new ClassReader(in), sites);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sites;
  }

  private static Path root() {
    try {
      URI location = Disk.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Path.of(location).resolve("io").resolve("coppice");
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static void read(ClassReader reader, Set<CallSite> sites) {
    String name = reader.getClassName().replace('/', '.');
    if (isDisk(name)) {
      return;
    }
    String type = name.substring(name.lastIndexOf('.') + 1);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String method, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
              private int line;

              @Override
              public void visitLineNumber(int number, Label start) {
                line = number;
              }

              @Override
              public void visitMethodInsn(
                  int opcode, String owner, String called, String shape, boolean isInterface) {
                if (List.of(DISK, OUTPUT, SLOTS).contains(owner) && !HARMLESS.contains(called)) {
                  sites.add(new CallSite(type, method, line));
                }
              }
            };
          }
        },
        0);
  }

  private static boolean isDisk(String name) {
    try {
      return CallSite.passesOn(Class.forName(name, false, DiskCallSites.class.getClassLoader()));
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
