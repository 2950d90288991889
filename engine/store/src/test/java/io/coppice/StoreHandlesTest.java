// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.base.SearchScheme;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import org.junit.jupiter.api.Test;

/** The life of stores, snapshots and cursors, and of what they lend. */
class StoreHandlesTest {

  /** For methods that take one. */
  private Family family;

  private static final byte[] A = "a".getBytes(UTF_8);
  private static final byte[] B = "b".getBytes(UTF_8);

  private record Forgotten(OpenHandles.What what, Duration age, Throwable opened) {}

  private final AtomicLong clock = new AtomicLong();
  private final BlockingQueue<Forgotten> reports = new ArrayBlockingQueue<>(1000);

  private OpenHandles handles(LeakTracking tracking) {
    return new OpenHandles(
        tracking, clock::get, (what, age, opened) -> reports.add(new Forgotten(what, age, opened)));
  }

  private static Store open() throws IOException {
    return Store.open(
        new MemDisk(), StoreOptions.builder().durability(Durability.BUFFERED).build());
  }

  @Test
  void whatIsForgottenIsReleasedAndReportedWithItsAge() throws InterruptedException {
    OpenHandles handles = handles(LeakTracking.OFF);
    AtomicInteger released = new AtomicInteger();
    handles.add(new Object(), OpenHandles.What.SNAPSHOT, released::incrementAndGet);
    clock.set(5_000_000_000L);
    Forgotten report = nextReport();
    assertThat(report).isEqualTo(new Forgotten(OpenHandles.What.SNAPSHOT, ofSeconds(5), null));
    assertThat(released).hasValue(1);
    assertThat(handles.count()).isZero();
    assertThat(handles.forgotten()).isOne();
  }

  /** A set as an Error inside it leaves it: some changes are made although the call threw. */
  private static final class BrokenSet<E> extends LinkedHashSet<E> {
    private static final long serialVersionUID = 1;

    private boolean failsToAdd;
    private boolean failsToRemove;
    private boolean hasWrongSize;

    @Override
    public boolean add(E element) {
      super.add(element);
      if (failsToAdd) {
        throw new StackOverflowError();
      }
      return true;
    }

    @Override
    public boolean remove(Object element) {
      if (failsToRemove) {
        throw new StackOverflowError();
      }
      return super.remove(element);
    }

    @Override
    public int size() {
      return hasWrongSize ? super.size() - 1 : super.size();
    }

    @Override
    public Object[] toArray() {
      // As the collections of the JDK: an array of that size is filled with all elements.
      if (hasWrongSize) {
        throw new ArrayIndexOutOfBoundsException();
      }
      return super.toArray();
    }
  }

  @Test
  void anErrorInsideTheSetOfHandlesLosesNoneAndReleasesNoneTwice() {
    BrokenSet<OpenHandles.Handle> set = new BrokenSet<>();
    OpenHandles handles =
        new OpenHandles(LeakTracking.OFF, clock::get, (what, age, opened) -> {}, set);
    AtomicInteger released = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    Object owner = new Object();
    set.failsToAdd = true;
    set.failsToRemove = true;
    assertThatThrownBy(
            () -> handles.add(owner, OpenHandles.What.SNAPSHOT, refused::incrementAndGet))
        .isInstanceOf(StackOverflowError.class);
    set.failsToAdd = false;
    clock.set(5_000_000_000L);
    OpenHandles.Handle first =
        handles.add(owner, OpenHandles.What.SNAPSHOT, released::incrementAndGet);
    handles.add(owner, OpenHandles.What.CURSOR, released::incrementAndGet);
    clock.set(7_000_000_000L);
    assertThat(handles.oldestSnapshot()).as("without the refused one").isEqualTo(ofSeconds(2));
    assertThatThrownBy(first::close).isInstanceOf(StackOverflowError.class);
    assertThat(released).as("released although the set threw").hasValue(1);
    assertThat(handles.oldestSnapshot()).isEqualTo(Duration.ZERO);
    set.failsToRemove = false;
    set.hasWrongSize = true;
    handles.closeAll();
    assertThat(released).hasValue(2);
    assertThat(refused).as("its memory is the caller's").hasValue(0);
    Reference.reachabilityFence(owner);
  }

  @Test
  void whatWasClosedIsNotReported() throws InterruptedException {
    OpenHandles handles = handles(LeakTracking.OFF);
    AtomicInteger released = new AtomicInteger();
    OpenHandles.Handle handle =
        handles.add(new Object(), OpenHandles.What.CURSOR, released::incrementAndGet);
    handle.close();
    handle.close();
    handles.add(new Object(), OpenHandles.What.SNAPSHOT, released::incrementAndGet);
    assertThat(nextReport().what()).isEqualTo(OpenHandles.What.SNAPSHOT);
    assertThat(reports).isEmpty();
    assertThat(released).hasValue(2);
  }

  @Test
  void trackingRemembersWhereAHandleWasOpened() throws InterruptedException {
    Map<LeakTracking, Integer> traced =
        Map.of(LeakTracking.OFF, 0, LeakTracking.SAMPLED, 2, LeakTracking.ALL, 200);
    for (LeakTracking tracking : LeakTracking.values()) {
      OpenHandles handles = handles(tracking);
      for (int i = 0; i < 200; i++) {
        handles.add(new Object(), OpenHandles.What.CURSOR, () -> {});
      }
      int found = 0;
      for (int i = 0; i < 200; i++) {
        Throwable opened = nextReport().opened();
        if (opened != null) {
          found++;
          assertThat(opened.getStackTrace())
              .anyMatch(
                  frame -> frame.getMethodName().equals("trackingRemembersWhereAHandleWasOpened"));
        }
      }
      assertThat(found).as("%s", tracking).isEqualTo(traced.get(tracking));
    }
  }

  @Test
  void theOldestOpenSnapshotHasTheAgeShown() {
    OpenHandles handles = handles(LeakTracking.OFF);
    List<Object> owners = new ArrayList<>();
    List<OpenHandles.Handle> snapshots = new ArrayList<>();
    for (OpenHandles.What what :
        List.of(OpenHandles.What.CURSOR, OpenHandles.What.SNAPSHOT, OpenHandles.What.SNAPSHOT)) {
      Object owner = new Object();
      owners.add(owner);
      snapshots.add(handles.add(owner, what, () -> {}));
      clock.addAndGet(1_000_000_000L);
    }
    assertThat(handles.oldestSnapshot()).isEqualTo(ofSeconds(2));
    snapshots.get(1).close();
    assertThat(handles.oldestSnapshot()).isEqualTo(ofSeconds(1));
    snapshots.get(2).close();
    assertThat(handles.oldestSnapshot()).isZero();
    assertThat(owners).hasSize(3);
  }

  @Test
  void aForgottenCursorGivesItsMemtableBack() throws Exception {
    try (Store store = open()) {
      store.put(A, B);
      long before = store.stats().memoryBytes();
      standOnFirst(store);
      store.flush();
      for (int i = 0; i < 10_000 && store.stats().forgottenHandles() == 0; i++) {
        System.gc();
      }
      assertThat(store.stats().forgottenHandles()).isOne();
      assertThat(store.stats().openHandles()).isZero();
      assertThat(store.stats().memoryBytes()).isLessThanOrEqualTo(before + (64 << 10));
      store.compact();
      assertThat(store.stats().pinnedBytes()).isZero();
    }
  }

  private static void standOnFirst(Store store) {
    Cursor cursor = store.cursor(KeyRange.all());
    cursor.first();
    assertThat(cursor.key()).isEqualTo(A);
  }

  @Test
  void everyMethodOfAClosedHandleThrows() throws Exception {
    Store store = open();
    store.put(A, B);
    family = store.createFamily("users");
    Snapshot snapshot = store.snapshot();
    Cursor cursor = store.cursor(KeyRange.all());
    Snapshot left = store.snapshot();
    Cursor leftCursor = left.cursor(KeyRange.all());
    leftCursor.first();
    snapshot.close();
    cursor.close();
    assertAllThrow(snapshot);
    assertAllThrow(cursor);
    store.close();
    assertAllThrow(store);
    assertAllThrow(family);
    assertAllThrow(left);
    assertAllThrow(leftCursor);
    for (AutoCloseable handle : List.of(store, snapshot, cursor, left, leftCursor)) {
      handle.close();
    }
  }

  private void assertAllThrow(Object handle) throws IllegalAccessException {
    int called = 0;
    for (Method method : handle.getClass().getDeclaredMethods()) {
      int modifiers = method.getModifiers();
      if (!Modifier.isPublic(modifiers)
          || Modifier.isStatic(modifiers)
          || method.isSynthetic()
          || method.getName().equals("close")
          || method.getName().equals("name")) {
        continue;
      }
      Object[] arguments = new Object[method.getParameterCount()];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = argument(method.getParameterTypes()[i]);
      }
      try {
        method.invoke(handle, arguments);
        throw new AssertionError(method + " worked on a closed handle");
      } catch (InvocationTargetException e) {
        assertThat(e.getCause()).as(method.toString()).isInstanceOf(ClosedException.class);
      }
      called++;
    }
    assertThat(called).isGreaterThan(3);
  }

  private Object argument(Class<?> type) {
    if (type == byte[].class) {
      return A;
    }
    if (type == ByteBuffer.class) {
      return ByteBuffer.wrap(A);
    }
    if (type == List.class) {
      return List.of(A);
    }
    if (type == String.class) {
      return "leveled";
    }
    if (type == Family.class) {
      return family;
    }
    if (type == long.class) {
      return 1L << 20;
    }
    if (type == Path.class) {
      return Path.of("unused");
    }
    if (type == KeyRange.class) {
      return KeyRange.all();
    }
    if (type == Durability.class) {
      return Durability.NONE;
    }
    if (type == Duration.class) {
      return Duration.ZERO;
    }
    if (type == WriteBatch.class) {
      return new WriteBatch().put(A, B);
    }
    if (type == SearchScheme.class) {
      return SearchScheme.SERIAL;
    }
    if (type == DoubleConsumer.class) {
      return (DoubleConsumer) share -> {};
    }
    throw new AssertionError("no argument of " + type + " is known here; add one");
  }

  @Test
  void aViewIsOverwrittenWhenItsCursorMovesOrCloses() throws IOException {
    try (Store store = open()) {
      store.put(A, A);
      store.put(B, B);
      Cursor cursor = store.cursor(KeyRange.all());
      List<Runnable> ends =
          List.of(
              cursor::next,
              cursor::prev,
              cursor::first,
              cursor::last,
              () -> cursor.seek(A),
              () -> cursor.seekForPrev(B),
              cursor::close);
      for (Runnable end : ends) {
        if (!cursor.valid()) {
          cursor.first();
        }
        ByteBuffer key = cursor.keyView();
        ByteBuffer value = cursor.valueView();
        assertThat(key.get(key.position())).isIn(A[0], B[0]);
        assertThat(value.get(value.position())).isIn(A[0], B[0]);
        end.run();
        assertThat(key.get(key.position())).isEqualTo(LentView.POISON);
        assertThat(value.get(value.position())).isEqualTo(LentView.POISON);
      }
      assertThatThrownBy(cursor::valid).isInstanceOf(ClosedException.class);
    }
  }

  @Test
  void aViewIsReadOnlyAndShowsExactlyTheBytes() throws IOException {
    try (Store store = open()) {
      store.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
      for (int pass = 0; pass < 2; pass++) {
        try (Cursor cursor = store.cursor(KeyRange.prefix("k".getBytes(UTF_8)))) {
          cursor.first();
          for (int call = 0; call < 2; call++) {
            assertThat(UTF_8.decode(cursor.keyView()).toString()).isEqualTo("key");
            assertThat(UTF_8.decode(cursor.valueView()).toString()).isEqualTo("value");
          }
          assertThat(cursor.keyView().isReadOnly()).isTrue();
          assertThat(cursor.valueView().isReadOnly()).isTrue();
        }
        store.flush();
      }
    }
  }

  private static Duration ofSeconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  /** Asks for collections until something forgotten is found. */
  private Forgotten nextReport() throws InterruptedException {
    for (int i = 0; i < 200; i++) {
      Forgotten report = reports.poll();
      if (report == null) {
        System.gc();
        report = reports.poll(100, TimeUnit.MILLISECONDS);
      }
      if (report != null) {
        return report;
      }
    }
    throw new AssertionError("nothing forgotten was found");
  }
}
