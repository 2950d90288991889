// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.management.remote.JMXConnector;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * The credentials of JMX connections: user, password and TLS, as for nodetool.
 *
 * @param user empty if nodes require no login
 * @param password empty if nodes require no login
 * @param tls whether to use TLS, with the key and trust stores of the JVM's {@code javax.net.ssl}
 *     properties
 */
public record JmxLogin(Optional<String> user, Optional<String> password, boolean tls) {

  /** The options of every command that connects to nodes. */
  public static final List<CommandOptions.Help> HELP =
      List.of(
          new CommandOptions.Help("--user", "NAME", "JMX user, if the processes require a login."),
          new CommandOptions.Help(
              "--password-file",
              "FILE",
              "File of mode 600 with the password, or with lines 'user password' as for nodetool."),
          new CommandOptions.Help(
              "--ssl",
              "",
              "Use TLS, with the stores of java -Djavax.net.ssl.trustStore=... -jar ..."));

  /**
   * Reads the credentials from the options and the password file. It is a fault if the file is
   * unreadable, readable by others, or without a password for the user.
   */
  public static JmxLogin read(CommandOptions options) {
    Optional<String> user = options.text("--user");
    Optional<String> file = options.text("--password-file");
    if (user.isPresent() != file.isPresent()) {
      options.fault("--user and --password-file go together; add the missing one");
      return new JmxLogin(Optional.empty(), Optional.empty(), options.flag("--ssl"));
    }
    Optional<String> password = file.flatMap(name -> password(name, user.orElse(""), options));
    return new JmxLogin(user, password, options.flag("--ssl"));
  }

  private static Optional<String> password(String file, String user, CommandOptions options) {
    List<String> lines;
    try {
      if (othersMayRead(Path.of(file))) {
        options.fault(
            "--password-file ("
                + file
                + ") must be readable by its owner alone; run chmod 600 "
                + file);
        return Optional.empty();
      }
      lines =
          Files.readAllLines(Path.of(file), StandardCharsets.UTF_8).stream()
              .map(String::strip)
              .filter(line -> !line.isEmpty())
              .toList();
    } catch (IOException e) {
      options.fault(
          "--password-file (" + file + ") must be a readable file: " + CommandOutput.cause(e));
      return Optional.empty();
    }
    for (String line : lines) {
      String[] words = line.split("\\s+", 2);
      if (words.length == 2 && words[0].equals(user)) {
        return Optional.of(words[1]);
      }
    }
    if (lines.size() == 1) {
      return Optional.of(lines.get(0));
    }
    options.fault(
        "--password-file ("
            + file
            + ") must have a line for the user "
            + user
            + ", or the password alone");
    return Optional.empty();
  }

  private static boolean othersMayRead(Path file) throws IOException {
    if (Files.getFileAttributeView(file, PosixFileAttributeView.class) == null) {
      return false;
    }
    Set<PosixFilePermission> rights = new HashSet<>(Files.getPosixFilePermissions(file));
    rights.removeAll(
        EnumSet.of(
            PosixFilePermission.OWNER_READ,
            PosixFilePermission.OWNER_WRITE,
            PosixFilePermission.OWNER_EXECUTE));
    return !rights.isEmpty();
  }

  /** Returns the environment of a JMX connection. */
  Map<String, Object> environment() {
    Map<String, Object> environment = new HashMap<>();
    if (user.isPresent() && password.isPresent()) {
      environment.put(JMXConnector.CREDENTIALS, new String[] {user.get(), password.get()});
    }
    if (tls) {
      environment.put("com.sun.jndi.rmi.factory.socket", new SslRMIClientSocketFactory());
    }
    return environment;
  }

  /** Returns the user and TLS, without the password. */
  @Override
  public String toString() {
    return user.orElse("no login") + (tls ? " over TLS" : "");
  }
}
