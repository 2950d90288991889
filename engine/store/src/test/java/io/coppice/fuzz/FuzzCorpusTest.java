// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.InvalidOptionsException;
import io.coppice.table.NativeCodec;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Replays what the pages of {@code docs/formats} show, and the inputs in {@code
 * src/test/resources/fuzz} that fuzzing found, one a line in hex. Each is also changed a little in
 * many ways, others each seed. {@code mvn -Pfuzz -f engine test -Dfuzz.target=WAL
 * -Dfuzz.seconds=300} lets Jazzer go on from them.
 */
class FuzzCorpusTest {

  private static final Path CORPORA = Path.of("src", "test", "resources", "fuzz");
  private static final int CHANGES = Integer.getInteger("changes", 2_000);

  /** Where fuzzing starts from: what the pages of the formats show, and what was found. */
  static List<byte[]> inputs(FuzzTarget target) throws IOException {
    List<byte[]> inputs = new ArrayList<>(PageInputs.of(target));
    Path found = CORPORA.resolve(target.name().toLowerCase(Locale.ROOT) + ".hex");
    for (String line : Files.readAllLines(found, StandardCharsets.US_ASCII)) {
      if (!line.startsWith("#")) {
        inputs.add(HexFormat.of().parseHex(line));
      }
    }
    return inputs;
  }

  @ParameterizedTest
  @EnumSource(FuzzTarget.class)
  void whatFuzzingFoundIsAnsweredOrRefused(FuzzTarget target) throws IOException {
    List<byte[]> inputs = inputs(target);
    Map<String, Integer> ends = new HashMap<>();
    for (byte[] input : inputs) {
      ends.merge(run(target, input), 1, Integer::sum);
    }
    assertThat(ends).as("inputs that are read to their end").containsKey("read");
    long seed = Seeds.seed(5);
    Random random = Seeds.random(seed, target.ordinal());
    for (int i = 0; i < CHANGES; i++) {
      byte[] input = changed(inputs.get(random.nextInt(inputs.size())), random);
      ends.merge(run(target, input), 1, Integer::sum);
    }
    // A damaged filter is left out or made anew.
    assertThat(ends.containsKey("CorruptionException")).isEqualTo(target != FuzzTarget.FILTERS);
  }

  private static String run(FuzzTarget target, byte[] input) {
    try {
      return FuzzRun.run(target, input);
    } catch (InvalidOptionsException e) {
      assertThat(NativeCodec.present()).as(e.getMessage()).isFalse();
      return "without a library";
    } catch (RuntimeException | Error e) {
      throw new AssertionError(
          target + " by " + HexFormat.of().formatHex(input) + " (add this line to its corpus)", e);
    }
  }

  private static byte[] changed(byte[] input, Random random) {
    byte[] bytes = input.clone();
    for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt(256);
        case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0xFF : 0x80);
        case 3 -> bytes = Arrays.copyOf(bytes, at);
        default -> {
          int from = random.nextInt(bytes.length);
          int length = random.nextInt(Math.min(bytes.length - from, bytes.length - at));
          System.arraycopy(bytes, from, bytes, at, length);
        }
      }
    }
    return bytes;
  }
}
