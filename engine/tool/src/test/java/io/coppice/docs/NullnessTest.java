// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The packages that are promised say for compilers what may be null: whatever a comment calls so,
 * and whatever returns it, has the annotation.
 */
class NullnessTest {

  private static final List<String> PROMISED =
      List.of(
          "io.coppice",
          "io.coppice.base",
          "io.coppice.policy",
          "io.coppice.policy.spec",
          "io.coppice.policy.tuner",
          "io.coppice.policy.observe");
  private static final Pattern SAYS =
      Pattern.compile(
          "\\bor null\\b|\\bmay be null\\b|\\bnull (if|in|unless|until|when|where|while|without)\\b",
          Pattern.CASE_INSENSITIVE);

  @Test
  void theyAreMarked() throws ClassNotFoundException {
    for (String name : PROMISED) {
      assertThat(Class.forName(name + ".package-info")).hasAnnotation(NullMarked.class);
    }
  }

  /** What programs are given of other packages says so itself. */
  @Test
  void soIsWhatTheirMethodsTakeAndGive() {
    Set<String> unmarked = new TreeSet<>();
    for (JavaClass type : MainClasses.of(PROMISED.toArray(String[]::new))) {
      if (!PROMISED.contains(type.getPackageName())
          || !type.getModifiers().contains(JavaModifier.PUBLIC)) {
        continue;
      }
      for (JavaMethod method : type.getMethods()) {
        if (method.getModifiers().contains(JavaModifier.PUBLIC)) {
          method.getAllInvolvedRawTypes().stream()
              .filter(named -> named.getName().startsWith("io.coppice."))
              .filter(named -> !PROMISED.contains(named.getPackageName()))
              .filter(named -> !named.isAnnotatedWith(NullMarked.class))
              .forEach(named -> unmarked.add(named.getName() + " of " + method.getFullName()));
        }
      }
    }
    assertThat(unmarked).isEmpty();
  }

  @Test
  void whatMayBeNullIsAnnotated() throws IOException {
    Findings findings = new Findings();
    for (String name : PROMISED) {
      findings.read(Sources.folder(name.replace('.', '/')));
    }
    assertThat(findings.annotated).isGreaterThan(30);
    assertThat(findings.silent).isEmpty();
  }

  /** What says that it may be null, with the annotation and without. */
  private static final class Findings extends TreePathScanner<Void, Void> {
    private final Set<String> silent = new TreeSet<>();
    private int annotated;
    private DocTrees trees;

    void read(Path folder) throws IOException {
      JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
      try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
          Stream<Path> sources = Files.list(folder)) {
        Path[] java =
            sources.filter(file -> file.toString().endsWith(".java")).toArray(Path[]::new);
        JavacTask task =
            (JavacTask)
                compiler.getTask(null, files, null, null, null, files.getJavaFileObjects(java));
        trees = DocTrees.instance(task);
        for (CompilationUnitTree unit : task.parse()) {
          scan(unit, null);
        }
      }
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null && type.getKind() == Tree.Kind.RECORD) {
        type.getMembers().stream()
            .filter(VariableTree.class::isInstance)
            .forEach(component -> parameter(comment, (VariableTree) component));
      }
      return super.visitClass(type, none);
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null) {
        boolean gives = !List.of("void", "boolean", "int", "long").contains(result(method));
        if (gives && SAYS.matcher(withoutParameters(comment)).find()) {
          check(result(method), method.getName().toString());
        }
        method.getParameters().forEach(parameter -> parameter(comment, parameter));
      }
      return super.visitMethod(method, none);
    }

    @Override
    public Void visitVariable(VariableTree variable, Void none) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null && SAYS.matcher(comment.toString()).find()) {
        check(variable.toString(), variable.getName().toString());
      }
      return super.visitVariable(variable, none);
    }

    @Override
    public Void visitReturn(ReturnTree end, Void none) {
      if (isNull(end.getExpression())) {
        for (TreePath path = getCurrentPath(); path != null; path = path.getParentPath()) {
          if (path.getLeaf() instanceof LambdaExpressionTree) {
            break;
          }
          if (path.getLeaf() instanceof MethodTree method) {
            check(result(method), method.getName().toString());
            break;
          }
        }
      }
      return super.visitReturn(end, none);
    }

    private static boolean isNull(@Nullable Tree value) {
      return value != null
          && (value.getKind() == Tree.Kind.NULL_LITERAL
              || value instanceof ConditionalExpressionTree either
                  && (isNull(either.getTrueExpression()) || isNull(either.getFalseExpression())));
    }

    private static String withoutParameters(DocCommentTree comment) {
      StringBuilder text = new StringBuilder(comment.getFullBody().toString());
      comment.getBlockTags().stream()
          .filter(tag -> !(tag instanceof ParamTree))
          .forEach(text::append);
      return text.toString();
    }

    /** With its annotations, which stand before it or in it. */
    private static String result(MethodTree method) {
      String before = method.getModifiers().getAnnotations().toString();
      return (before.isEmpty() ? "" : before + " ") + method.getReturnType();
    }

    private void parameter(DocCommentTree comment, VariableTree variable) {
      comment.getBlockTags().stream()
          .filter(ParamTree.class::isInstance)
          .map(ParamTree.class::cast)
          .filter(tag -> tag.getName().getName().contentEquals(variable.getName()))
          .filter(tag -> SAYS.matcher(tag.getDescription().toString()).find())
          .forEach(tag -> check(variable.toString(), variable.getName().toString()));
    }

    private void check(String declared, String name) {
      if (declared.contains("@Nullable")) {
        annotated++;
      } else {
        silent.add(getCurrentPath().getCompilationUnit().getSourceFile().getName() + ": " + name);
      }
    }
  }
}
