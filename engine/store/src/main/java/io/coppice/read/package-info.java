// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Point lookups and cursors over memtables and the tables of a leased version. Keys, ranges and
 * sequence numbers come in, copied values and cursors go out. A read takes no lock, and a lookup
 * allocates only its result. Candidates have three sources: an index serves a version that is read
 * often, a serial lookup reads eight filters at once, and a parallel one keeps blocks. Records,
 * enums and exceptions are safe to share between threads.
 */
package io.coppice.read;
