// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Sources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What repositories and those who depend on us read in our POMs. */
class PomTest {

  private static final Path ROOT = Path.of("..", "..");

  private static final int MAX_LINES = 350;

  /** What they had together before the engine was cut into modules. */
  private static final int MAX_LINES_TOGETHER = 1987;

  private final XPath xpath = XPathFactory.newInstance().newXPath();
  private final Document root = pom(ROOT.resolve("pom.xml"));

  @Test
  void theRootSaysWhatARepositoryAsksFor() throws Exception {
    for (String element :
        List.of(
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url",
            "issueManagement/system",
            "issueManagement/url")) {
      assertThat(texts(root, "/project/" + element)).as(element).hasSize(1).doesNotContain("");
    }
    assertThat(texts(root, "/project/licenses/license/name")).containsExactly("Apache-2.0");
  }

  @Test
  void everyModuleSaysWhatItIs() throws Exception {
    for (Path file : poms()) {
      Document pom = pom(file);
      assertThat(texts(pom, "/project/name")).as(file.toString()).hasSize(1).doesNotContain("");
      assertThat(texts(pom, "/project/description"))
          .as(file.toString())
          .hasSize(1)
          .doesNotContain("");
    }
  }

  @Test
  void noPomIsLong() throws Exception {
    int lines = 0;
    for (Path file : poms()) {
      List<String> text = Files.readAllLines(file);
      assertThat(text).as(file.toString()).hasSizeLessThanOrEqualTo(MAX_LINES);
      lines += text.size();
    }
    assertThat(lines).isLessThanOrEqualTo(MAX_LINES_TOGETHER);
  }

  @Test
  void theCompilerChecksLocks() throws Exception {
    String compiler = "//plugin[artifactId='maven-compiler-plugin']/executions/execution";
    assertThat(texts(root, compiler + "[id='default-compile']//compilerArgs/arg"))
        .anyMatch(argument -> argument.endsWith(" -Xep:GuardedBy:ERROR"));
  }

  @Test
  void theRootManagesWhatIsPublishedAndNoLibrary() throws Exception {
    List<String> published = new ArrayList<>();
    for (Path file : poms()) {
      Document pom = pom(file);
      boolean jar = texts(pom, "/project/packaging").isEmpty();
      if (jar && !texts(pom, "/project/properties/maven.deploy.skip").contains("true")) {
        published.addAll(texts(pom, "/project/artifactId"));
      }
    }
    assertThat(published)
        .containsExactly(
            "coppice-policy",
            "coppice-engine",
            "coppice-simulator",
            "coppice-tool",
            "coppice-cassandra-5.0");
    String managed = "/project/dependencyManagement/dependencies/dependency/";
    assertThat(texts(root, managed + "artifactId")).isEqualTo(published);
    assertThat(texts(root, managed + "groupId")).containsOnly("io.coppice");
    assertThat(texts(root, managed + "version")).containsOnly("${project.version}");
  }

  /** A name that is given to Surefire by a profile must be that of a test. */
  @Test
  void profilesNameTestsThatExist() throws Exception {
    List<String> present = Sources.testClasses();
    int named = 0;
    for (Path file : poms()) {
      for (String tests : texts(pom(file), "/project/profiles/profile/properties/test")) {
        for (String test : tests.split(",")) {
          named++;
          assertThat(present).anyMatch(name -> name.matches(test.replace("*", ".*")));
        }
      }
    }
    assertThat(named).isGreaterThan(5);
  }

  @Test
  void theImageIsMadeOfThisVersion() throws Exception {
    String dockerfile = Files.readString(ROOT.resolve(Path.of("docker", "Dockerfile")));
    assertThat(dockerfile)
        .contains("\nARG VERSION=" + texts(root, "/project/version").get(0) + "\n");
  }

  @Test
  void whoSkipsTestsSkipsThoseOfTheJarsToo() throws Exception {
    String failsafe =
        "/project/build/pluginManagement/plugins/plugin[artifactId='maven-failsafe-plugin']";
    assertThat(texts(root, failsafe + "/configuration/skipTests")).containsExactly("${skipTests}");
    String compare = "/project/profiles/profile[id='compare']/properties/maven.test.skip";
    assertThat(texts(root, compare)).containsExactly("true");
  }

  /** The cost report is a class of the tests, so it exists only if tests are compiled. */
  @Test
  void testsThatAreNotCompiledAreSkippedWithTheirCostReport() throws Exception {
    assertThat(texts(root, "/project/properties/skipTests")).containsExactly("${maven.test.skip}");
    assertThat(texts(root, "/project/properties/maven.test.skip")).containsExactly("false");
    String cost =
        "/project/build/pluginManagement/plugins/plugin[artifactId='exec-maven-plugin']"
            + "/executions/execution[id='cost']/configuration/skip";
    assertThat(texts(root, cost)).containsExactly("${skipTests}");
  }

  /**
   * A file of the repository may activate a profile, and so may {@code -Dtest}; a machine may not,
   * so all compile the same.
   */
  @Test
  void noProfileIsActivatedByTheMachine() throws Exception {
    for (Path file : poms()) {
      Document pom = pom(file);
      String activation = "/project/profiles/profile/activation";
      assertThat(texts(pom, activation + "/file/*"))
          .as(file.toString())
          .allMatch(condition -> condition.startsWith("${basedir}/src/"));
      assertThat(texts(pom, activation + "/*[not(self::file)]"))
          .as(file.toString())
          .allMatch("test"::equals);
    }
  }

  @Test
  void thePageForContributorsQuotesWhatTheBuildSays() throws Exception {
    String page = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    String rules = "//plugin[artifactId='maven-enforcer-plugin']//message";
    List<String> messages = new ArrayList<>(texts(root, rules));
    messages.addAll(texts(pom(ROOT.resolve(Path.of("engine", "pom.xml"))), rules));
    assertThat(messages).hasSizeGreaterThan(4);
    for (String message : messages) {
      String value = "\\\\E[^|`]+\\\\Q";
      String regex = "\\Q" + message.replaceAll("\\$[{][^}]+[}]", value) + "\\E";
      assertThat(page).containsPattern(Pattern.compile(regex));
    }
  }

  /** Returns the POMs of all modules, each behind its parent. */
  private List<Path> poms() throws XPathExpressionException {
    List<Path> files = new ArrayList<>(List.of(ROOT.resolve("pom.xml")));
    for (int i = 0; i < files.size(); i++) {
      Path directory = files.get(i).getParent();
      int next = i;
      for (String module : texts(pom(files.get(i)), "/project/modules/module")) {
        next++;
        files.add(next, directory.resolve(module).resolve("pom.xml"));
      }
    }
    return files;
  }

  private static Document pom(Path file) {
    try {
      return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    } catch (Exception e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  private List<String> texts(Document pom, String path) throws XPathExpressionException {
    NodeList nodes = (NodeList) xpath.evaluate(path, pom, XPathConstants.NODESET);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent().strip());
    }
    return texts;
  }
}
