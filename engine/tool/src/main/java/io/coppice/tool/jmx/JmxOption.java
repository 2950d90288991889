// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.jmx;

import io.coppice.tool.cli.CommandOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The option {@code --jmx} of every command that connects to processes: the address of a node or of
 * a process with a store.
 */
public final class JmxOption {

  public static final String NAME = "--jmx";

  /** The option of commands that take one address. */
  public static final CommandOptions.Help ONE = help("HOST[:PORT]", "JMX address of the process");

  /** The option of commands that take several addresses. */
  public static final CommandOptions.Help LIST =
      help("HOST[:PORT],...", "JMX addresses of the processes, separated by commas");

  private JmxOption() {}

  private static CommandOptions.Help help(String label, String what) {
    return new CommandOptions.Help(
        NAME, label, what + ". Default port: " + NodeAddress.CASSANDRA_PORT + ".");
  }

  /**
   * Reads the address of a command that takes one. It is a fault if it is missing or malformed; the
   * result is then empty.
   */
  public static Optional<NodeAddress> one(CommandOptions options) {
    Optional<String> text = options.text(NAME);
    if (text.isEmpty()) {
      if (!options.flag(NAME)) {
        options.fault(NAME + " is missing; write " + NAME + "=" + ONE.label());
      }
      return Optional.empty();
    }
    return parse(text.get(), options);
  }

  /**
   * Reads the addresses of a command that takes several, in the typed order. It is a fault if there
   * is none, or one is malformed or named twice; such an address is left out.
   */
  public static List<NodeAddress> list(CommandOptions options) {
    List<NodeAddress> addresses = new ArrayList<>();
    Optional<String> text = options.text(NAME);
    if (text.isEmpty()) {
      if (!options.flag(NAME)) {
        options.fault(NAME + " is missing; write " + NAME + "=" + LIST.label());
      }
      return addresses;
    }
    String[] words = text.get().split(",");
    if (words.length == 0) {
      options.fault(
          NAME + " (" + text.get() + ") names no process; write " + NAME + "=" + LIST.label());
    }
    for (String word : words) {
      parse(word, options)
          .ifPresent(
              address -> {
                if (addresses.contains(address)) {
                  options.fault(NAME + " names " + address + " twice; name it once");
                } else {
                  addresses.add(address);
                }
              });
    }
    return addresses;
  }

  private static Optional<NodeAddress> parse(String word, CommandOptions options) {
    Optional<NodeAddress> address = NodeAddress.parse(word);
    if (address.isEmpty()) {
      options.fault(NAME + " (" + word + ") must be HOST or HOST:PORT, with a port in 1..65535");
    }
    return address;
  }
}
