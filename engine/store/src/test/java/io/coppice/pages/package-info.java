// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Tests that compare pages under {@code docs} and {@code docker} with the code. */
package io.coppice.pages;
