// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The bill of materials that a release has; it is made in the profile release alone. */
@EnabledIfSystemProperty(named = "coppice.sbom", matches = ".+\\.json")
class SbomIT {

  /** What the bill says of licences that POMs name without an identifier. */
  private static final Map<String, String> CALLED =
      Map.of("GNU Lesser General Public Licence", "LGPL-2.1-or-later");

  @Test
  void itListsEveryLibraryOfThePageWithItsLicence() throws IOException {
    JsonNode bill =
        new ObjectMapper().readTree(Path.of(System.getProperty("coppice.sbom")).toFile());
    assertThat(bill.path("bomFormat").asText()).isEqualTo("CycloneDX");
    Set<String> listed = new TreeSet<>();
    for (JsonNode part : bill.path("components")) {
      if (part.path("group").asText().equals("io.coppice")) {
        continue;
      }
      String name = part.path("group").asText() + ":" + part.path("name").asText();
      JsonNode licences = part.path("licenses");
      assertThat(licences).as("licences of " + name).hasSize(1);
      JsonNode licence = licences.path(0).path("license");
      String id = licence.path("id").asText(licence.path("name").asText());
      listed.add(name + " " + part.path("version").asText() + " " + CALLED.getOrDefault(id, id));
    }
    Set<String> shown = new TreeSet<>();
    for (ThirdParty row : ThirdParty.rows()) {
      shown.add(row.name() + " " + row.version() + " " + row.licence());
    }
    assertThat(listed).isEqualTo(shown);
  }
}
