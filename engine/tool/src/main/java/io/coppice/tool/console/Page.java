// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The files of the page, stored beside this class. Requests can reach no other file. */
final class Page {

  /** A file of the page. */
  record Asset(String type, byte[] bytes) {}

  /** The placeholder for the nonce, replaced when the page is sent. */
  private static final String NONCE = "__NONCE__";

  private static final int NONCE_BYTES = 18;
  private static final Map<String, String> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("index.html", "text/html; charset=utf-8");
    TYPES.put("console.css", "text/css; charset=utf-8");
    for (String script : new String[] {"base", "forest", "charts", "pages", "tune", "console"}) {
      TYPES.put(script + ".js", "text/javascript; charset=utf-8");
    }
  }

  private final SecureRandom random = new SecureRandom();
  private final Map<String, Asset> assets = new LinkedHashMap<>();

  Page() {
    TYPES.forEach((name, type) -> assets.put("/" + name, new Asset(type, read(name))));
  }

  private static byte[] read(String name) {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  /** Returns a new random nonce for the content security policy of one answer. */
  String nonce() {
    byte[] drawn = new byte[NONCE_BYTES];
    random.nextBytes(drawn);
    return Base64.getEncoder().encodeToString(drawn);
  }

  /**
   * Returns the file of a path, or empty if the page has no such file. The page allows only scripts
   * and styles with the nonce.
   */
  Optional<Asset> asset(String path, String nonce) {
    if (path.equals("/")) {
      Asset index = assets.get("/index.html");
      String html = new String(index.bytes(), StandardCharsets.UTF_8).replace(NONCE, nonce);
      return Optional.of(new Asset(index.type(), html.getBytes(StandardCharsets.UTF_8)));
    }
    return path.equals("/index.html") ? Optional.empty() : Optional.ofNullable(assets.get(path));
  }
}
