// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * Gives a mapping back at once instead of some day after a collection. Found by name, as the
 * compiler warns of a direct use; where it is missing, files are not mapped. An access after that
 * ends the process: only {@link MappedFile}, behind its {@link Gate}, may call this.
 */
final class Unmapper {

  private static final MethodHandle INVOKE_CLEANER = find();

  private Unmapper() {}

  static boolean isAvailable() {
    return INVOKE_CLEANER != null;
  }

  /** Unmaps a buffer that {@code map} returned: not a slice or a duplicate of one. */
  static void unmap(MappedByteBuffer mapping) {
    try {
      INVOKE_CLEANER.invokeExact((ByteBuffer) mapping);
    } catch (Throwable e) {
      throw new IllegalStateException("a mapping could not be given back", e);
    }
  }

  private static MethodHandle find() {
    try {
      Class<?> type = Class.forName("sun.misc.Unsafe");
      Field field = type.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(type, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(field.get(null));
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }
}
