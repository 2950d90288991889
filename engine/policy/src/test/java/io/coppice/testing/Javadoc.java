// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the sources of a class say of it, as Markdown. */
public final class Javadoc {

  private static final String COMMENT = "/\\*\\*([^*]*+(?:\\*(?!/)[^*]*+)*)\\*/\\s*";
  private static final Pattern PARAM =
      Pattern.compile("@param (\\w+)\\s+((?:[^@{]|\\{@[^}]*\\})*)", Pattern.DOTALL);
  private static final Pattern INLINE = Pattern.compile("\\{@(?:code|link)\\s+([^}]*)\\}");

  private final String source;

  private Javadoc(String source) {
    this.source = source;
  }

  /** Of a class, by its name with slashes. */
  public static Javadoc of(String type) throws IOException {
    return new Javadoc(Files.readString(Sources.of(type)));
  }

  /** A method and its comment without tags. */
  public record Method(String signature, String text) {}

  /**
   * Methods in the order of the source.
   *
   * @param begin a regular expression for how their declarations begin
   */
  public List<Method> methods(String begin) {
    Pattern pattern =
        Pattern.compile(
            COMMENT + "(?:@\\w+\\s+)*(" + begin + "[^;{]*?\\))\\s*(?:throws \\w+ )?[;{]");
    Matcher matcher = pattern.matcher(source);
    List<Method> methods = new ArrayList<>();
    while (matcher.find()) {
      methods.add(
          new Method(matcher.group(2).replaceAll("\\s+", " "), markdown(body(matcher.group(1)))));
    }
    return methods;
  }

  /**
   * What the components of a record mean, in their order.
   *
   * @param record its simple name
   */
  public Map<String, String> components(String record) {
    Matcher matcher =
        Pattern.compile(COMMENT + "(?:public )?record " + record + "\\(").matcher(source);
    Map<String, String> components = new LinkedHashMap<>();
    if (matcher.find()) {
      Matcher param = PARAM.matcher(plain(matcher.group(1)));
      while (param.find()) {
        components.put(param.group(1), markdown(param.group(2).trim()));
      }
    }
    return components;
  }

  /** What the constants of an enum are, by their names. */
  public Map<String, String> constants() {
    Matcher matcher = Pattern.compile(COMMENT + "([A-Z][A-Z0-9_]*)\\(").matcher(source);
    Map<String, String> constants = new LinkedHashMap<>();
    while (matcher.find()) {
      constants.put(matcher.group(2), markdown(body(matcher.group(1))));
    }
    return constants;
  }

  private static String body(String comment) {
    return plain(comment).replaceAll("(?s)\\s@(?:param|return|throws|see)\\b.*", "").trim();
  }

  private static String plain(String comment) {
    return comment.replaceAll("\\n\\s*\\*? ?", "\n").trim();
  }

  private static String markdown(String text) {
    StringBuilder markdown = new StringBuilder();
    Matcher inline = INLINE.matcher(text);
    while (inline.find()) {
      String code = inline.group(1).trim().replaceAll("\\s+", " ");
      String named = inline.group().startsWith("{@link") ? linked(code) : code;
      inline.appendReplacement(markdown, Matcher.quoteReplacement("`" + named + "`"));
    }
    inline.appendTail(markdown);
    return markdown.toString().replaceAll("<p>|</?pre>", "").replaceAll("\\s+", " ").trim();
  }

  /** A method without its parameters, a class without its package. */
  private static String linked(String target) {
    return target
        .replaceAll("\\(.*\\)", "")
        .replaceFirst("^#", "")
        .replace('#', '.')
        .replaceFirst("^(?:[a-z]+\\.)+(?=[A-Z])", "");
  }
}
