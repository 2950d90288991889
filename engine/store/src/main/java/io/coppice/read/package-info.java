// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Point lookups and cursors over memtables and the tables of a leased version. Keys, ranges and
 * sequence numbers come in, copied values and cursors go out. A read takes no lock, and a lookup
 * allocates only its result. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.read;
