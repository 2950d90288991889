// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A load and its configuration as text, to be kept and run again.
 *
 * <pre>
 * # why it is kept
 * config policy=leveled,fanout=2,table_size=4KiB memtable=4096
 * keys plain
 * answers 1f00c5d2a96e1b7c
 * write buffered put 0 1x1
 * flush
 * get -1 0
 * </pre>
 *
 * @param notes lines of comment
 * @param answers the hash of all answers, equal on every JDK; null if it was not noted
 */
public record CaseFile(List<String> notes, Config config, Load load, String answers) {

  /** Reads the text form. */
  public static CaseFile parse(String name, String text) {
    List<String> notes = new ArrayList<>();
    List<Op> ops = new ArrayList<>();
    Config config = Config.DEFAULT;
    Keys keys = Keys.PLAIN;
    String answers = null;
    for (String line : text.lines().map(String::trim).filter(l -> !l.isEmpty()).toList()) {
      String rest = line.substring(line.indexOf(' ') + 1);
      if (line.startsWith("#")) {
        notes.add(line.substring(1).trim());
      } else if (line.equals("config") || line.startsWith("config ")) {
        config = line.equals("config") ? Config.DEFAULT : Config.parse(rest);
      } else if (line.startsWith("keys ")) {
        keys = Keys.valueOf(rest.toUpperCase(Locale.ROOT));
      } else if (line.startsWith("answers ")) {
        answers = rest;
      } else {
        ops.add(Op.parse(line));
      }
    }
    return new CaseFile(notes, config, new Load(name, keys, ops), answers);
  }

  /** The text form. */
  public String text() {
    StringBuilder text = new StringBuilder();
    notes.forEach(note -> text.append("# ").append(note).append('\n'));
    text.append(("config " + config).trim()).append('\n');
    text.append("keys ").append(load.keys().name().toLowerCase(Locale.ROOT)).append('\n');
    if (answers != null) {
      text.append("answers ").append(answers).append('\n');
    }
    load.ops().forEach(op -> text.append(op).append('\n'));
    return text.toString();
  }
}
