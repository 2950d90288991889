// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Point lookups and cursors over memtables and the tables of a leased version. Keys, ranges and
 * sequence numbers come in, copied values and cursors go out. A lookup takes locks and allocates
 * more than its result only at rare events, see {@link FamilyReader}. A lookup finds its candidate
 * tables in one of three ways. A version that is read often has a slice index. A serial lookup
 * probes eight filters at once. A parallel lookup probes one filter at a time and reads the blocks
 * of several candidates together. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.read;
