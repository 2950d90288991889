// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts sentence patterns that make documentation hard to read, in the Javadoc of the main sources,
 * in docs/ and in README.md. The check fails if a count exceeds its bound in {@code .ci/prose.txt}.
 *
 * <pre>
 * java .ci/Prose.java                    checks all counts against their bounds
 * java .ci/Prose.java --update           lowers bounds to the counts, and never raises one
 * java .ci/Prose.java --list PATTERN     prints each hit of a pattern with its file and line
 * java .ci/Prose.java --sample N SEED    prints N Javadocs, chosen by the seed
 * java .ci/Prose.java --sample-docs N SEED   prints N paragraphs of docs/
 * </pre>
 */
final class Prose {

  private static final Path BOUNDS = Path.of(".ci", "prose.txt");
  private static final String[] KINDS = {"javadoc", "docs", "readme"};

  private record Sentence(String kind, String file, int line, String text) {}

  private record Comment(String file, int line, String text, String declaration) {}

  private static final Map<String, Predicate<String>> PATTERNS = new LinkedHashMap<>();

  static {
    Pattern negation =
        any("\\b(?:not|no|nor|never|nothing|nobody|none|neither|without|cannot)\\b");
    Pattern number = Pattern.compile("(?<![\\w.])\\d[\\d,.]*");
    PATTERNS.put("opening", Prose::opensBadly);
    PATTERNS.put("long", text -> text.split("\\s+").length > 30);
    PATTERNS.put("whoever", hit("\\b(?:whoever|nobody|somebody)\\b"));
    PATTERNS.put(
        "bare-who", hit("(?:^|[.;:,] |\\b(?:for|by|of|to|with|and|than|but|from) )who\\b"));
    PATTERNS.put("so-much", hit("\\bso (?:much|many|often|long|few|little|large|far)\\b(?! as)"));
    PATTERNS.put(
        "of-which", hit("\\b(?:of|from|by|in|at|to|under|behind|for) (?:which|whom|whose)\\b"));
    PATTERNS.put("of-what", hit("\\b(?:of|by|with|from|to|and|than|for|as) what\\b"));
    PATTERNS.put("where-first", hit("(?:^|[;:] )where [^.;:]{3,80},"));
    PATTERNS.put("two-negations", text -> count(negation, text) >= 2);
    PATTERNS.put("four-numbers", text -> count(number, text) >= 4);
    PATTERNS.put(
        "history",
        hit(
            "\\b(?:since|before|until|at) [0-9a-f]{7,8}\\b|^(?:Before|Now):"
                + "|\\b(?:used to|until now|formerly)\\b"));
    PATTERNS.put(
        "old-words",
        hit(
            "\\b(?:dear|lest|anew|likewise|meanwhile|any more|at hand|had better|reckon\\w*"
                + "|mend\\w*|ours)\\b"));
  }

  public static void main(String[] arguments) throws IOException {
    List<String> words = List.of(arguments);
    if (words.isEmpty() || words.equals(List.of("--update"))) {
      check(!words.isEmpty());
    } else if (words.get(0).equals("--list") && words.size() == 2) {
      list(words.get(1));
    } else if (words.get(0).equals("--sample") && words.size() == 3) {
      sample(comments(), Integer.parseInt(words.get(1)), Long.parseLong(words.get(2)));
    } else if (words.get(0).equals("--sample-docs") && words.size() == 3) {
      sample(paragraphs(), Integer.parseInt(words.get(1)), Long.parseLong(words.get(2)));
    } else {
      System.err.println(
          "usage: java .ci/Prose.java [--update | --list PATTERN | --sample N SEED"
              + " | --sample-docs N SEED]");
      System.exit(2);
    }
  }

  private static void check(boolean update) throws IOException {
    Map<String, Integer> counts = counts();
    Map<String, Integer> bounds = bounds();
    if (update) {
      Map<String, Integer> lowered = new LinkedHashMap<>(counts);
      bounds.forEach((name, bound) -> lowered.merge(name, bound, Math::min));
      Files.write(BOUNDS, lines(lowered));
    }
    int risen = 0;
    int fallen = 0;
    for (Map.Entry<String, Integer> entry : counts.entrySet()) {
      int bound = bounds.getOrDefault(entry.getKey(), 0);
      if (entry.getValue() > bound) {
        risen++;
        System.err.printf(
            "%s: %d, bound %d; find the new one by java .ci/Prose.java --list %s%n",
            entry.getKey(),
            entry.getValue(),
            bound,
            entry.getKey().substring(entry.getKey().indexOf(' ') + 1));
      } else if (entry.getValue() < bound) {
        fallen++;
      }
    }
    System.out.printf("prose: %d counts, %d above their bound%n", counts.size(), risen);
    if (fallen > 0) {
      System.out.printf(
          "%d counts are below their bound; lower it by java .ci/Prose.java --update%n", fallen);
    }
    if (risen > 0) {
      System.exit(1);
    }
  }

  /** Returns the count of each "kind pattern". */
  private static Map<String, Integer> counts() throws IOException {
    Map<String, Integer> counts = new LinkedHashMap<>();
    List<Sentence> sentences = sentences();
    for (String kind : KINDS) {
      for (Map.Entry<String, Predicate<String>> pattern : PATTERNS.entrySet()) {
        int hits = 0;
        for (Sentence sentence : sentences) {
          if (sentence.kind.equals(kind) && pattern.getValue().test(sentence.text)) {
            hits++;
          }
        }
        counts.put(kind + " " + pattern.getKey(), hits);
      }
    }
    int opening = 0;
    int brief = 0;
    int bare = 0;
    int verbs = 0;
    int tags = 0;
    for (Comment comment : comments()) {
      opening += opensBadly(comment.text) ? 1 : 0;
      brief += isBrief(comment.text) ? 1 : 0;
      bare += comment.text.matches("(?s)(?:True|False|Null)\\b.*") ? 1 : 0;
      verbs += lacksVerb(comment) ? 1 : 0;
      tags += breaksTag(comment.text) ? 1 : 0;
    }
    counts.put("comments opening", opening);
    counts.put("comments brief", brief);
    counts.put("comments true-or-false", bare);
    counts.put("comments verb", verbs);
    counts.put("comments tag", tags);
    return counts;
  }

  private static List<String> lines(Map<String, Integer> counts) {
    List<String> lines = new ArrayList<>();
    lines.add("# Bounds of java .ci/Prose.java: kind, pattern, hits. No count may rise.");
    counts.forEach((name, hits) -> lines.add(name + " " + hits));
    return lines;
  }

  private static Map<String, Integer> bounds() throws IOException {
    Map<String, Integer> bounds = new LinkedHashMap<>();
    for (String line : Files.readAllLines(BOUNDS)) {
      if (!line.startsWith("#")) {
        int space = line.lastIndexOf(' ');
        bounds.put(line.substring(0, space), Integer.valueOf(line.substring(space + 1)));
      }
    }
    return bounds;
  }

  private static void list(String name) throws IOException {
    Predicate<String> pattern = PATTERNS.get(name);
    for (Comment comment : comments()) {
      boolean hit =
          switch (name) {
            case "brief" -> isBrief(comment.text);
            case "true-or-false" -> comment.text.matches("(?s)(?:True|False|Null)\\b.*");
            case "verb" -> lacksVerb(comment);
            case "tag" -> breaksTag(comment.text);
            default -> false;
          };
      if (hit) {
        System.out.printf("%s:%d: %s%n", comment.file, comment.line, firstLine(comment.text));
      }
    }
    if (pattern == null) {
      return;
    }
    for (Sentence sentence : sentences()) {
      if (pattern.test(sentence.text)) {
        System.out.printf("%s:%d: %s%n", sentence.file, sentence.line, sentence.text);
      }
    }
  }

  private static void sample(List<Comment> from, int number, long seed) {
    List<Comment> shuffled = new ArrayList<>(from);
    Collections.shuffle(shuffled, new Random(seed));
    for (Comment comment : shuffled.subList(0, Math.min(number, shuffled.size()))) {
      System.out.printf(
          "%s:%d%n    %s%n  %s%n%n",
          comment.file,
          comment.line,
          comment.text.replace("\n", "\n    "),
          comment.declaration);
    }
  }

  private static boolean opensBadly(String text) {
    return text.matches(
        "(?s)(?:What|Who|Whoever|Where|As|Of|By|So|That|Those|Else|Likewise)\\b.*");
  }

  private static final Pattern BROKEN_TAG =
      Pattern.compile("\\S[ \\t]*(?<!\\{)@(?:param|return|throws|see|since)\\b");

  /**
   * Returns whether a block tag is inside a line, where it is mere text; a second asterisk before a
   * tag has this effect once the text is formatted.
   */
  private static boolean breaksTag(String text) {
    return BROKEN_TAG.matcher(text).find();
  }

  /** Returns whether the first sentence has fewer than four words and is no plain verb phrase. */
  private static boolean isBrief(String text) {
    String first = plainJava(text).split("(?<=[.])\\s|\\n\\s*\\n|\\n\\s*@", 2)[0].strip();
    return first.split("\\s+").length < 4 && !first.matches("(?:Returns|Sets|Closes) .*");
  }

  private static final Pattern METHOD =
      Pattern.compile(
          "(?:@\\w+(?:[(][^)]*[)])? )*(?:(?:public|protected|private|static|final|synchronized"
              + "|abstract|default|<[^(]+>) )*([\\w.]+(?:<[^(]*>)?(?:\\[\\])*) \\w+[(].*");

  /**
   * Returns whether the text of a method opens with no verb in the third person, or with "Returns"
   * although the method returns nothing.
   */
  private static boolean lacksVerb(Comment comment) {
    Matcher method = METHOD.matcher(comment.declaration);
    if (!method.matches() || method.group(1).matches("new|return|record|class|enum|interface")) {
      return false;
    }
    String first = comment.text.split("[\\s,;:.]+", 2)[0];
    return first.equals("Returns")
        ? method.group(1).equals("void")
        : !first.matches("[A-Z][a-z]+s") && !first.startsWith("{@inheritDoc");
  }

  /** Returns the code up to the end of a declaration; an enum constant ends at its comma. */
  private static String declaration(String code) {
    String all = code.split("[;{]", 2)[0].replaceAll("\\s+", " ").strip();
    if (!all.matches("[A-Z][A-Z0-9_]*\\b.*")) {
      return all;
    }
    int depth = 0;
    for (int i = 0; i < all.length(); i++) {
      char next = all.charAt(i);
      depth += next == '(' ? 1 : next == ')' ? -1 : 0;
      if (next == ',' && depth == 0) {
        return all.substring(0, i);
      }
    }
    return all;
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  private static List<Sentence> sentences() throws IOException {
    List<Sentence> found = new ArrayList<>();
    for (Comment comment : comments()) {
      split("javadoc", comment.file, comment.line, plainJava(comment.text), found);
    }
    for (Path page : pages()) {
      String kind = page.equals(Path.of("README.md")) ? "readme" : "docs";
      split(kind, page.toString(), 0, plainMarkdown(Files.readString(page)), found);
    }
    return found;
  }

  private static void split(
      String kind, String file, int line, String text, List<Sentence> found) {
    for (String paragraph : text.split("\\n\\s*\\n")) {
      String flat = paragraph.replaceAll("\\s+", " ").strip();
      for (String sentence : flat.split("(?<=[.!?])\\s+(?=[A-Z(\"*_])|\\s\\.\\s")) {
        if (count(Pattern.compile("[A-Za-z]{2,}"), sentence) >= 2) {
          found.add(new Sentence(kind, file, line, sentence.strip()));
        }
      }
    }
  }

  private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);

  private static List<Comment> comments() throws IOException {
    List<Comment> comments = new ArrayList<>();
    for (Path file : files(path -> path.contains("src/main/java/") && path.endsWith(".java"))) {
      String text = Files.readString(file);
      Matcher matcher = JAVADOC.matcher(text);
      while (matcher.find()) {
        int line = 1 + (int) text.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
        String rest = text.substring(matcher.end()).strip();
        comments.add(
            new Comment(
                file.toString(),
                line,
                matcher.group(1).replaceAll("\\n[ \\t]*\\*[ \\t]?", "\n").strip(),
                declaration(rest)));
      }
    }
    return comments;
  }

  private static List<Comment> paragraphs() throws IOException {
    List<Comment> found = new ArrayList<>();
    for (Path page : pages()) {
      for (String paragraph : plainMarkdown(Files.readString(page)).split("\\n\\s*\\n")) {
        if (paragraph.split("\\s+").length > 8) {
          found.add(new Comment(page.toString(), 0, paragraph.strip(), ""));
        }
      }
    }
    return found;
  }

  private static List<Path> pages() throws IOException {
    return files(
        path ->
            path.endsWith(".md")
                && !path.startsWith("docs/changes/")
                && !path.contains("src/test/"));
  }

  private static List<Path> files(Predicate<String> wanted) throws IOException {
    try (Stream<Path> all = Files.walk(Path.of("."))) {
      return all.map(Path::normalize)
          .filter(path -> wanted.test(path.toString().replace('\\', '/')))
          .filter(path -> !path.toString().matches("(?:.*/)?(?:target|[.]git)/.*"))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  /** Removes code and tags, so that sentences are left. */
  private static String plainJava(String comment) {
    String text = comment.replaceAll("(?s)<pre>.*?</pre>", " ");
    text =
        Pattern.compile("\\{@\\w+\\s*([^}]*)\\}")
            .matcher(text)
            .replaceAll(match -> word(match.group(1)));
    text = text.replaceAll("\\n\\s*@(?:param|return|throws|see|since)\\s+(?:\\S+)?", " . ");
    return text.replaceAll("<p>|<li>|</?[a-z]+>", " . ");
  }

  private static String plainMarkdown(String page) {
    String text =
        page.replaceAll("(?sm)^[ \\t]*(?:```|~~~).*?^[ \\t]*(?:```|~~~)[ \\t]*$", " ");
    text = withoutIndentedCode(text.replaceAll("(?s)<!--.*?-->", " "));
    text =
        Arrays.stream(text.split("\n", -1))
            .map(line -> line.matches("(?:#|\\s*\\|).*") ? "" : bullet(line))
            .collect(Collectors.joining("\n"));
    text = text.replaceAll("!?\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
    return Pattern.compile("`([^`]*)`").matcher(text).replaceAll(match -> word(match.group(1)));
  }

  /**
   * Removes code that an indent of four columns marks. In a list such an indent continues the item,
   * so a block after an item or after indented text stays.
   */
  private static String withoutIndentedCode(String text) {
    StringBuilder kept = new StringBuilder();
    boolean list = false;
    boolean code = false;
    boolean blank = true;
    for (String line : text.split("\n", -1)) {
      boolean empty = line.isBlank();
      if (!empty && !line.startsWith(" ")) {
        list = line.matches("(?:[-*]|\\d+[.])\\s.*");
      }
      code = line.startsWith("    ") && !list && (blank || code);
      blank = empty;
      kept.append(code ? "" : line).append('\n');
    }
    return kept.toString();
  }

  private static String bullet(String line) {
    return line.replaceFirst("^\\s*(?:[-*]|\\d+\\.)\\s+", "\n");
  }

  private static String word(String code) {
    String word = code.strip().replaceAll("\\W+", "_");
    return word.isEmpty() ? "x" : Matcher.quoteReplacement(word);
  }

  private static Predicate<String> hit(String expression) {
    Pattern pattern = any(expression);
    return text -> pattern.matcher(text).find();
  }

  private static Pattern any(String expression) {
    return Pattern.compile(expression, Pattern.CASE_INSENSITIVE);
  }

  private static int count(Pattern pattern, String text) {
    int count = 0;
    for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
      count++;
    }
    return count;
  }
}
