// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Mapper for JDKs up to 21 that unmaps with {@code Unsafe.invokeCleaner}. It looks the method up by
 * name because the compiler warns about direct use.
 */
final class CleanerMapper implements Mapping.Mapper {

  private final MethodHandle invokeCleaner;

  CleanerMapper() throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    Field field = type.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    invokeCleaner =
        MethodHandles.lookup()
            .findVirtual(type, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
            .bindTo(field.get(null));
  }

  @Override
  public Mapping map(FileChannel channel, FileChannel.MapMode mode, long position, long length)
      throws IOException {
    ByteBuffer buffer = channel.map(mode, position, length);
    return new Mapping(buffer, () -> unmap(buffer));
  }

  private void unmap(ByteBuffer buffer) {
    try {
      invokeCleaner.invokeExact(buffer);
    } catch (Throwable e) {
      throw new IllegalStateException("a mapping could not be given back", e);
    }
  }
}
