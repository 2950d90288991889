// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test class on {@link Node#shared}, the node that such classes of one JVM share in turn. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@OnJdk17
@Tag("shared-node")
public @interface SharedNode {}
