// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Lists the public types of the main sources of a commit, with their public members, and compares
 * two commits.
 *
 * <pre>
 * java .ci/PublicTypes.java list COMMIT       prints each public type and below it its members
 * java .ci/PublicTypes.java gone OLD NEW      prints the public types of OLD that NEW lacks, and the members
 *                                             that are gone from types that NEW has, maybe under a new name
 * java .ci/PublicTypes.java check OLD NEW     fails if the page of renames lacks a row for a gone type or
 *                                             member, or a row names a type or member that NEW lacks
 * </pre>
 *
 * <p>A member is a method, field, constant or record component, known by its simple name.
 */
final class PublicTypes {

  private static final Path PAGE = Path.of("docs", "reference", "renamed-types.md");

  /** A row: old type or {@code Type#member}, then the new name or the reason. */
  private static final Pattern ROW =
      Pattern.compile("\\| `([\\w.$]+(?:#\\w+)?)` \\| (?:`([\\w.$]+(?:#\\w+)?)`|([^|]+)) \\|");

  private PublicTypes() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    String verb = args.length == 0 ? "" : args[0];
    if (verb.equals("list") && args.length == 2) {
      types(args[1])
          .forEach(
              (type, members) -> {
                System.out.println(type);
                members.forEach(member -> System.out.println("  " + member));
              });
    } else if (verb.equals("gone") && args.length == 3) {
      gone(types(args[1]), types(args[2]), rows()).forEach(System.out::println);
    } else if (verb.equals("check") && args.length == 3) {
      check(types(args[1]), types(args[2]));
    } else {
      System.err.println(
          "usage: java .ci/PublicTypes.java list COMMIT | gone OLD NEW | check OLD NEW");
      System.exit(2);
    }
  }

  /** Returns the rows of the page by old name, each with the new name or an empty text. */
  private static Map<String, String> rows() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.put(row.group(1), row.group(2) == null ? "" : row.group(2));
      }
    }
    return rows;
  }

  /** Returns the gone types, and each {@code Type#member} that the type or its new one lacks. */
  private static Set<String> gone(
      Map<String, List<String>> old, Map<String, List<String>> now, Map<String, String> rows) {
    Set<String> gone = new TreeSet<>();
    old.forEach(
        (type, members) -> {
          if (!now.containsKey(type)) {
            gone.add(type);
          }
          String next = nextType(type, now, rows);
          if (now.containsKey(next)) {
            Set<String> lost = names(type, members);
            lost.removeAll(names(next, now.get(next)));
            lost.forEach(member -> gone.add(type + "#" + member));
          }
        });
    return gone;
  }

  /** Returns the type itself, else the type that its row names, else an empty text. */
  private static String nextType(
      String type, Map<String, List<String>> now, Map<String, String> rows) {
    return now.containsKey(type) ? type : rows.getOrDefault(type, "");
  }

  /** Returns the simple names of members, without the constructors. */
  private static Set<String> names(String type, List<String> members) {
    String constructor = type.substring(type.lastIndexOf('.') + 1) + "(";
    return members.stream()
        .filter(member -> !member.startsWith(constructor))
        .map(member -> member.split("[(:]")[0])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void check(Map<String, List<String>> old, Map<String, List<String>> now)
      throws IOException {
    Map<String, String> rows = rows();
    Set<String> gone = gone(old, now, rows);
    List<String> faults = new ArrayList<>();
    rows.forEach(
        (before, next) -> {
          if (!gone.contains(before)) {
            faults.add(before + ": is not gone");
          } else if (!next.isEmpty() && !exists(before, next, now, rows)) {
            faults.add(before + ": the new name " + next + " is not public");
          }
        });
    gone.stream()
        .filter(name -> !rows.containsKey(name))
        .forEach(name -> faults.add(name + ": the page has no row"));
    faults.forEach(System.out::println);
    long members = gone.stream().filter(name -> name.contains("#")).count();
    System.out.printf(
        "%d types and %d members gone, %d faults%n",
        gone.size() - members, members, faults.size());
    System.exit(faults.isEmpty() ? 0 : 1);
  }

  /**
   * Returns whether a row's new name exists. A member alone belongs to the type that its old type
   * became; {@code Type#member} names its type without the package.
   */
  private static boolean exists(
      String before, String next, Map<String, List<String>> now, Map<String, String> rows) {
    if (!before.contains("#")) {
      return now.containsKey(next);
    }
    String member = next.substring(next.indexOf('#') + 1);
    String type =
        next.contains("#")
            ? "." + next.split("#")[0]
            : nextType(before.split("#")[0], now, rows);
    return now.entrySet().stream()
        .filter(known -> known.getKey().endsWith(type))
        .anyMatch(known -> names(known.getKey(), known.getValue()).contains(member));
  }

  /** Returns the public types of a commit by full name, each with its public members. */
  private static Map<String, List<String>> types(String commit)
      throws IOException, InterruptedException {
    Path zip = Files.createTempFile("sources", ".zip");
    try {
      Process git =
          new ProcessBuilder("git", "archive", "--format=zip", "-o", zip.toString(), commit)
              .inheritIO()
              .start();
      if (git.waitFor() != 0) {
        throw new IOException("git archive failed for commit " + commit);
      }
      return types(sources(zip));
    } finally {
      Files.deleteIfExists(zip);
    }
  }

  private static List<JavaFileObject> sources(Path zip) throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    try (ZipFile file = new ZipFile(zip.toFile())) {
      for (ZipEntry entry : file.stream().toList()) {
        if (entry.getName().matches(".*src/main/java/.*\\w+\\.java")
            && !entry.getName().endsWith("-info.java")) {
          String text =
              new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
          sources.add(new Source(entry.getName(), text));
        }
      }
    }
    return sources;
  }

  private static final class Source extends SimpleJavaFileObject {

    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreErrors) {
      return text;
    }
  }

  private static Map<String, List<String>> types(List<JavaFileObject> sources) throws IOException {
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of("-proc:none"), null, sources);
    Map<String, List<String>> types = new TreeMap<>();
    for (CompilationUnitTree unit : task.parse()) {
      String name = unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
      for (Tree tree : unit.getTypeDecls()) {
        if (tree instanceof ClassTree type) {
          add(name, type, false, types);
        }
      }
    }
    return types;
  }

  private static void add(
      String prefix, ClassTree type, boolean inInterface, Map<String, List<String>> types) {
    if (!inInterface && !type.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
      return;
    }
    String name = prefix + type.getSimpleName();
    boolean open =
        type.getKind() == Tree.Kind.INTERFACE || type.getKind() == Tree.Kind.ANNOTATION_TYPE;
    Set<String> members = new TreeSet<>();
    for (Tree member : type.getMembers()) {
      if (member instanceof ClassTree inner) {
        add(name + ".", inner, open, types);
      } else if (member instanceof MethodTree method
          && visible(method.getModifiers().getFlags(), open)) {
        members.add(text(method, type));
      } else if (member instanceof VariableTree field) {
        boolean component =
            type.getKind() == Tree.Kind.RECORD
                && !field.getModifiers().getFlags().contains(Modifier.STATIC);
        if (component) {
          members.add(field.getName() + "(): " + field.getType());
        } else if (visible(field.getModifiers().getFlags(), open)) {
          members.add(field.getName() + ": " + field.getType());
        }
      }
    }
    types.put(name, List.copyOf(members));
  }

  private static boolean visible(Set<Modifier> flags, boolean open) {
    return flags.contains(Modifier.PUBLIC)
        || flags.contains(Modifier.PROTECTED)
        || open && !flags.contains(Modifier.PRIVATE);
  }

  private static String text(MethodTree method, ClassTree type) {
    String parameters =
        method.getParameters().stream()
            .map(parameter -> parameter.getType().toString())
            .collect(Collectors.joining(", ", "(", ")"));
    return method.getReturnType() == null
        ? type.getSimpleName() + parameters
        : method.getName() + parameters + ": " + method.getReturnType();
  }
}
