// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Every acquire of a lock, a lease, a pin or memory is followed at once by {@code try}, as compiled
 * code shows it. Any call in between can throw: a StackOverflowError or an OutOfMemoryError of the
 * thread would leave the resource held for ever.
 */
class AcquisitionTest {

  private static final String LOCKS = "java/util/concurrent/locks/";

  /** Methods that acquire, by name, and the classes that they are of. */
  private static final Map<String, Set<String>> ACQUIRES =
      Map.ofEntries(
          Map.entry("lock", locks()),
          Map.entry("lockInterruptibly", locks()),
          Map.entry("tryLock", locks()),
          Map.entry("acquire", Set.of("io/coppice/memtable/FamilyMemtables")),
          Map.entry(
              "lease", Set.of("io/coppice/manifest/FamilyVersions", "io/coppice/manifest/Leases")),
          Map.entry("leaseWithoutStackCheck", Set.of("io/coppice/manifest/FamilyVersions")),
          Map.entry(
              "tryRetain",
              Set.of(
                  "io/coppice/base/thread/References",
                  "io/coppice/memtable/MemtableSet",
                  "io/coppice/memtable/Memtable",
                  "io/coppice/manifest/Lease")),
          Map.entry(
              "enter",
              Set.of(
                  "io/coppice/io/file/AccessCounter",
                  "io/coppice/io/file/RealFile",
                  "io/coppice/io/file/MappedFile",
                  "io/coppice/io/file/PositionalFile")),
          Map.entry("tryReserve", Set.of("io/coppice/base/MemoryBudget")),
          Map.entry("tryTake", Set.of("io/coppice/io/file/MappingBudget")),
          Map.entry("join", Set.of("io/coppice/write/WriteQueue")),
          Map.entry("awaitExclusive", Set.of("io/coppice/write/WritePath")),
          Map.entry("awaitExclusiveUninterruptibly", Set.of("io/coppice/write/WritePath")),
          Map.entry("beginCall", Set.of("io/coppice/Store")));

  private static Set<String> locks() {
    return Set.of(
        LOCKS + "Lock",
        LOCKS + "ReentrantLock",
        LOCKS + "ReentrantReadWriteLock$ReadLock",
        LOCKS + "ReentrantReadWriteLock$WriteLock");
  }

  /** An instruction; a label counts as one. */
  private record Step(int opcode, Label target, String call, int line) {}

  private record Range(Label start, Label end) {}

  /** Reads one method. */
  private static final class Method extends MethodVisitor {
    private final String name;
    private final List<String> found;
    private final List<Step> steps = new ArrayList<>();
    private final List<Range> guarded = new ArrayList<>();
    private int line;

    Method(String name, List<String> found) {
      super(Opcodes.ASM9);
      this.name = name;
      this.found = found;
    }

    private void add(int opcode, Label target, String call) {
      steps.add(new Step(opcode, target, call, line));
    }

    @Override
    public void visitLineNumber(int number, Label start) {
      line = number;
    }

    @Override
    public void visitLabel(Label label) {
      add(-1, label, null);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
      if (type == null || type.equals("java/lang/Throwable") || type.equals("java/lang/Error")) {
        guarded.add(new Range(start, end));
      }
    }

    @Override
    public void visitInsn(int opcode) {
      add(opcode, null, null);
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
      add(opcode, null, null);
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
      add(opcode, null, null);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      add(opcode, null, null);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
      add(opcode, null, null);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String called, String descriptor, boolean isInterface) {
      Set<String> owners = ACQUIRES.get(called);
      add(opcode, null, owners != null && owners.contains(owner) ? owner + "." + called : null);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String called, String descriptor, Handle bootstrap, Object... arguments) {
      add(Opcodes.INVOKEDYNAMIC, null, null);
    }

    @Override
    public void visitJumpInsn(int opcode, Label target) {
      add(opcode, target, null);
    }

    @Override
    public void visitLdcInsn(Object value) {
      add(Opcodes.LDC, null, null);
    }

    @Override
    public void visitIincInsn(int index, int increment) {
      add(Opcodes.IINC, null, null);
    }

    @Override
    public void visitEnd() {
      for (int i = 0; i < steps.size(); i++) {
        if (steps.get(i).call != null && !isGuarded(i) && !isFollowedByTry(i + 1)) {
          found.add(name + ":" + steps.get(i).line + " " + steps.get(i).call);
        }
      }
    }

    private int place(Label label) {
      for (int i = 0; i < steps.size(); i++) {
        if (steps.get(i).opcode == -1 && steps.get(i).target == label) {
          return i;
        }
      }
      throw new IllegalStateException("no such label");
    }

    private boolean isGuarded(int at) {
      return guarded.stream().anyMatch(one -> place(one.start) <= at && at < place(one.end));
    }

    /** Follows the way on which the resource is held. */
    private boolean isFollowedByTry(int from) {
      int at = from;
      for (int budget = 50; budget > 0; budget--) {
        if (isGuarded(at)) {
          return true;
        }
        Step step = steps.get(at);
        switch (step.opcode) {
          case -1,
              Opcodes.NOP,
              Opcodes.POP,
              Opcodes.DUP,
              Opcodes.ICONST_0,
              Opcodes.ICONST_1,
              Opcodes.ACONST_NULL,
              Opcodes.LCONST_0,
              Opcodes.ISTORE,
              Opcodes.ASTORE,
              Opcodes.LSTORE,
              Opcodes.ILOAD,
              Opcodes.ALOAD,
              Opcodes.LLOAD ->
              at++;
          case Opcodes.GOTO, Opcodes.IFNE -> at = place(step.target);
          case Opcodes.IFEQ -> at++;
          // The caller has it then, or the object that the field is of.
          case Opcodes.IRETURN, Opcodes.ARETURN, Opcodes.RETURN, Opcodes.PUTFIELD -> {
            return true;
          }
          default -> {
            return false;
          }
        }
      }
      return false;
    }
  }

  @Test
  void everyAcquireIsFollowedByTry() throws IOException, URISyntaxException {
    List<String> found = new ArrayList<>();
    Path root = Path.of(Store.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        ClassReader reader = new ClassReader(Files.readAllBytes(file));
        reader.accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String method, String descriptor, String signature, String[] ex) {
                return new Method(reader.getClassName() + "." + method, found);
              }
            },
            ClassReader.SKIP_FRAMES);
      }
    }
    assertThat(found).isEmpty();
  }
}
