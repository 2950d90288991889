// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/** As for plain blocks, with blocks that are padded to the ends of pages. */
class PagesDamageTest extends TableDamageTest {
  @Override
  TableOptions form() {
    return super.form().with(true);
  }
}
