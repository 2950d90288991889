// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** What happens between finding a directory and serving it: replay, cleaning up. */
package io.coppice.recovery;
