// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every public class says who may share it between threads, also in packages that are not promised.
 * What is a value by its kind is spoken for by its package: records, enums, exceptions.
 */
class ThreadSafetyTest {

  private static final Pattern SAYS =
      Pattern.compile(
          "safe to share|thread-safe|\\bone\\s+thread\\b|immutable|\\ba value\\b"
              + "|threads? .{0,60}at once|several at once",
          Pattern.CASE_INSENSITIVE);

  @Test
  void everyPublicClassSaysWhoMayShareIt() throws IOException {
    Set<String> silent = new TreeSet<>();
    int seen = 0;
    for (JavaClass type : MainClasses.of("io.coppice")) {
      if (isPublic(type) && isShared(type)) {
        seen++;
        if (!SAYS.matcher(comment(type)).find()) {
          silent.add(type.getName());
        }
      }
    }
    assertThat(seen).isGreaterThan(80);
    assertThat(silent).isEmpty();
  }

  @Test
  void packagesSpeakForTheirValues() throws IOException {
    List<Path> pages = Sources.ending("package-info.java");
    assertThat(pages).hasSizeGreaterThan(10);
    for (Path page : pages) {
      assertThat(page)
          .content()
          .containsPattern(
              "ecords,\\s[* ]*enums\\s[* ]*and\\s[* ]*exceptions\\s[* ]*are\\s[* ]*safe");
    }
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ThreadSafetyTest::isPublic).orElse(true);
  }

  /** False for values by kind, and for classes that only hold static methods and constants. */
  private static boolean isShared(JavaClass type) {
    return !type.isRecord()
        && !type.isEnum()
        && !type.isAssignableTo(Throwable.class)
        && Stream.concat(type.getMethods().stream(), type.getConstructors().stream())
            .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC))
            .anyMatch(ThreadSafetyTest::ofInstances);
  }

  private static boolean ofInstances(JavaMember member) {
    return !member.getModifiers().contains(JavaModifier.STATIC);
  }

  private static String comment(JavaClass type) throws IOException {
    JavaClass top = type;
    while (top.getEnclosingClass().isPresent()) {
      top = top.getEnclosingClass().get();
    }
    String source = Files.readString(Sources.of(top.getName().replace('.', '/')));
    Matcher matcher =
        Pattern.compile(
                "/\\*\\*([^*]*+(?:\\*(?!/)[^*]*+)*)\\*/\\s*"
                    + "(?:@\\w+(?:\\((?:[^)\"]++|\"(?:\\\\.|[^\"\\\\])*+\")*+\\))?\\s+)*(?:[a-z-]+ )*"
                    + "(?:class|interface) "
                    + type.getSimpleName()
                    + "\\b")
            .matcher(source);
    return matcher.find() ? matcher.group(1).replaceAll("\\s*\\n\\s*\\* ?", " ") : "";
  }
}
