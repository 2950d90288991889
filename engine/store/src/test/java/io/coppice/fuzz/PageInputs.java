// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fuzz;

import com.github.luben.zstd.Zstd;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Coding;
import io.coppice.io.FileHeader;
import io.coppice.io.FormatPage;
import io.coppice.table.NativeCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Inputs of the fuzz targets out of the dumps in {@code docs/formats}. */
final class PageInputs {

  private static final Pattern LINE =
      Pattern.compile("[0-9a-f]{6}  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?: .*)?");
  private static final int TRAILER_BYTES = 5;
  private static final int FOOTER_BYTES = 40;
  private static final int FIRST_UNIT = 128;

  private PageInputs() {}

  static List<byte[]> of(FuzzTarget target) throws IOException {
    byte[] table = dump("table.md", "table");
    byte[] filters = dump("filters.md", "filters");
    byte[] manifest = dump("manifest.md", "manifest");
    byte[] current = dump("manifest.md", "current");
    byte[] wal = FormatPage.bytesOf("wal.md");
    byte first = 0;
    byte second = 1;
    return switch (target) {
      case WAL ->
          List.of(
              HostileFiles.joined(first, behind(wal, FileHeader.BYTES)),
              HostileFiles.joined(second, behind(wal, FileHeader.BYTES)));
      case MANIFEST ->
          List.of(
              HostileFiles.joined(first, behind(manifest, FileHeader.BYTES)),
              HostileFiles.joined(
                  second, pointingTo2(current), behind(manifest, FileHeader.BYTES)));
      case BLOCK -> blocks(table);
      case COMPRESSED -> compressed(blocks(table));
      case RANGES -> ranges(table);
      case INDEX -> indexes(table);
      case FILTERS ->
          List.of(
              HostileFiles.joined(
                  second,
                  Arrays.copyOfRange(filters, FileHeader.BYTES, FIRST_UNIT),
                  behind(filters, FIRST_UNIT)),
              HostileFiles.joined(first, new byte[0], behind(filters, FIRST_UNIT)));
      case ENVELOPE -> envelopes(List.of(wal, table, manifest, current, filters));
    };
  }

  /** The bytes that one dump of a page shows. */
  private static byte[] dump(String page, String name) throws IOException {
    List<String> lines =
        Files.readAllLines(Path.of("..", "..", "docs", "formats", page), StandardCharsets.UTF_8);
    int from = lines.indexOf("<!-- dump " + name + ": made by FormatPagesTest -->") + 2;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String line : lines.subList(from, lines.size())) {
      if (line.startsWith("```")) {
        return bytes.toByteArray();
      }
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        bytes.writeBytes(HexFormat.ofDelimiter(" ").parseHex(matcher.group(1)));
      }
    }
    throw new AssertionError("no dump " + name + " in " + page);
  }

  private static byte[] behind(byte[] bytes, int from) {
    return Arrays.copyOfRange(bytes, from, bytes.length);
  }

  private static byte[] pointingTo2(byte[] current) {
    byte[] bytes = current.clone();
    Coding.putFixed64(bytes, FileHeader.BYTES, 2);
    return bytes;
  }

  private static List<byte[]> blocks(byte[] table) {
    List<byte[]> blocks = new ArrayList<>();
    int footer = table.length - FOOTER_BYTES;
    int index = (int) Coding.fixed64(table, footer);
    int end = index + (int) Coding.fixed64(table, footer + 8) - TRAILER_BYTES;
    ByteSource source = new ByteSource().reset("table.md", index, table, index, end - index);
    int at = FileHeader.BYTES;
    while (source.remaining() > 0) {
      source.varint31();
      source.skip(source.varint31());
      int length = source.varint31();
      blocks.add(Arrays.copyOfRange(table, at, at + length - TRAILER_BYTES));
      at += length;
    }
    return blocks;
  }

  /**
   * The blocks by both codecs, all of it as literals, which a short LZ4 sequence can say; and with
   * padding.
   */
  private static List<byte[]> compressed(List<byte[]> blocks) {
    List<byte[]> inputs = new ArrayList<>();
    for (byte[] block : blocks) {
      ByteSink lz4 = new ByteSink(256).u8(0).varint32(block.length);
      lz4.u8(0xF0).u8(block.length - 15).bytes(block, 0, block.length);
      inputs.add(lz4.toByteArray());
      ByteSink padded = new ByteSink(256).u8(2).bytes(block, 0, block.length);
      inputs.add(padded.u8(0).u8(0).u8(0).u8(5).u8(0).toByteArray());
      if (!NativeCodec.present()) {
        continue;
      }
      ByteSink zstd = new ByteSink(256).u8(1).varint32(block.length);
      byte[] frame = Zstd.compress(block);
      zstd.bytes(frame, 0, frame.length);
      inputs.add(zstd.toByteArray());
    }
    return inputs;
  }

  /** What the page shows, and a few stretches under the sequence numbers of the target. */
  private static List<byte[]> ranges(byte[] table) {
    int footer = table.length - FOOTER_BYTES;
    int from = (int) (Coding.fixed64(table, footer) + Coding.fixed64(table, footer + 8));
    int to = (int) Coding.fixed64(table, footer + 16) - TRAILER_BYTES;
    byte[] two = {2, 1, 'b', 1, 'd', 2, 5, 3, 1, 'd', 2, 'd', 'a', 1, 9};
    return List.of(Arrays.copyOfRange(table, from, to), two);
  }

  /** The page's own, which belongs to another table, and one that is right. */
  private static List<byte[]> indexes(byte[] table) {
    int footer = table.length - FOOTER_BYTES;
    int index = (int) Coding.fixed64(table, footer);
    int properties = (int) Coding.fixed64(table, footer + 16);
    int end = index + (int) Coding.fixed64(table, footer + 8) - TRAILER_BYTES;
    byte[] shown = Arrays.copyOfRange(table, index, end);
    byte[] facts = Arrays.copyOfRange(table, properties, footer - TRAILER_BYTES);
    int a = FuzzTarget.block("a").length + TRAILER_BYTES;
    int z = FuzzTarget.block("zzz").length + TRAILER_BYTES;
    byte[] right = {0, 1, 'a', (byte) a, 0, 3, 'z', 'z', 'z', (byte) z};
    byte[] rightFacts = FuzzTarget.properties(2, 0);
    return List.of(
        HostileFiles.joined((byte) 2, shown, facts, behind(table, footer)),
        HostileFiles.joined((byte) 0, right, rightFacts, new byte[0]),
        HostileFiles.joined((byte) 2, right, rightFacts, new byte[0]),
        HostileFiles.joined((byte) 3, right, rightFacts, behind(table, footer)));
  }

  private static List<byte[]> envelopes(List<byte[]> files) {
    List<byte[]> inputs = new ArrayList<>();
    for (byte[] file : files) {
      for (int kind = 0; kind < 8; kind++) {
        inputs.add(HostileFiles.joined((byte) (2 * kind), Arrays.copyOf(file, FileHeader.BYTES)));
      }
    }
    return inputs;
  }
}
