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
 * Lists the public types of the main sources of a commit, with their public members, and compares two
 * commits.
 *
 * <pre>
 * java .ci/PublicTypes.java list COMMIT       prints each public type and below it its members
 * java .ci/PublicTypes.java gone OLD NEW      prints the public types of OLD that NEW lacks
 * java .ci/PublicTypes.java check OLD NEW     fails if a gone type has no row in the page of renames, or a
 *                                             row names a type that NEW lacks
 * </pre>
 */
final class PublicTypes {

  private static final Path PAGE =
      Path.of("docs", "reference", "renamed-types.md");

  /** A row: old full name, new full name or an empty text, reason. */
  private static final Pattern ROW =
      Pattern.compile("\\| `([a-zA-Z.$]+)` \\| (?:`([a-zA-Z.$]+)`|([^|]+)) \\|");

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
      gone(types(args[1]).keySet(), types(args[2]).keySet()).forEach(System.out::println);
    } else if (verb.equals("check") && args.length == 3) {
      check(types(args[1]).keySet(), types(args[2]).keySet());
    } else {
      System.err.println("usage: java .ci/PublicTypes.java list COMMIT | gone OLD NEW | check OLD NEW");
      System.exit(2);
    }
  }

  private static Set<String> gone(Set<String> old, Set<String> now) {
    Set<String> gone = new TreeSet<>(old);
    gone.removeAll(now);
    return gone;
  }

  private static void check(Set<String> old, Set<String> now) throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    List<String> faults = new ArrayList<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        String next = row.group(2) == null ? "" : row.group(2);
        rows.put(row.group(1), next);
        if (!next.isEmpty() && !now.contains(next)) {
          faults.add(row.group(1) + ": the new name " + next + " is no public type");
        }
        if (next.isEmpty() && row.group(3) == null) {
          faults.add(row.group(1) + ": the row has neither a name nor a reason");
        }
      }
    }
    Set<String> gone = gone(old, now);
    gone.stream()
        .filter(type -> !rows.containsKey(type))
        .forEach(type -> faults.add(type + ": the page has no row"));
    rows.keySet().stream()
        .filter(type -> !gone.contains(type))
        .forEach(type -> faults.add(type + ": the type is not gone"));
    faults.forEach(System.out::println);
    System.out.println(gone.size() + " types gone, " + faults.size() + " faults");
    System.exit(faults.isEmpty() ? 0 : 1);
  }

  /** The public types of a commit by full name, each with its public members. */
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
