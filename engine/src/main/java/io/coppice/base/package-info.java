// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** What every other package stands on: bytes, checksums, key order, the public exceptions. */
package io.coppice.base;
