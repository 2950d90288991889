// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** The command line of coppice-tool.jar: one subcommand each, figures out as text. */
package io.coppice.tool;
