// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.manifest.FieldSpoiler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Every field of every record of a manifest, found by reading the compiled code of the codecs: each
 * call that writes one goes to {@link FieldSpoiler} instead, with the number of the field. So a new
 * field, or a new kind of edit, shows up by itself.
 *
 * <p>A field is named by what the code fieldName at last before it wrote: an accessor, such as
 * {@code TrimSlice.newLow}, or else a variable of the method, by its place. Where that is not
 * enough a number follows.
 */
final class CodecFields {

  private static final List<String> CODECS =
      List.of("io.coppice.manifest.EditCodec", "io.coppice.manifest.ManifestSnapshotCodec");

  private static final String SINK = "io/coppice/base/bytes/ByteSink";
  private static final String SPOILER = Type.getInternalName(FieldSpoiler.class);

  /** Written in pieces by the codec itself; where they are called they are one field. */
  private static final Set<String> WHOLE = Set.of("text", "numbers");

  /** Methods that write a field, by name, as the spoiler has them. */
  private static final Map<String, Method> WRITERS =
      Arrays.stream(FieldSpoiler.class.getDeclaredMethods())
          .filter(method -> method.getParameterCount() > 2 && !method.isSynthetic())
          .collect(Collectors.toMap(Method::getName, method -> method));

  private final List<String> names = new ArrayList<>();
  private final Map<String, byte[]> changed = new LinkedHashMap<>();

  CodecFields() {
    CODECS.forEach(name -> changed.put(name, change(EngineLoader.bytes(name))));
  }

  /** All fields; their places in the list are their numbers. */
  List<String> names() {
    return List.copyOf(names);
  }

  /** The codecs that can be told to spoil a field, for a loader of their own. */
  Map<String, UnaryOperator<byte[]>> changes() {
    Map<String, UnaryOperator<byte[]>> changes = new HashMap<>();
    changed.forEach((name, bytes) -> changes.put(name, original -> bytes));
    return changes;
  }

  private int number(String name) {
    String unique = name;
    for (int i = 2; names.contains(unique); i++) {
      unique = name + " " + i;
    }
    names.add(unique);
    return names.size() - 1;
  }

  private byte[] change(byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          private final List<Runnable> added = new ArrayList<>();
          private String owner;

          @Override
          public void visit(
              int version, int access, String name, String signature, String base, String[] faces) {
            owner = name;
            super.visit(version, access, name, signature, base, faces);
          }

          @Override
          public MethodVisitor visitMethod(
              int access, String name, String shape, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, shape, signature, thrown);
            boolean apart = WHOLE.contains(name) || !shape.contains(SINK);
            return apart ? next : new Writes(next, owner, name, sinkOf(access, shape), cv, added);
          }

          @Override
          public void visitEnd() {
            added.forEach(Runnable::run);
            super.visitEnd();
          }
        },
        0);
    return writer.toByteArray();
  }

  /** The place of the variable that is a method's sink. */
  private static int sinkOf(int access, String shape) {
    int place = (access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
    for (Type type : Type.getArgumentTypes(shape)) {
      if (type.getInternalName().equals(SINK)) {
        return place;
      }
      place += type.getSize();
    }
    throw new AssertionError(shape + " has no sink");
  }

  /** Leads the calls of one method that write fields elsewhere. */
  private final class Writes extends MethodVisitor {
    private final String owner;
    private final String method;
    private final int sink;
    private final ClassVisitor type;
    private final List<Runnable> added;
    private String fieldName;

    Writes(
        MethodVisitor next,
        String owner,
        String method,
        int sink,
        ClassVisitor type,
        List<Runnable> added) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
      this.method = method;
      this.sink = sink;
      this.type = type;
      this.added = added;
      this.fieldName = method + ".type";
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
      if (index != sink) {
        fieldName = method + "." + index;
      }
      super.visitVarInsn(opcode, index);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String called, String name, String shape, boolean isInterface) {
      if (isWriter(called, name)) {
        int field = number(fieldName);
        super.visitLdcInsn(field);
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC,
            SPOILER,
            name,
            Type.getMethodDescriptor(WRITERS.get(name)),
            false);
        return;
      }
      super.visitMethodInsn(opcode, called, name, shape, isInterface);
      if (shape.startsWith("()") && called.startsWith("io/coppice/") && !called.equals(SINK)) {
        fieldName =
            called.substring(Math.max(called.lastIndexOf('/'), called.lastIndexOf('$')) + 1);
        fieldName += "." + name;
      }
    }

    private boolean isWriter(String called, String name) {
      return WRITERS.containsKey(name)
          && (called.equals(SINK) || (WHOLE.contains(name) && called.endsWith("Codec")));
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String shape, Handle factory, Object... arguments) {
      Object[] changedArguments = arguments.clone();
      for (int i = 0; i < arguments.length; i++) {
        if (arguments[i] instanceof Handle handle
            && isWriter(handle.getOwner(), handle.getName())) {
          changedArguments[i] = bridge(handle.getName(), number(fieldName));
        }
      }
      super.visitInvokeDynamicInsn(name, shape, factory, changedArguments);
    }

    /** A method of the codec that takes what the method meant takes, and adds the field. */
    private Handle bridge(String name, int field) {
      String target = Type.getMethodDescriptor(WRITERS.get(name));
      Type[] types = Type.getArgumentTypes(target);
      Type[] taken = Arrays.copyOf(types, types.length - 1);
      String shape = Type.getMethodDescriptor(Type.getReturnType(target), taken);
      String bridge = "field" + field;
      added.add(
          () -> {
            MethodVisitor body =
                type.visitMethod(
                    Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC,
                    bridge,
                    shape,
                    null,
                    null);
            body.visitCode();
            int index = 0;
            for (Type each : taken) {
              body.visitVarInsn(each.getOpcode(Opcodes.ILOAD), index);
              index += each.getSize();
            }
            body.visitLdcInsn(field);
            body.visitMethodInsn(Opcodes.INVOKESTATIC, SPOILER, name, target, false);
            body.visitInsn(Type.getReturnType(target).getOpcode(Opcodes.IRETURN));
            body.visitMaxs(0, 0);
            body.visitEnd();
          });
      return new Handle(Opcodes.H_INVOKESTATIC, owner, bridge, shape, false);
    }
  }
}
