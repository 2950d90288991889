// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Budget;
import io.coppice.policy.DrawnTree;
import io.coppice.policy.MergeRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script: drawn trees, questions about them, and the answers. The form is described in {@code
 * docs/explanation/policy-contract.md}.
 *
 * @param lines the text as read
 * @param cases in the order of the text
 */
public record Script(List<String> lines, List<Case> cases) {

  /**
   * One question and its answer.
   *
   * @param title the last comment before it
   * @param line the number of the question's line, from 1
   * @param answer without the leading {@code >}
   */
  public record Case(
      String title, int line, DrawnTree tree, ScriptQuestion question, List<String> answer) {}

  private static final Pattern LEVEL = Pattern.compile("L(\\d)\\b\\s*(.*)");
  private static final Pattern TABLE =
      Pattern.compile(
          "t(\\d+)(?:\\.(\\d))?\\[([a-z]+)(?:\\.\\.([a-z]+))?] (\\d+)([KMG])(?: of (\\d+)([KMG]))?"
              + "( deletions(?: hiding (\\d+)([KMG]))?)?( claimed)?\\s*");
  private static final Pattern GROUP = Pattern.compile("G(\\d+)(?:/(\\d+))?\\{([^}]*)}\\s*");
  private static final Pattern REQUEST = Pattern.compile("request ([Gt])(\\d+)");
  private static final Pattern RUN =
      Pattern.compile("run(?: ([A-Z][\\w.]*))?(?: from ((?:[A-Z][\\w.]* ?)+))?(?:\\s+([tG].*))?");
  private static final Pattern JOB =
      Pattern.compile("job L(\\d)(?: ([A-Z][\\w.]*))? \\[([a-z]+)(?:\\.\\.([a-z]+))?]");
  private static final Pattern BUDGET =
      Pattern.compile("budget(?: slots=(\\d+))?(?: space=(\\d+)([KMG]))?");

  public static Script parse(String text) {
    Reader reader = new Reader();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      try {
        reader.read(lines.get(i).strip(), i + 1);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
      }
    }
    reader.endCase();
    return new Script(lines, List.copyOf(reader.cases));
  }

  /** The same text with other answers, one for each case. */
  public String with(List<String> answers) {
    List<String> out = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).startsWith(">")) {
        out.add(lines.get(i));
      }
      if (next < cases.size() && cases.get(next).line == i + 1) {
        answers.get(next++).lines().map(line -> "> " + line).forEach(out::add);
      }
    }
    return String.join("\n", out) + "\n";
  }

  private static final class Reader {

    private final List<Case> cases = new ArrayList<>();
    private String title = "";
    private MergeRule rule = MergeRule.ADJACENT;
    private List<List<DrawnTree.DrawnRun>> levels = new ArrayList<>();
    private List<DrawnTree.DrawnJob> jobs = new ArrayList<>();
    private Set<Long> requests = new HashSet<>();
    private Budget budget = Budget.unlimited();
    private ScriptQuestion question;
    private int questionLine;
    private List<String> answer = new ArrayList<>();

    void read(String line, int number) {
      if (line.startsWith(">")) {
        answer.add(line.substring(1).strip());
        return;
      }
      endCase();
      Matcher level = LEVEL.matcher(line);
      Optional<ScriptQuestion.Kind> kind = ScriptQuestion.kind(line.split(" ")[0]);
      if (line.startsWith("#")) {
        title = line.substring(1).strip();
      } else if (line.startsWith("shape ")) {
        startShape(line.substring("shape ".length()));
      } else if (level.matches()) {
        while (levels.size() <= Integer.parseInt(level.group(1))) {
          levels.add(new ArrayList<>());
        }
        if (!level.group(2).isEmpty()) {
          readRun(level.group(2));
        }
      } else if (line.startsWith("run")) {
        readRun(line);
      } else if (line.startsWith("job ")) {
        readJob(line);
      } else if (line.startsWith("request ")) {
        readRequest(line);
      } else if (line.startsWith("budget")) {
        readBudget(line);
      } else if (kind.isPresent()) {
        String[] words = line.split("\\s+");
        String between = kind.get() == ScriptQuestion.Kind.PROPOSE ? " " : ",";
        String text = String.join(between, Arrays.asList(words).subList(1, words.length));
        question = new ScriptQuestion(kind.get(), text, budget);
        questionLine = number;
      } else if (!line.isEmpty()) {
        throw new IllegalArgumentException("'" + line + "' is not understood");
      }
    }

    void endCase() {
      if (question != null) {
        List<List<DrawnTree.DrawnRun>> drawn = levels.stream().map(List::copyOf).toList();
        DrawnTree tree = new DrawnTree(rule, drawn, List.copyOf(jobs), Set.copyOf(requests));
        requireNames(tree);
        requireColours(tree);
        cases.add(new Case(title, questionLine, tree, question, List.copyOf(answer)));
      }
      question = null;
      answer = new ArrayList<>();
    }

    private void startShape(String word) {
      rule = MergeRule.valueOf(word.toUpperCase(Locale.ROOT));
      levels = new ArrayList<>(List.of(new ArrayList<>()));
      jobs = new ArrayList<>();
      requests = new HashSet<>();
      budget = Budget.unlimited();
    }

    private void readRun(String text) {
      Matcher run = RUN.matcher(text);
      if (!run.matches()) {
        throw new IllegalArgumentException("'" + text + "' is no run");
      }
      List<DrawnTree.DrawnSegment> segments =
          readSegments(run.group(3) == null ? "" : run.group(3));
      for (int i = 1; i < segments.size(); i++) {
        if (segments.get(i - 1).high().compareTo(segments.get(i).low()) >= 0) {
          String name = DrawnTree.DrawnTable.name(segments.get(i).slices().get(0).slice());
          throw new IllegalArgumentException(name + " is out of order in its run");
        }
      }
      List<DrawnTree.DrawnRun> level = levels.get(levels.size() - 1);
      String place = "L" + (levels.size() - 1) + "." + level.size();
      Set<String> sources =
          run.group(2) == null ? Set.of() : Set.of(run.group(2).strip().split(" "));
      level.add(
          new DrawnTree.DrawnRun(run.group(1) == null ? place : run.group(1), sources, segments));
    }

    private static List<DrawnTree.DrawnSegment> readSegments(String text) {
      List<DrawnTree.DrawnSegment> segments = new ArrayList<>();
      Matcher group = GROUP.matcher(text);
      int end = 0;
      while (end < text.length()) {
        int next = group.find(end) ? group.start() : text.length();
        readTables(text.substring(end, next))
            .forEach(table -> segments.add(new DrawnTree.DrawnSegment(0, 0, List.of(table))));
        end = next;
        if (next < text.length()) {
          List<DrawnTree.DrawnTable> slices = readTables(group.group(3));
          int parents = group.group(2) == null ? slices.size() : Integer.parseInt(group.group(2));
          segments.add(new DrawnTree.DrawnSegment(Long.parseLong(group.group(1)), parents, slices));
          end = group.end();
        }
      }
      return segments;
    }

    private static List<DrawnTree.DrawnTable> readTables(String text) {
      List<DrawnTree.DrawnTable> tables = new ArrayList<>();
      Matcher table = TABLE.matcher(text);
      int end = 0;
      while (table.find() && table.start() == end) {
        end = table.end();
        long bytes = bytes(table.group(5), table.group(6));
        DrawnTree.DrawnTable drawn =
            new DrawnTree.DrawnTable(
                Long.parseLong(table.group(1)),
                table.group(2) == null ? 0 : Integer.parseInt(table.group(2)),
                table.group(3),
                table.group(4) == null ? table.group(3) : table.group(4),
                bytes,
                table.group(7) == null ? bytes : bytes(table.group(7), table.group(8)),
                table.group(9) != null,
                table.group(10) == null ? 0 : bytes(table.group(10), table.group(11)),
                table.group(12) != null);
        if (drawn.low().compareTo(drawn.high()) > 0) {
          throw new IllegalArgumentException("t" + drawn.number() + " ends before it begins");
        }
        tables.add(drawn);
      }
      if (end != text.length()) {
        throw new IllegalArgumentException("'" + text.substring(end) + "' is no table");
      }
      return tables;
    }

    private void readRequest(String line) {
      Matcher request = REQUEST.matcher(line);
      if (!request.matches() || request.group(1).equals("G") == (rule == MergeRule.FREE)) {
        throw new IllegalArgumentException("'" + line + "' is no request");
      }
      requests.add(Long.parseLong(request.group(2)));
    }

    private void readJob(String line) {
      Matcher job = JOB.matcher(line);
      if (!job.matches()) {
        throw new IllegalArgumentException("'" + line + "' is no job");
      }
      jobs.add(
          new DrawnTree.DrawnJob(
              Integer.parseInt(job.group(1)),
              job.group(2) == null ? "" : job.group(2),
              job.group(3),
              job.group(4) == null ? job.group(3) : job.group(4)));
    }

    private void readBudget(String line) {
      Matcher wanted = BUDGET.matcher(line);
      if (!wanted.matches()) {
        throw new IllegalArgumentException("'" + line + "' is no budget");
      }
      budget =
          new Budget(
              wanted.group(1) == null ? 1 : Integer.parseInt(wanted.group(1)),
              wanted.group(2) == null ? Long.MAX_VALUE : bytes(wanted.group(2), wanted.group(3)));
    }

    private static long bytes(String number, String unit) {
      return SizeText.parse(number + unit + "iB").orElseThrow();
    }

    private static void requireNames(DrawnTree tree) {
      Set<String> names = new HashSet<>();
      Set<Long> tables = new HashSet<>();
      tree.levels().forEach(runs -> runs.forEach(run -> requireNew(names, run.name())));
      for (List<DrawnTree.DrawnRun> runs : tree.levels()) {
        for (DrawnTree.DrawnRun run : runs) {
          run.tables().forEach(table -> requireNew(tables, table.slice()));
          if (!names.containsAll(run.sources())) {
            throw new IllegalArgumentException("sources " + run.sources() + " are not all drawn");
          }
        }
      }
    }

    private static <T> void requireNew(Set<T> seen, T name) {
      if (!seen.add(name)) {
        throw new IllegalArgumentException(name + " is drawn twice");
      }
    }

    /** Under FREE a host finds runs by first-fit colouring, so they must be drawn like that. */
    private static void requireColours(DrawnTree tree) {
      if (tree.rule() == MergeRule.ADJACENT) {
        return;
      }
      for (List<DrawnTree.DrawnRun> runs : tree.levels()) {
        List<DrawnTree.DrawnTable> tables = new ArrayList<>();
        runs.forEach(run -> tables.addAll(run.tables()));
        tables.sort(
            Comparator.comparing(DrawnTree.DrawnTable::low)
                .thenComparing(DrawnTree.DrawnTable::number));
        List<List<DrawnTree.DrawnTable>> colours = new ArrayList<>();
        for (DrawnTree.DrawnTable table : tables) {
          int colour = 0;
          while (colour < colours.size() && !fits(colours.get(colour), table)) {
            colour++;
          }
          if (colour == colours.size()) {
            colours.add(new ArrayList<>());
          }
          colours.get(colour).add(table);
        }
        if (!colours.equals(runs.stream().map(DrawnTree.DrawnRun::tables).toList())) {
          throw new IllegalArgumentException(
              "under FREE the runs of a level are its first-fit colours, here " + colours);
        }
      }
    }

    private static boolean fits(List<DrawnTree.DrawnTable> colour, DrawnTree.DrawnTable table) {
      return colour.get(colour.size() - 1).high().compareTo(table.low()) < 0;
    }
  }
}
