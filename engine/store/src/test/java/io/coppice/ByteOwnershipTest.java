// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every method at the public door that takes or gives bytes says whose they are and until when: its
 * own comment has one of the words <em>copy, copied, copies, lent, kept, yours</em>.
 */
class ByteOwnershipTest {

  private static final Path SOURCES = Path.of("src", "main", "java", "io", "coppice");

  /** What users implement, outside the root package. */
  private static final List<String> CALLBACKS =
      List.of("base/CompactionFilter.java", "base/MergeOperator.java");

  private static final Pattern PUBLIC_TYPE =
      Pattern.compile("(?m)^public (?:final |abstract |sealed )*(class|record|interface|enum) ");

  private static final Pattern METHOD =
      Pattern.compile(
          "(?m)^ {2,4}((?:public |static |default )*[\\w<>\\[\\]., ]+ (\\w+)\\([^{;]*)");

  private static final Pattern BYTES = Pattern.compile("byte\\[]|ByteBuffer");
  private static final Pattern WORDS =
      Pattern.compile("\\b(copy|copied|copies|lent|kept|yours)\\b", Pattern.CASE_INSENSITIVE);

  @Test
  void everyPublicMethodWithBytesSaysWhoseTheyAre() throws IOException {
    List<Path> files = new ArrayList<>(CALLBACKS.stream().map(SOURCES::resolve).toList());
    try (Stream<Path> root = Files.list(SOURCES)) {
      files.addAll(root.filter(file -> file.toString().endsWith(".java")).sorted().toList());
    }
    List<String> silent = new ArrayList<>();
    int methods = 0;
    for (Path file : files) {
      String text = Files.readString(file);
      Matcher type = PUBLIC_TYPE.matcher(text);
      if (type.find()) {
        methods += collect(file, text, type.group(1).equals("interface"), silent);
      }
    }
    assertThat(silent).isEmpty();
    assertThat(methods).isGreaterThan(40);
  }

  @Test
  void aMethodWithoutTheWordsIsReported() {
    String text =
        """
        public final class Sample {
          /** Stands for something. */
          public byte[] silent(int number) {
            return new byte[number];
          }

          public byte[] bare() {
            return null;
          }

          /** A copy that is yours. */
          public byte[] said() {
            return null;
          }

          /** Stands for something else. */
          public int without(int number) {
            return number;
          }

          /** Stands for something. */
          byte[] hidden() {
            return null;
          }
        }
        """;
    List<String> silent = new ArrayList<>();
    assertThat(collect(Path.of("Sample.java"), text, false, silent)).isEqualTo(3);
    assertThat(silent).containsExactly("Sample.java: silent", "Sample.java: bare");
  }

  /** Returns how many methods with bytes there are, and adds those whose comment says nothing. */
  private static int collect(Path file, String text, boolean open, List<String> silent) {
    int methods = 0;
    Matcher method = METHOD.matcher(text);
    while (method.find()) {
      String head = method.group(1);
      boolean visible = open ? !head.startsWith("private ") : head.startsWith("public ");
      if (!visible || !BYTES.matcher(head).find()) {
        continue;
      }
      methods++;
      if (!WORDS.matcher(commentBefore(text, method.start())).find()) {
        silent.add(file.getFileName() + ": " + method.group(2));
      }
    }
    return methods;
  }

  /** The comment that ends right before a place, annotations aside; empty if there is none. */
  private static String commentBefore(String text, int place) {
    String before = text.substring(0, place).replaceFirst("(\\s*@\\w+(\\([^)]*\\))?)*\\s*$", "");
    int begin = before.lastIndexOf("/**");
    return before.endsWith("*/") && begin >= 0 ? before.substring(begin) : "";
  }
}
