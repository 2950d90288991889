// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What a server said to a request that was written by hand, as no client lets one write any. */
record HttpAnswer(int status, String headers, String body) {

  private static final int MILLIS = 60_000;

  /**
   * Asks.
   *
   * @param address of the console, token included
   * @param headers in the place of those that a page sends; an empty text leaves one out
   */
  static HttpAnswer of(
      URI address, String method, String path, Map<String, String> headers, String body)
      throws IOException {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("Host", "127.0.0.1:" + address.getPort());
    all.put("Authorization", "Bearer " + address.getFragment().replaceFirst("/.*", ""));
    if (method.equals("POST")) {
      all.put("Content-Type", "application/json");
      all.put("Content-Length", Integer.toString(body.getBytes(StandardCharsets.UTF_8).length));
    }
    all.putAll(headers);
    StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    all.forEach(
        (name, value) -> {
          if (!value.isEmpty()) {
            request.append(name).append(": ").append(value).append("\r\n");
          }
        });
    request.append("Connection: close\r\n\r\n").append(body);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      socket.setSoTimeout(MILLIS);
      socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = text.indexOf("\r\n\r\n");
      return new HttpAnswer(
          Integer.parseInt(text.split(" ")[1]), text.substring(0, end), text.substring(end + 4));
    }
  }

  static HttpAnswer get(URI address, String path) throws IOException {
    return of(address, "GET", path, Map.of(), "");
  }

  static HttpAnswer post(URI address, String path, String body) throws IOException {
    return of(address, "POST", path, Map.of(), body);
  }

  /** The value of a header. */
  Optional<String> header(String name) {
    return headers
        .lines()
        .filter(line -> line.toLowerCase().startsWith(name.toLowerCase() + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
  }
}
