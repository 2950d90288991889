// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Tests that compare pages with the code of the store: {@code README.md}, pages under {@code
 * docs/reference}, and the exporter rules under {@code docker}. Package {@code io.coppice.docs} of
 * the tool module tests what concerns all pages or modules.
 */
package io.coppice.pages;
