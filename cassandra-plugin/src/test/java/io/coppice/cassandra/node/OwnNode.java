// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test class that starts a node with settings of its own and therefore needs its own JVM. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@OnJdk17
@Tag("own-node")
public @interface OwnNode {}
