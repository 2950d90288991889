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
 * The access control of all requests. It checks, in this order, the host that the request names,
 * the method, the token where the path requires it, the origin, and the type and length of a body.
 * The host check stops DNS rebinding: a page that reaches this machine under the attacker's own
 * name.
 */
final class Guard {

  /** Largest body of a request, in bytes. Every request of the page is shorter. */
  static final int MAX_BODY_BYTES = 8 << 10;

  private static final int TOKEN_BYTES = 24;
  private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");
  private static final String BEARER = "Bearer ";

  private final byte[] token;
  private final String text;

  /** Creates a guard with a random token of 192 bits. */
  Guard() {
    byte[] drawn = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(drawn);
    text = Base64.getUrlEncoder().withoutPadding().encodeToString(drawn);
    token = text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns the token, for the URL that the console prints. */
  String token() {
    return text;
  }

  /**
   * Returns the HTTP status that refuses a request, that of the first failed check; empty if the
   * request is accepted.
   *
   * @param method the only method that the path of the request accepts
   * @param secret whether the path requires the token
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
    // Any port is accepted, because a tunnel may use another one than the server.
    return hosts.size() == 1 && HOSTS.contains(hosts.get(0).replaceFirst(":\\d{1,5}$", ""));
  }

  private boolean hasToken(HttpExchange request) {
    List<String> given = request.getRequestHeaders().getOrDefault("Authorization", List.of());
    return given.size() == 1
        && given.get(0).startsWith(BEARER)
        && MessageDigest.isEqual(
            given.get(0).substring(BEARER.length()).getBytes(StandardCharsets.UTF_8), token);
  }

  /**
   * Returns whether the request follows a link to the page. It is accepted, because the page is
   * empty without the token.
   */
  private static boolean followsLink(HttpExchange request, String method, boolean secret) {
    return !secret
        && method.equals("GET")
        && "navigate".equals(request.getRequestHeaders().getFirst("Sec-Fetch-Mode"))
        && "document".equals(request.getRequestHeaders().getFirst("Sec-Fetch-Dest"));
  }

  /**
   * Returns whether the request has no foreign origin. A page of another origin sends its origin; a
   * request from outside a page sends none.
   */
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
