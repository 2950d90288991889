// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.policy.observe.TableMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A converter of table maps to the JSON that the page draws, and to its compressed form for the
 * history.
 */
public final class TableMapJson {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double PLACES = 1e9;

  private TableMapJson() {}

  /** Returns a hash of everything in a map that the page shows, except the time of the map. */
  static int fingerprint(TableMap map) {
    int sum = Arrays.hashCode(map.table());
    sum = 31 * sum + Arrays.hashCode(map.level());
    sum = 31 * sum + Arrays.hashCode(map.run());
    sum = 31 * sum + Arrays.hashCode(map.bytes());
    sum = 31 * sum + Arrays.hashCode(map.merge());
    sum = 31 * sum + Arrays.hashCode(map.low());
    for (TableMap.Merge merge : map.merges()) {
      sum = 31 * sum + merge.id().hashCode() + Double.hashCode(merge.watermark());
    }
    return sum;
  }

  /** Returns a map as JSON in UTF-8, compressed in zlib format. */
  static byte[] pack(TableMap map) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream packed = new DeflaterOutputStream(bytes)) {
      packed.write(json(map));
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  /** Returns the JSON of a map that {@link #pack} compressed. */
  public static byte[] unpack(byte[] packed) {
    try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(packed))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("reading from memory", e);
    }
  }

  /** Returns a map as JSON in UTF-8: columns as arrays, merges as objects. */
  public static byte[] json(TableMap map) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      out.writeStartObject();
      out.writeStringField("name", map.name());
      out.writeNumberField("at", map.atMillis());
      out.writeStringField("axis", map.axis());
      texts(out, "parts", map.parts());
      whole(out, "part", map.part());
      whole(out, "level", map.level());
      whole(out, "run", map.run());
      places(out, "low", map.low());
      places(out, "high", map.high());
      whole(out, "table", map.table());
      whole(out, "bytes", map.bytes());
      whole(out, "entries", map.entries());
      whole(out, "deletions", map.deletions());
      places(out, "droppable", map.droppable());
      whole(out, "group", map.group());
      whole(out, "parents", map.parents());
      whole(out, "merge", map.merge());
      texts(out, "lowKeys", map.lowKeys());
      texts(out, "highKeys", map.highKeys());
      out.writeArrayFieldStart("merges");
      for (TableMap.Merge merge : map.merges()) {
        out.writeStartObject();
        out.writeStringField("id", merge.id());
        out.writeNumberField("level", merge.level());
        out.writeNumberField("low", merge.low());
        out.writeNumberField("high", merge.high());
        out.writeNumberField("watermark", merge.watermark());
        out.writeNumberField("total", merge.inputBytes());
        out.writeNumberField("done", merge.doneBytes());
        out.writeNumberField("started", merge.startedMillis());
        out.writeStringField("code", merge.code());
        out.writeStringField("sentence", merge.sentence());
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  private static void texts(JsonGenerator out, String name, List<String> texts) throws IOException {
    out.writeArrayFieldStart(name);
    for (String text : texts) {
      out.writeString(text);
    }
    out.writeEndArray();
  }

  private static void whole(JsonGenerator out, String name, int[] numbers) throws IOException {
    out.writeFieldName(name);
    out.writeArray(numbers, 0, numbers.length);
  }

  private static void whole(JsonGenerator out, String name, long[] numbers) throws IOException {
    out.writeFieldName(name);
    out.writeArray(numbers, 0, numbers.length);
  }

  private static void places(JsonGenerator out, String name, double[] numbers) throws IOException {
    out.writeFieldName(name);
    double[] rounded = new double[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      rounded[i] = Double.isFinite(numbers[i]) ? Math.rint(numbers[i] * PLACES) / PLACES : 0;
    }
    out.writeArray(rounded, 0, rounded.length);
  }
}
