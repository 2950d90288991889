// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A place in compiled code where two numbers are compared, and the ways to spoil it. Tests for
 * truth, for null and of references are none.
 *
 * @param type the class, by its full name
 * @param method where it stands; a lambda belongs to the method around it
 * @param index of the comparisons of the class, in the order of its code
 * @param line in the source
 */
record Comparison(String type, String method, int index, int line) {

  /** What is done to a comparison. */
  enum Change {
    /** {@code <} becomes {@code >=}, {@code ==} becomes {@code !=}. */
    NEGATED,
    /** {@code <} becomes {@code <=}, {@code >} becomes {@code >=}, and back. */
    SHIFTED
  }

  /** Type and method, such as {@code TieredPolicy.pick}; a nested type belongs to its outer one. */
  String place() {
    return type.substring(type.lastIndexOf('.') + 1).split("\\$")[0] + "." + method;
  }

  @Override
  public String toString() {
    return place() + " (line " + line + ")";
  }

  /** All comparisons of a class. */
  static List<Comparison> of(String type) {
    List<Comparison> found = new ArrayList<>();
    rewrite(type, found, -1, null);
    return found;
  }

  /** The class with this comparison changed; see {@link #bounded}. */
  byte[] spoilt(Change change) {
    return rewrite(type, new ArrayList<>(), index, change);
  }

  /**
   * The class as it is, but that every jump calls {@link BoundedRun#jump}: a spoilt comparison can
   * leave a loop without an end in any class that it feeds.
   */
  static byte[] bounded(String type) {
    return rewrite(type, new ArrayList<>(), -1, null);
  }

  private static byte[] rewrite(String type, List<Comparison> found, int index, Change change) {
    ClassReader reader = new ClassReader(bytes(type));
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            String method = name.startsWith("lambda$") ? name.split("\\$")[1] : name;
            return new Rewriter(next, type, method, found, index, change);
          }
        },
        0);
    return writer.toByteArray();
  }

  /** The bytes of a class of ours as the compiler left them. */
  static byte[] bytes(String type) {
    String file = "/" + type.replace('.', '/') + ".class";
    try (InputStream in = Comparison.class.getResourceAsStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError(file, e);
    }
  }

  private static final class Rewriter extends MethodVisitor {

    private static final Map<Integer, Integer> NEGATIONS = new HashMap<>();
    private static final Map<Integer, Integer> SHIFTS = new HashMap<>();

    static {
      both(NEGATIONS, Opcodes.IF_ICMPEQ, Opcodes.IF_ICMPNE);
      both(NEGATIONS, Opcodes.IF_ICMPLT, Opcodes.IF_ICMPGE);
      both(NEGATIONS, Opcodes.IF_ICMPGT, Opcodes.IF_ICMPLE);
      both(NEGATIONS, Opcodes.IFEQ, Opcodes.IFNE);
      both(NEGATIONS, Opcodes.IFLT, Opcodes.IFGE);
      both(NEGATIONS, Opcodes.IFGT, Opcodes.IFLE);
      both(SHIFTS, Opcodes.IF_ICMPLT, Opcodes.IF_ICMPLE);
      both(SHIFTS, Opcodes.IF_ICMPGT, Opcodes.IF_ICMPGE);
      both(SHIFTS, Opcodes.IFLT, Opcodes.IFLE);
      both(SHIFTS, Opcodes.IFGT, Opcodes.IFGE);
    }

    private final String type;
    private final String method;
    private final List<Comparison> found;
    private final int index;
    private final Change change;
    private int line;
    // True just after an instruction that leaves -1, 0 or 1, so that "equals zero" compares.
    private boolean compared;

    Rewriter(
        MethodVisitor next,
        String type,
        String method,
        List<Comparison> found,
        int index,
        Change change) {
      super(Opcodes.ASM9, next);
      this.type = type;
      this.method = method;
      this.found = found;
      this.index = index;
      this.change = change;
    }

    private static void both(Map<Integer, Integer> map, int one, int other) {
      map.put(one, other);
      map.put(other, one);
    }

    @Override
    public void visitLineNumber(int number, Label start) {
      line = number;
      super.visitLineNumber(number, start);
    }

    @Override
    public void visitInsn(int opcode) {
      compared = opcode >= Opcodes.LCMP && opcode <= Opcodes.DCMPG;
      super.visitInsn(opcode);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, BoundedRun.class.getName().replace('.', '/'), "jump", "()V", false);
      boolean truth = (opcode == Opcodes.IFEQ || opcode == Opcodes.IFNE) && !compared;
      compared = false;
      if (truth || !NEGATIONS.containsKey(opcode)) {
        super.visitJumpInsn(opcode, label);
        return;
      }
      boolean mine = found.size() == index;
      found.add(new Comparison(type, method, found.size(), line));
      Map<Integer, Integer> map = change == Change.SHIFTED ? SHIFTS : NEGATIONS;
      super.visitJumpInsn(mine ? map.getOrDefault(opcode, opcode) : opcode, label);
    }
  }
}
