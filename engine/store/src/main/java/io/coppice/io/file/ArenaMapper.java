// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Mapper that uses {@code java.lang.foreign.Arena}, from JDK 22 on. It looks the methods up by name
 * because the code is compiled for an older JDK.
 */
final class ArenaMapper implements Mapping.Mapper {

  private final MethodHandle ofShared;
  private final MethodHandle map;
  private final MethodHandle asByteBuffer;
  private final MethodHandle close;

  ArenaMapper() throws ReflectiveOperationException {
    Class<?> arena = Class.forName("java.lang.foreign.Arena");
    Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
    MethodHandles.Lookup lookup = MethodHandles.publicLookup();
    ofShared = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
    map =
        lookup.findVirtual(
            FileChannel.class,
            "map",
            MethodType.methodType(
                segment, FileChannel.MapMode.class, long.class, long.class, arena));
    asByteBuffer =
        lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
    close = lookup.findVirtual(arena, "close", MethodType.methodType(void.class));
  }

  @Override
  public Mapping map(FileChannel channel, FileChannel.MapMode mode, long position, long length)
      throws IOException {
    Object arena = invoke(ofShared);
    try {
      Object segment = invoke(map, channel, mode, position, length, arena);
      return new Mapping((ByteBuffer) invoke(asByteBuffer, segment), () -> close(arena));
    } catch (IOException | RuntimeException | Error e) {
      close(arena);
      throw e;
    }
  }

  private void close(Object arena) {
    try {
      invoke(close, arena);
    } catch (IOException e) {
      throw new IllegalStateException("a mapping could not be given back", e);
    }
  }

  private static Object invoke(MethodHandle method, Object... arguments) throws IOException {
    try {
      return method.invokeWithArguments(arguments);
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
