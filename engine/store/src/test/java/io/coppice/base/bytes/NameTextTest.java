// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NameTextTest {

  private static final int NAMES = 2_000;

  @Test
  void textsOfNamesHoldNothingThatSteersAndDifferAsTheNamesDo() {
    Seeds.forEachOfMany(
        2,
        random -> {
          Map<String, String> escaped = new HashMap<>();
          Map<String, String> dotted = new HashMap<>();
          for (int i = 0; i < NAMES; i++) {
            String name = RandomNames.of(random);
            assertThat(NameText.quoted(name).codePoints()).allMatch(NameText::isVisible);
            String path = NameText.pathPart(name);
            assertThat(path).doesNotContain("/");
            assertThat(path.codePoints()).allMatch(NameText::isVisible);
            assertThat(NameText.dottedPart(name)).matches("[A-Za-z0-9_%-]+");
            String other = escaped.put(path, name);
            assertThat(other == null || other.equals(name)).as(path).isTrue();
            other = dotted.put(NameText.dottedPart(name), name);
            assertThat(other == null || other.equals(name)).as(name).isTrue();
          }
        });
  }

  @Test
  void plainNamesStayAsTheyAre() {
    assertThat(NameText.quoted("users-1")).isEqualTo("'users-1'");
    assertThat(NameText.quoted("日本 \uD83C\uDF33")).isEqualTo("'日本 \uD83C\uDF33'");
    assertThat(NameText.quoted("a\n\u202E'\\\uD800")).isEqualTo("'a\\n\\u{202e}\\'\\\\\\u{d800}'");
    assertThat(NameText.dottedPart("a.b é")).isEqualTo("a%2Eb%20%C3%A9");
    assertThat(NameText.pathPart("a/b")).isEqualTo("a\\u{2f}b");
  }

  @Test
  void longNamesAndListsAreCut() {
    assertThat(NameText.quoted("x".repeat(1000))).isEqualTo("'" + "x".repeat(300) + "...'");
    List<String> many = IntStream.range(0, 12).mapToObj(i -> "f" + i).toList();
    assertThat(NameText.list(many)).startsWith("'f0', 'f1'").endsWith("'f9' and 2 more");
  }
}
