// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Tests that open stores of earlier formats. The stores are in {@code src/test/resources/frozen};
 * the test needs the bytes of the older version, so they may not be regenerated.
 */
package io.coppice.frozen;
