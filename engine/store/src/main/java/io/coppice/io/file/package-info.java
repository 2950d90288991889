// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Files of the file system: mapped, positional and appended ones, with their budgets of descriptors
 * and mappings. Paths come in, files of the port go out.
 *
 * <p>A file outlives its last reader: access counters delay each unmap and close. Records, enums
 * and exceptions are safe to share between threads.
 */
package io.coppice.io.file;
