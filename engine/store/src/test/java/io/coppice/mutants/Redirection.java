// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A change of compiled code: a call goes to a method of {@link Spoilers} instead, which gets the
 * object called, if any, and the arguments.
 *
 * @param type the class that calls, below {@code io.coppice}
 * @param method the method that calls; "" for any
 * @param called class and method that are called, without a package
 * @param spoiler the name of the method of {@link Spoilers}
 */
record Redirection(String type, String method, String called, String spoiler)
    implements UnaryOperator<byte[]> {

  String typeName() {
    return "io.coppice." + type;
  }

  /**
   * The changed class.
   *
   * @throws IllegalStateException if there is no such call
   */
  @Override
  public byte[] apply(byte[] bytes) {
    Method target =
        Arrays.stream(Spoilers.class.getDeclaredMethods())
            .filter(candidate -> candidate.getName().equals(spoiler))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no spoiler " + spoiler));
    int[] hits = {0};
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(bytes)
        .accept(
            new ClassVisitor(Opcodes.ASM9, writer) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String shape, String signature, String[] thrown) {
                MethodVisitor next = super.visitMethod(access, name, shape, signature, thrown);
                boolean here =
                    method.isEmpty()
                        || name.equals(method)
                        || name.startsWith("lambda$" + method + "$");
                return here ? new Calls(next, target, hits) : next;
              }
            },
            0);
    if (hits[0] == 0) {
      throw new IllegalStateException("nothing to change by " + this);
    }
    return writer.toByteArray();
  }

  private final class Calls extends MethodVisitor {
    private final Method target;
    private final int[] hits;

    Calls(MethodVisitor next, Method target, int[] hits) {
      super(Opcodes.ASM9, next);
      this.target = target;
      this.hits = hits;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String shape, boolean isInterface) {
      String simple = owner.substring(owner.lastIndexOf('/') + 1) + "." + name;
      if (!simple.equals(called) || opcode == Opcodes.INVOKESPECIAL || !fits(opcode, shape)) {
        super.visitMethodInsn(opcode, owner, name, shape, isInterface);
        return;
      }
      hits[0]++;
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC,
          Type.getInternalName(Spoilers.class),
          spoiler,
          Type.getMethodDescriptor(target),
          false);
      Class<?> found = target.getReturnType();
      Type wanted = Type.getReturnType(shape);
      if (found != void.class && wanted.getSort() == Type.VOID) {
        super.visitInsn(Type.getType(found).getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
      } else if (!found.isPrimitive() && wanted.getSort() == Type.OBJECT) {
        super.visitTypeInsn(Opcodes.CHECKCAST, wanted.getInternalName());
      }
    }

    private boolean fits(int opcode, String shape) {
      int arguments = Type.getArgumentTypes(shape).length;
      return target.getParameterCount() == arguments + (opcode == Opcodes.INVOKESTATIC ? 0 : 1);
    }
  }
}
