// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

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

  private static final Path ROOT = Path.of("..");

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
    for (String module : texts(root, "/project/modules/module")) {
      Document pom = pom(ROOT.resolve(module).resolve("pom.xml"));
      assertThat(texts(pom, "/project/name")).as(module).hasSize(1).doesNotContain("");
      assertThat(texts(pom, "/project/description")).as(module).hasSize(1).doesNotContain("");
    }
  }

  @Test
  void theRootManagesWhatIsPublishedAndNoLibrary() throws Exception {
    List<String> published = new ArrayList<>();
    for (String module : texts(root, "/project/modules/module")) {
      Document pom = pom(ROOT.resolve(module).resolve("pom.xml"));
      if (!texts(pom, "/project/properties/maven.deploy.skip").contains("true")) {
        published.addAll(texts(pom, "/project/artifactId"));
      }
    }
    assertThat(published).containsExactly("coppice-engine", "coppice-cassandra-5.0");
    String managed = "/project/dependencyManagement/dependencies/dependency/";
    assertThat(texts(root, managed + "artifactId")).isEqualTo(published);
    assertThat(texts(root, managed + "groupId")).containsOnly("io.coppice");
    assertThat(texts(root, managed + "version")).hasSize(2).containsOnly("${project.version}");
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
    String compare = "/project/profiles/profile[id='compare']/properties/skipTests";
    assertThat(texts(root, compare)).containsExactly("true");
  }

  /**
   * A file of the repository may activate a profile, and so may {@code -Dtest}; a machine may not,
   * so all compile the same.
   */
  @Test
  void noProfileIsActivatedByTheMachine() throws Exception {
    List<String> modules = new ArrayList<>(texts(root, "/project/modules/module"));
    modules.add(".");
    for (String module : modules) {
      Document pom = pom(ROOT.resolve(module).resolve("pom.xml"));
      String activation = "/project/profiles/profile/activation";
      assertThat(texts(pom, activation + "/file/*"))
          .as(module)
          .allMatch(file -> file.startsWith("${basedir}/src/"));
      assertThat(texts(pom, activation + "/*[not(self::file)]"))
          .as(module)
          .allMatch("test"::equals);
    }
  }

  @Test
  void thePageOnTroubleQuotesWhatTheBuildSays() throws Exception {
    String page = Files.readString(ROOT.resolve(Path.of("docs", "how-to", "trouble.md")));
    String machine =
        "//plugin[artifactId='maven-enforcer-plugin']//execution[id!='hosted']//message";
    List<String> messages = texts(root, machine);
    assertThat(messages).hasSizeGreaterThan(4);
    for (String message : messages) {
      String value = "\\\\E[^|`]+\\\\Q";
      String regex = "\\Q" + message.replaceAll("\\$[{][^}]+[}]", value) + "\\E";
      assertThat(page).containsPattern(Pattern.compile(regex));
    }
    String java = messages.get(0).replaceAll(".*[}]", "");
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains(java);
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
