// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The tuning console: it reads nodes and stores over JMX, remembers a day of what it saw, and shows
 * and changes it on one page that only this machine can open.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.tool.console;
