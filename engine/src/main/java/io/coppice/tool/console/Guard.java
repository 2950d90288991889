// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.sun.net.httpserver.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Who may ask what: the one place where requests are let in. In this order: the address that the
 * request was sent to, so that no name that an attacker gave this machine works; the method; the
 * token; where it comes from; what its body says it is, and how long that is.
 */
final class Guard {

  /** No request that the page makes is longer. */
  static final int MAX_BODY_BYTES = 8 << 10;

  private static final int TOKEN_BYTES = 24;
  private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");
  private static final String BEARER = "Bearer ";

  private final byte[] token;
  private final String text;

  /** A guard with a token of its own, 192 bits drawn anew. */
  Guard() {
    byte[] drawn = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(drawn);
    text = Base64.getUrlEncoder().withoutPadding().encodeToString(drawn);
    token = text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The token, for the one URL that is printed. */
  String token() {
    return text;
  }

  /**
   * The status with which a request is turned away; empty if it is let in.
   *
   * @param method the only one that its path has
   * @param secret true if its path needs the token
   */
  Optional<Integer> refusal(HttpExchange request, String method, boolean secret) {
    if (!knownHost(request)) {
      return Optional.of(421);
    }
    if (!request.getRequestMethod().equals(method)) {
      return Optional.of(405);
    }
    if (secret && !hasToken(request)) {
      return Optional.of(401);
    }
    if (!(followsLink(request, method, secret) || ownOrigin(request))) {
      return Optional.of(403);
    }
    return method.equals("POST") ? bodyRefusal(request) : Optional.empty();
  }

  private static boolean knownHost(HttpExchange request) {
    List<String> hosts = request.getRequestHeaders().getOrDefault("Host", List.of());
    // Any port, as a tunnel may end at another one than the server's.
    return hosts.size() == 1 && HOSTS.contains(hosts.get(0).replaceFirst(":\\d{1,5}$", ""));
  }

  private boolean hasToken(HttpExchange request) {
    List<String> given = request.getRequestHeaders().getOrDefault("Authorization", List.of());
    return given.size() == 1
        && given.get(0).startsWith(BEARER)
        && MessageDigest.isEqual(
            given.get(0).substring(BEARER.length()).getBytes(StandardCharsets.UTF_8), token);
  }

  /** Whoever follows a link to the page gets it: it is empty without the token. */
  private static boolean followsLink(HttpExchange request, String method, boolean secret) {
    return !secret
        && method.equals("GET")
        && "navigate".equals(request.getRequestHeaders().getFirst("Sec-Fetch-Mode"))
        && "document".equals(request.getRequestHeaders().getFirst("Sec-Fetch-Dest"));
  }

  /** A page of another origin names it; a request that is no page's has none. */
  private static boolean ownOrigin(HttpExchange request) {
    List<String> origins = request.getRequestHeaders().getOrDefault("Origin", List.of());
    List<String> sites = request.getRequestHeaders().getOrDefault("Sec-Fetch-Site", List.of());
    String own = "http://" + request.getRequestHeaders().getFirst("Host");
    return origins.stream().allMatch(own::equals)
        && sites.stream().allMatch(site -> site.equals("same-origin") || site.equals("none"));
  }

  private static Optional<Integer> bodyRefusal(HttpExchange request) {
    String type = request.getRequestHeaders().getFirst("Content-Type");
    if (type == null || !type.matches("application/json(;.*)?")) {
      return Optional.of(415);
    }
    String length = request.getRequestHeaders().getFirst("Content-Length");
    if (length == null || !length.matches("\\d{1,9}")) {
      return Optional.of(411);
    }
    return Integer.parseInt(length) > MAX_BODY_BYTES ? Optional.of(413) : Optional.empty();
  }
}
