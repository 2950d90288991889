// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.ByteSink;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.PassingDisk;
import io.coppice.io.RecordFrame;
import io.coppice.table.TableMeta;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A disk on which one field of the edits in a manifest is not what the engine wrote: one more than
 * it, or that of the edit before. Checksums are right.
 */
public final class SpoiltManifests extends PassingDisk {

  private final String field;
  private final boolean stale;

  /** By field, what it was last. */
  private final Map<String, Object> before = new HashMap<>();

  /**
   * Spoils a field.
   *
   * @param field as {@link #fields} names it
   * @param stale true for the value of the edit before, false for one more
   */
  public SpoiltManifests(Disk disk, String field, boolean stale) {
    super(disk);
    this.field = field;
    this.stale = stale;
  }

  /** All fields of all edits, such as {@code AddTable.table.bytes}. */
  public static List<String> fields() {
    List<String> fields = new ArrayList<>();
    for (Class<?> type : EditOp.class.getPermittedSubclasses()) {
      for (RecordComponent component : type.getRecordComponents()) {
        String name = type.getSimpleName() + "." + component.getName();
        if (component.getType() == TableMeta.class) {
          for (RecordComponent inner : TableMeta.class.getRecordComponents()) {
            fields.add(name + "." + inner.getName());
          }
        } else {
          fields.add(name);
        }
      }
    }
    return fields;
  }

  private byte[] spoilt(byte[] payload) {
    if (ManifestRecord.isSnapshot(payload)) {
      return payload;
    }
    List<EditOp> ops = new ArrayList<>();
    for (EditOp op : ManifestRecord.edit(payload).ops()) {
      ops.add(op.getClass().getSimpleName().equals(field.split("[.]")[0]) ? spoilt(op) : op);
    }
    ByteSink sink = new ByteSink(256);
    EditCodec.encode(new VersionEdit(ops), sink);
    return Arrays.copyOf(sink.array(), sink.length());
  }

  private EditOp spoilt(EditOp op) {
    return (EditOp) with((Record) op, field.split("[.]"), 1);
  }

  private Record with(Record whole, String[] path, int depth) {
    try {
      RecordComponent[] components = whole.getClass().getRecordComponents();
      Object[] values = new Object[components.length];
      Class<?>[] types = new Class<?>[components.length];
      for (int i = 0; i < components.length; i++) {
        components[i].getAccessor().setAccessible(true);
        values[i] = components[i].getAccessor().invoke(whole);
        types[i] = components[i].getType();
        if (components[i].getName().equals(path[depth])) {
          values[i] =
              depth + 1 < path.length
                  ? with((Record) values[i], path, depth + 1)
                  : other(values[i]);
        }
      }
      Constructor<?> constructor = whole.getClass().getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return (Record) constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      // Such a value is refused where it is made; the record stays as it is.
      return whole;
    }
  }

  private Object other(Object value) {
    if (stale) {
      Object old = before.put(field, value);
      return old == null ? value : old;
    }
    if (value instanceof Integer number) {
      return number + 1;
    } else if (value instanceof Long number) {
      return number + 1;
    } else if (value instanceof String text) {
      return text + "1";
    } else if (value instanceof byte[] key) {
      byte[] next = key.clone();
      next[next.length - 1]++;
      return next;
    } else if (value instanceof Set<?> set) {
      return new HashSet<>(behindFirst(set));
    } else if (value instanceof List<?> list) {
      return behindFirst(list);
    }
    throw new IllegalStateException("a field of type " + value.getClass());
  }

  private static List<?> behindFirst(Collection<?> all) {
    return all.stream().skip(1).toList();
  }

  @Override
  public OutputFile create(String name) throws IOException {
    OutputFile file = disk.create(name);
    OptionalLong number = FileKind.MANIFEST.numberOf(name);
    return number.isEmpty() ? file : new Spoilt(file, number.getAsLong());
  }

  private final class Spoilt extends PassingOutput {
    private final long number;

    Spoilt(OutputFile file, long number) {
      super(file);
      this.number = number;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      byte[] record = Arrays.copyOfRange(bytes, offset, offset + length);
      if (file.position() > 0 && length > RecordFrame.HEADER_BYTES) {
        byte[] payload = RecordFrame.payload(record);
        if (payload != null) {
          record = RecordFrame.with(record, spoilt(payload), number, file.position());
        }
      }
      file.write(record, 0, record.length);
    }
  }
}
