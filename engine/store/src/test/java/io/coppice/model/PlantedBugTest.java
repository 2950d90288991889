// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * The model finds bugs: with one method of the engine emptied, random loads fail soon, and shrink
 * to a few operations that fail too.
 */
class PlantedBugTest {

  private static final int MAX_OPERATIONS = 25;

  @ParameterizedTest
  @CsvSource({
    "deletions are forgotten too early, io.coppice.compaction.context.OlderDataRanges, mayContain, DELETES",
    "merges forget what snapshots see, io.coppice.manifest.SnapshotList, sequences, READS",
    "the log is not synced, io.coppice.wal.WalWriter, sync, CRASHES"
  })
  void anEmptiedMethodIsFoundAndShrunk(String what, String type, String method, Profile profile)
      throws ReflectiveOperationException {
    Class<?> hunt = new PlantingLoader(type, method).loadClass(Hunt.class.getName());
    @SuppressWarnings("unchecked")
    Function<String, String> found =
        (Function<String, String>) hunt.getDeclaredConstructor().newInstance();
    CaseFile shrunk = CaseFile.parse(what, found.apply(profile.name()));

    assertThat(shrunk.load().ops()).as(shrunk.text()).isNotEmpty().hasSizeLessThan(MAX_OPERATIONS);
    assertThat(Trial.run(StoreSubject::new, shrunk.config(), History.of(shrunk.load())))
        .as("as it should be")
        .isEmpty();
  }

  /** Runs loads of a kind until one fails, and shrinks it; text in, text out. */
  public static final class Hunt implements Function<String, String> {

    private static final int SEEDS = 40;
    private static final int LENGTH = 800;
    private static final int RUNS = 1_500;

    /** For reflection. */
    public Hunt() {}

    @Override
    public String apply(String profile) {
      for (int seed = 0; seed < SEEDS; seed++) {
        History history = History.of(Generator.load(Profile.valueOf(profile), seed, LENGTH));
        for (Config config : List.of(Config.DEFAULT, Config.random(seed))) {
          if (Trial.run(StoreSubject::new, config, history).isPresent()) {
            Optional<Shrinker.Result> least =
                Shrinker.shrink(StoreSubject::new, config, history.load(), 1, RUNS);
            return least
                .map(r -> new CaseFile(List.of(r.difference().what()), r.config(), r.load(), null))
                .map(CaseFile::text)
                .orElse("");
          }
        }
      }
      return "";
    }
  }

  /** Loads the engine and the harness once more, one method of them without its body. */
  private static final class PlantingLoader extends ClassLoader {
    private final String type;
    private final String method;

    PlantingLoader(String type, String method) {
      super(PlantedBugTest.class.getClassLoader());
      this.type = type;
      this.method = method;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.coppice.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        if (known == null) {
          byte[] bytes = name.equals(type) ? planted(bytes(name)) : bytes(name);
          known = defineClass(name, bytes, 0, bytes.length);
        }
        return known;
      }
    }

    private static byte[] bytes(String name) throws ClassNotFoundException {
      String file = "/" + name.replace('.', '/') + ".class";
      try (InputStream in = PlantedBugTest.class.getResourceAsStream(file)) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        return in.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    private byte[] planted(byte[] right) {
      ClassReader reader = new ClassReader(right);
      ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
      reader.accept(
          new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
              MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
              if (!name.equals(method)) {
                return next;
              }
              empty(next, Type.getReturnType(descriptor));
              return null;
            }
          },
          0);
      return writer.toByteArray();
    }

    /** Nothing, false, an empty array, or the object itself. */
    private static void empty(MethodVisitor body, Type result) {
      body.visitCode();
      if (result.getSort() == Type.BOOLEAN) {
        body.visitInsn(Opcodes.ICONST_0);
      } else if (result.getSort() == Type.ARRAY) {
        body.visitInsn(Opcodes.ICONST_0);
        body.visitIntInsn(Opcodes.NEWARRAY, Opcodes.T_LONG);
      } else if (result.getSort() == Type.OBJECT) {
        body.visitVarInsn(Opcodes.ALOAD, 0);
      }
      body.visitInsn(result.getOpcode(Opcodes.IRETURN));
      body.visitMaxs(0, 0);
      body.visitEnd();
    }
  }
}
