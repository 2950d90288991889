// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.coppice.StoreOptions;
import io.coppice.base.Limits;
import io.coppice.base.StoreException;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.StrategyMXBean;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.GeneratedPage;
import io.coppice.testing.Javadoc;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The pages under {@code docs/reference} say what the code says; {@code -Drewrite=1} makes them.
 */
class ReferencePagesTest {

  private static final Path PAGES = Path.of("..", "..", "docs", "reference");

  @Test
  void theOptionsOfAStoreAndOfPoliciesAreThoseOfTheCode() throws IOException {
    GeneratedPage page = GeneratedPage.of(PAGES.resolve("options.md"));
    page.part("store", storeOptions());
    page.part("policies", policyOptions());
    page.check();
  }

  private static List<String> storeOptions() throws IOException {
    List<String> rows = new ArrayList<>(List.of("| option | what it does |", "|---|---|"));
    Set<String> documented =
        Javadoc.of("io/coppice/StoreOptions").methods("public Builder ").stream()
            .map(method -> addOption(rows, method))
            .collect(Collectors.toSet());
    Set<String> present =
        Arrays.stream(StoreOptions.Builder.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(method -> method.getReturnType().equals(StoreOptions.Builder.class))
            .map(java.lang.reflect.Method::getName)
            .collect(Collectors.toSet());
    assertThat(documented).isEqualTo(present);
    return rows;
  }

  private static String addOption(List<String> rows, Javadoc.Method method) {
    String signature = method.signature().replace("public Builder ", "");
    rows.add(GeneratedPage.row("`" + signature + "`", method.text()));
    return signature.substring(0, signature.indexOf('('));
  }

  private static List<String> policyOptions() {
    List<String> rows =
        new ArrayList<>(
            List.of(
                "| policy | option | range | default | unit | effect |",
                "|---|---|---|---|---|---|"));
    List<PolicyOption> common = common();
    for (String policy : PolicySpec.policyNames()) {
      for (PolicyOption option : PolicySpec.options(policy, PolicyLimits.ENGINE)) {
        if (!common.contains(option)) {
          rows.add(policyRow("[" + policy + "](../policies/" + policy + ".md)", option));
        }
      }
    }
    common.forEach(option -> rows.add(policyRow("all", option)));
    return rows;
  }

  /** What every policy has. */
  private static List<PolicyOption> common() {
    List<PolicyOption> common = null;
    for (String policy : PolicySpec.policyNames()) {
      List<PolicyOption> options = PolicySpec.options(policy, PolicyLimits.ENGINE);
      if (common == null) {
        common = new ArrayList<>(options);
      } else {
        common.retainAll(options);
      }
    }
    return common;
  }

  private static String policyRow(String policy, PolicyOption option) {
    return GeneratedPage.row(
        policy,
        "`" + option.name() + "`",
        option.range(),
        option.format(option.defaultValue()),
        option.unit(),
        option.effect());
  }

  @Test
  void theBeanIsTheOneOfTheCode() throws IOException {
    GeneratedPage page = GeneratedPage.of(PAGES.resolve("jmx.md"));
    List<Javadoc.Method> methods =
        Javadoc.of("io/coppice/policy/observe/StrategyMXBean").methods("\\w[\\w<>]* ");
    assertThat(methods).hasSameSizeAs(StrategyMXBean.class.getMethods());
    List<String> attributes =
        new ArrayList<>(List.of("| attribute | type | what it says |", "|---|---|---|"));
    List<String> operations = new ArrayList<>(List.of("| operation | what it does |", "|---|---|"));
    for (Javadoc.Method method : methods) {
      String signature = method.signature();
      int space = signature.indexOf(' ');
      if (signature.startsWith("get", space + 1)) {
        String name = signature.substring(space + 4, signature.indexOf('('));
        attributes.add(
            GeneratedPage.row("`" + name + "`", signature.substring(0, space), method.text()));
      } else {
        operations.add(GeneratedPage.row("`" + signature + "`", method.text()));
      }
    }
    page.part("attributes", attributes);
    page.part("operations", operations);
    page.part(
        "snapshot",
        fields(
            StrategySnapshot.class,
            StrategySnapshot.Tunable.class,
            StrategySnapshot.Run.class,
            StrategySnapshot.Segment.class,
            StrategySnapshot.Counter.class,
            StrategySnapshot.Amplification.class,
            StrategySnapshot.Backlog.class,
            StrategySnapshot.Decision.class));
    page.part("tableMap", fields(TableMap.class, TableMap.Merge.class));
    page.check();
  }

  /** The fields of an answer, and of what is in its lists. */
  private static List<String> fields(Class<?> answer, Class<?>... parts) throws IOException {
    Javadoc doc = Javadoc.of("io/coppice/policy/observe/" + answer.getSimpleName());
    List<String> rows = new ArrayList<>(List.of("| field | what it says |", "|---|---|"));
    addComponents(rows, "", answer, doc);
    for (Class<?> part : parts) {
      addComponents(rows, part.getSimpleName() + ".", part, doc);
    }
    return rows;
  }

  @Test
  void thePageOfErrorsHasEveryExceptionOfAStore() throws IOException {
    String page = Files.readString(PAGES.resolve("errors.md"));
    Set<String> shown =
        Pattern.compile("(?m)^\\| `(\\w+Exception)` \\|")
            .matcher(page)
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toSet());
    Set<String> present =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.coppice.base")
                .stream()
                .filter(type -> type.isAssignableTo(StoreException.class))
                .filter(type -> !type.isEquivalentTo(StoreException.class))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
    assertThat(shown).isEqualTo(present);
  }

  @Test
  void thePageOfLimitsHasTheNumbersOfTheCode() throws IOException {
    assertThat(Files.readString(PAGES.resolveSibling("explanation").resolve("limits.md")))
        .contains("| " + grouped(Limits.MAX_KEY_BYTES) + " bytes | `Limits.MAX_KEY_BYTES`")
        .contains("| " + grouped(Limits.MAX_VALUE_BYTES) + " bytes (256 MiB) |")
        .contains(grouped(Limits.MAX_BATCH_BYTES) + " bytes | `Limits.MAX_BATCH_BYTES`")
        .contains("| " + grouped(Limits.MAX_BATCH_RANGES) + " | `Limits.MAX_BATCH_RANGES` |")
        .contains("| " + grouped(Limits.MAX_SEQUENCE) + ", one an entry written |")
        .contains("| " + Plan.Delay.MAX_TABLES + " | `Plan.Delay.MAX_TABLES`");
  }

  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static void addComponents(List<String> rows, String prefix, Class<?> type, Javadoc doc) {
    Map<String, String> meanings = doc.components(type.getSimpleName());
    Arrays.stream(type.getRecordComponents())
        .forEach(
            component ->
                rows.add(
                    GeneratedPage.row(
                        "`" + prefix + component.getName() + "`",
                        meanings.getOrDefault(component.getName(), "–"))));
  }
}
