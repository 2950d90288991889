// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Zeroed off-heap memory in an arena of its own, so that {@link #free} releases it at once instead
 * of a later garbage collection. Reflection finds {@code java.lang.foreign.Arena}, since the code
 * is compiled for an older JDK. An access after {@link #free} throws. Safe to share between
 * threads.
 *
 * <p>Used only if Netty's allocators leave freeing to the collector: from JDK 25 on, in processes
 * that allow no native access. Before 25 shared arenas had defects (JDK-8357145, JDK-8357268).
 */
public final class ArenaMemory {

  private static final int FIRST_JDK = 25;

  private static final @Nullable Access ACCESS = Access.find();

  private final Object arena;
  private final ByteBuffer buffer;
  private final AtomicLong count;

  private ArenaMemory(Object arena, ByteBuffer buffer, AtomicLong count) {
    this.arena = arena;
    this.buffer = buffer;
    this.count = count;
  }

  /**
   * Returns whether memory should come from this class rather than from Netty. Only then may {@link
   * #allocate} be called.
   *
   * @param netty any class of Netty
   */
  public static boolean isBetterThan(Class<?> netty) {
    return ACCESS != null && !ACCESS.isNativeAccessEnabled(netty.getModule());
  }

  /**
   * Allocates zeroed memory in a new arena.
   *
   * @param align alignment of the address, a power of two
   * @param count counter that includes the bytes until they are freed
   * @throws OutOfMemoryError if the JVM refuses; nothing is counted then
   */
  public static ArenaMemory allocate(int bytes, int align, AtomicLong count) {
    Object arena = invoke(ACCESS.ofShared);
    try {
      Object segment = invoke(ACCESS.allocate, arena, (long) bytes, (long) align);
      ByteBuffer buffer = (ByteBuffer) invoke(ACCESS.asByteBuffer, segment);
      count.addAndGet(bytes);
      return new ArenaMemory(arena, buffer, count);
    } catch (RuntimeException | Error e) {
      invoke(ACCESS.close, arena);
      throw e;
    }
  }

  /** Returns the whole memory, big-endian, at position 0. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /**
   * Frees the memory and subtracts its bytes from the counter.
   *
   * @throws IllegalStateException if it is freed already, or the system is reading or writing it;
   *     nothing changes
   */
  public void free() {
    invoke(ACCESS.close, arena);
    count.addAndGet(-buffer.capacity());
  }

  private static Object invoke(MethodHandle method, Object... arguments) {
    try {
      return method.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private record Access(
      MethodHandle ofShared,
      MethodHandle allocate,
      MethodHandle asByteBuffer,
      MethodHandle close,
      MethodHandle nativeAccess) {

    /**
     * Returns access to the JDK's arenas, or null if the JDK lacks them or they have the defects.
     */
    static @Nullable Access find() {
      if (Runtime.version().feature() < FIRST_JDK) {
        return null;
      }
      try {
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodType allocation = MethodType.methodType(segment, long.class, long.class);
        return new Access(
            lookup.findStatic(arena, "ofShared", MethodType.methodType(arena)),
            lookup.findVirtual(arena, "allocate", allocation),
            lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class)),
            lookup.findVirtual(arena, "close", MethodType.methodType(void.class)),
            lookup.findVirtual(
                Module.class, "isNativeAccessEnabled", MethodType.methodType(boolean.class)));
      } catch (ReflectiveOperationException | RuntimeException e) {
        return null;
      }
    }

    boolean isNativeAccessEnabled(Module module) {
      return (boolean) invoke(nativeAccess, module);
    }
  }
}
