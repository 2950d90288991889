// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.base.WritePressure;
import io.coppice.base.bytes.NameText;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.compaction.context.CompactionListener;
import io.coppice.compaction.context.FamilyCompactionContext;
import io.coppice.compaction.shape.Claims;
import io.coppice.compaction.shape.EndedShares;
import io.coppice.compaction.shape.HiddenEntries;
import io.coppice.compaction.shape.ShapeCache;
import io.coppice.compaction.shape.VersionShapeBuilder;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.Lease;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.ReadBudget;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.observe.Decision.Question;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.table.OpenTables;
import io.coppice.version.Level;
import io.coppice.version.ReadCompactionRequests;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Planner of one family: asks its policy and checks the answer. {@link PlanInstaller} starts the
 * plan. Guarded by the compactor's lock.
 *
 * <p>Table indexes are read under a lease of the version that names the tables.
 */
final class FamilyPlanner {

  private static final int MAX_LEVEL = Version.MAX_LEVELS - 1;

  private final FamilyVersions versions;
  private final OpenTables tables;
  private final ReadCompactionRequests requests;
  private final RewriteBudget budget;
  private final ReadBudget readBudget = new ReadBudget();

  /** Answer to the requests of readers for the last shape; null once {@link #requests} has it. */
  private ReadBudget.@Nullable Answer lastAnswer;

  private final CompactionListener listener;
  private final DecisionJournal journal;
  private final long maxTransientBytes;
  private final LongSupplier transientBytesLeft;

  private final ShapeCache shapeCache;
  private final EndedShares ended;
  private final HiddenEntries hidden;
  private final Claims claims = new Claims();
  private final PlanInstaller installer;
  private final MajorCompactionScope major;
  private final RetryPause retry = new RetryPause();

  private PolicySpec spec;
  private Policy policy;

  /** Policy switch in progress, or null. */
  private PolicySwitch policySwitch;

  private CompactionContext context;

  /** Version that the last plan was checked against. */
  private Version checked;

  /** An empty version if the present policy planned nothing for it, or null. */
  private Version empty;

  /**
   * Bytes that the policy wanted to read when it was last asked for a plan, as far as the rewrite
   * budget covers them.
   */
  private long wantedBytes;

  private long presentBytes;

  /** Virtual time of the family in {@link FairPlanScheduler}, in bytes read by merges. */
  private long time;

  private boolean stopped;

  /**
   * Creates the planner of a family.
   *
   * @param journal records the decisions of the policy
   * @param maxTransientBytes transient space of all merges together
   * @param transientBytesLeft supplies the part of that space that running merges of all families
   *     leave
   */
  FamilyPlanner(
      FamilyCompactionContext family,
      DecisionJournal journal,
      long maxTransientBytes,
      LongSupplier transientBytesLeft) {
    this(
        family,
        EndedShares.Source.of(family.context().tables()),
        journal,
        maxTransientBytes,
        transientBytesLeft);
  }

  /** Creates a planner with another source of expiry times. */
  FamilyPlanner(
      FamilyCompactionContext family,
      EndedShares.Source ends,
      DecisionJournal journal,
      long maxTransientBytes,
      LongSupplier transientBytesLeft) {
    this.versions = family.versions();
    this.tables = family.context().tables();
    this.shapeCache = new ShapeCache(slice -> SliceSize.measured(tables, slice));
    this.ended = new EndedShares(ends);
    this.hidden = new HiddenEntries(tables);
    this.requests = family.requests();
    this.budget = family.budget();
    this.listener = family.listener();
    this.journal = journal;
    this.maxTransientBytes = maxTransientBytes;
    this.transientBytesLeft = transientBytesLeft;
    this.major = new MajorCompactionScope(versions, tables);
    this.installer = new PlanInstaller(this, versions, tables, claims, transientBytesLeft);
    policy(family.policy(), family.context());
  }

  /**
   * Replaces the policy of the family.
   *
   * @param fit environment of the merges that it plans
   * @param reason reason for the change, for people
   * @param now nanoseconds of the workers' clock
   */
  void policy(PolicySpec next, CompactionContext fit, String reason, long now) {
    if (!next.equals(spec)) {
      retry.recovered();
      endPolicySwitch(now, false);
      policySwitch = PolicySwitch.begun(spec, next, reason, now, budget.begunBytes());
    }
    policy(next, fit);
  }

  private void policy(PolicySpec next, CompactionContext fit) {
    spec = next;
    empty = null;
    policy = next.policy();
    context = fit;
    requests.mergeFrom(policy.mergeOnRead());
  }

  /**
   * Records that the policy planned nothing. This ends a policy switch, unless a merge runs or a
   * plan waits for space that merges of other families hold.
   */
  void plannedNothing(long now) {
    if (policySwitch != null && idle() && !major.isRunning() && !waitsForSpace()) {
      endPolicySwitch(now, true);
    }
  }

  private boolean waitsForSpace() {
    return transientBytesLeft.getAsLong() < maxTransientBytes && wantsMore();
  }

  /** Returns whether a policy switch is in progress. */
  boolean isSwitching() {
    return policySwitch != null;
  }

  private void endPolicySwitch(long now, boolean settled) {
    if (policySwitch != null) {
      policySwitch.end(versions.name(), now, budget.begunBytes(), settled);
      policySwitch = null;
    }
  }

  FamilyVersions versions() {
    return versions;
  }

  PolicySpec spec() {
    return spec;
  }

  CompactionContext context() {
    return context;
  }

  ReadCompactionRequests requests() {
    return requests;
  }

  CompactionListener listener() {
    return listener;
  }

  long time() {
    return time;
  }

  void time(long next) {
    time = next;
  }

  /** Returns whether the policy must not be asked, because the family is being dropped. */
  boolean stopped() {
    return stopped;
  }

  void stopped(boolean now) {
    stopped = now;
  }

  /** Returns the tables that a major compaction takes. */
  MajorCompactionScope major() {
    return major;
  }

  /** Returns the failure of the last plan and the pause after it; the object is live. */
  RetryPause retry() {
    return retry;
  }

  /**
   * Records a failed plan. A major compaction that found a damaged table continues without it; any
   * other plan waits for a pause.
   */
  void failed(Throwable problem, long now) {
    if (major.isRunning()
        && problem instanceof CorruptionException damage
        && major.leaveOut(damage)) {
      retry.recovered();
    } else {
      retry.failed(problem, now);
    }
  }

  /**
   * Returns the bytes that the policy wanted to read when it was last asked for a plan, as far as
   * the rewrite budget covers them. Writers are not slowed for merges that the budget forbids.
   */
  long wantedBytes() {
    return wantedBytes;
  }

  /** Tells the listener if writers would stop for merges that the policy does not plan. */
  private void reportIfStuck(Backlog wanted) {
    int runs = versions.current().levels().get(0).runs().size();
    if (!idle() || major.isRunning() || runs - spec.toleratedRuns() < WritePressure.STOP_RUNS) {
      return;
    }
    if (!retry.refusedTables().isEmpty()) {
      // Their merges lack disk space, and that failure is reported already.
      return;
    }
    if (transientBytesLeft.getAsLong() < maxTransientBytes) {
      // A merge of another family uses the space. This family's merge begins when that ends.
      return;
    }
    String what =
        "level 0 of family " + NameText.quoted(versions.name()) + " has " + runs + " runs, and ";
    listener.stuck(
        wanted.plans() > 0 && wanted.headroomBytes() > maxTransientBytes
            ? what
                + "their merge needs "
                + wanted.headroomBytes()
                + " bytes of disk for a while, but maxTransientSpace is "
                + maxTransientBytes
                + "; reopen the store with a larger maxTransientSpace"
            : what + "policy " + spec + " plans no merge of them; set another policy");
  }

  /** Returns the bytes of the family's slices when the policy was last asked for a plan. */
  long presentBytes() {
    return presentBytes;
  }

  /**
   * Returns whether the family is empty and the policy plans nothing for an empty family, so that
   * asking is useless. A store may have thousands of such families, and an event in one family asks
   * them all.
   */
  boolean hasNothing() {
    return empty != null && versions.current() == empty && !major.isRunning();
  }

  /** Returns whether no merge of the family runs or waits for a slot. */
  boolean idle() {
    return installer.isIdle();
  }

  /**
   * Returns the merges that the policy wants for the current version; empty if the rewrite budget
   * covers none of them.
   */
  Backlog backlog() {
    return backlog(shape());
  }

  /**
   * Returns the merges that the policy wants for a shape; empty if the rewrite budget covers none
   * of them.
   */
  private Backlog backlog(Shape shape) {
    boolean unpaid = idle() && budget.isExhaustedFor(policy, shape);
    return unpaid ? Backlog.NONE : policy.backlog(shape);
  }

  /**
   * Asks the policy for the next plan, and returns it after a check by {@link PlanCheck}; empty if
   * the policy wants none. The journal records the decision.
   *
   * @throws IllegalArgumentException if the plan breaks a rule; the message names it
   */
  Optional<Plan> next() {
    try (Lease lease = versions.lease()) {
      checked = lease.version();
      updateEstimates(checked);
      Budget budget = budget(transientBytesLeft.getAsLong());
      Shape shape =
          major.isRunning() ? shape(checked, true) : shape(checked, false, retry.refusedTables());
      answerReaders();
      Optional<Plan> plan = ask(checked, shape, budget);
      if (plan.isEmpty() || plan.get() instanceof Plan.Merge) {
        // A plan of metadata is carried out at once, and the next request updates these values.
        Backlog wanted = policy.backlog(shape);
        wantedBytes = Math.min(wanted.bytes(), budget.rewriteBytes());
        presentBytes = shape.bytes();
        if (plan.isEmpty()) {
          reportIfStuck(wanted);
        }
      }
      note(major.isRunning() ? Question.EVERYTHING : Question.NEXT, shape, budget, plan);
      empty = plan.isEmpty() && checked.tableBytes() == 0 ? checked : null;
      if (plan.isEmpty()) {
        plan = inPlaceRewrite(checked, shape, budget);
        if (plan.isPresent()) {
          note(Question.REWRITE, shape, budget, plan);
        }
      }
      if (plan.isPresent()) {
        // A major compaction does not see late flushes but must not pass them.
        Shape whole = major.isRunning() ? shape(checked, false) : shape;
        PlanCheck.check(whole, plan.get(), budget, MAX_LEVEL);
      }
      return plan;
    }
  }

  /**
   * Passes the last answer on to the readers. Called only for requests whose plan is carried out.
   */
  private void answerReaders() {
    ReadBudget.Answer answer = lastAnswer;
    if (answer == null) {
      requests.answered(Map.of(), Set.of());
    } else {
      requests.answered(answer.nextLookups(), answer.granted());
      lastAnswer = null;
    }
  }

  private void note(Question question, Shape shape, Budget budget, Optional<Plan> plan) {
    journal.note(versions.name(), spec, question, shape, budget, plan);
  }

  private Optional<Plan> ask(Version version, Shape shape, Budget budget) {
    if (!major.isRunning()) {
      return policy.next(shape, budget);
    }
    Optional<Plan> plan = policy.everything(shape, budget);
    if (plan.isPresent() || major.skippedTables().isEmpty()) {
      return plan;
    }
    // Unreadable tables can still be moved.
    Shape all = shape(version, true, Set.of());
    return policy.everything(all, budget).filter(move -> move instanceof Plan.Move);
  }

  /**
   * Returns the rewrite that a major compaction needs once all data is in one run; empty otherwise.
   */
  private Optional<Plan> inPlaceRewrite(Version version, Shape shape, Budget budget) {
    return major.isRunning() && shape.nonEmptyRunCount() == 1
        ? policy.rewrite(shape, major.slicesToRewrite(version, context), budget)
        : Optional.empty();
  }

  /**
   * Returns whether the policy wants a plan now, or would once merges of other families release
   * their space. The journal does not record this request.
   */
  boolean wantsMore() {
    try (Lease lease = versions.lease()) {
      updateEstimates(lease.version());
      Shape shape = shape(lease.version(), major.isRunning());
      Budget budget = budget(maxTransientBytes);
      return ask(lease.version(), shape, budget)
          .or(() -> inPlaceRewrite(lease.version(), shape, budget))
          .isPresent();
    }
  }

  private void updateEstimates(Version version) {
    ended.update(version, context.hooks().clock().millis());
    hidden.update(version, context.openSnapshots());
  }

  /**
   * Returns the nanoseconds from the last update of the estimates until time alone may change the
   * answer of the policy: values expire, or an estimate is due. It is {@link Long#MAX_VALUE} if
   * only an event changes the answer.
   */
  long endsNanos() {
    return Math.min(ended.restNanos(), hidden.restNanos());
  }

  /**
   * Returns whether the policy may answer differently once a snapshot is closed: an open snapshot
   * protects deleted entries.
   */
  boolean awaitsSnapshot() {
    return hidden.isHeld();
  }

  /**
   * Returns whether closed snapshots have released deleted entries since the estimates were last
   * updated: an open snapshot protected those of some table then, and no longer does.
   */
  boolean snapshotReached() {
    return hidden.releases(context.openSnapshots());
  }

  /** Returns the shape of the current version. */
  Shape shape() {
    try (Lease lease = versions.lease()) {
      return shape(lease.version(), false);
    }
  }

  /**
   * Returns the shape of a leased version.
   *
   * @param ofMajor whether to leave out the flushes that arrived after the major compaction began
   */
  private Shape shape(Version version, boolean ofMajor) {
    return shape(version, ofMajor, ofMajor ? major.skippedTables() : Set.of());
  }

  /**
   * Returns the compaction status of the family.
   *
   * @param running merges of this family
   * @param now nanoseconds of the workers' clock
   */
  FamilyCompactionStatus status(List<CompactionJob> running, long now) {
    try (Lease lease = versions.lease()) {
      Version version = lease.version();
      byte[][] bounds = VersionShapeBuilder.bounds(version, claims);
      Map<Long, SliceSize> sizes = sizes(shape(version, false));
      Shape shape =
          requesting(
              version,
              VersionShapeBuilder.of(
                  bounds,
                  version,
                  claims,
                  slice -> sizes.get(slice.id()),
                  ended.ended(),
                  hidden.hidden()));
      return new FamilyCompactionStatus(
          shape,
          List.of(bounds),
          backlog(shape),
          running.stream().map(merge -> merge.status(now)).toList());
    }
  }

  /** Returns the size of each slice of a shape, by slice id. */
  private static Map<Long, SliceSize> sizes(Shape shape) {
    Map<Long, SliceSize> sizes = new HashMap<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          for (SliceFacts slice : segment.slices()) {
            sizes.put(slice.slice(), ShapeCache.size(slice));
          }
        }
      }
    }
    return sizes;
  }

  private Shape shape(Version version, boolean ofMajor, Set<Long> without) {
    Set<Long> late = ofMajor ? major.lateRuns(version) : Set.of();
    return requesting(
        version,
        shapeCache.of(
            version,
            run -> !late.contains(run.id()),
            claims,
            without,
            ended.ended(),
            hidden.hidden()));
  }

  /** Returns the shape with the merges that readers asked for and the read budget covers. */
  private Shape requesting(Version version, Shape shape) {
    if (policy.mergeOnRead() == Integer.MAX_VALUE) {
      return shape;
    }
    Map<Long, Long> lookups = requests.lookups(() -> groups(version));
    ReadBudget.Answer answer =
        readBudget.answer(
            policy.readTerms(),
            shape,
            lookups,
            budget.flushedBytes(),
            spec.tableBytes(),
            requested -> policy.requestsThatFit(requested, maxTransientBytes));
    lastAnswer = answer;
    return shape.requesting(answer.granted());
  }

  private static Set<Long> groups(Version version) {
    Set<Long> groups = new HashSet<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          if (segment.virtual()) {
            groups.add(segment.group());
          }
        }
      }
    }
    return groups;
  }

  /**
   * Returns the budget of one plan: one slot, because a free slot asks, the given bytes of
   * transient space, and the rest of the rewrite budget.
   */
  private Budget budget(long transientBytes) {
    long bound = boundBytes(transientBytes, maxTransientBytes, overdueRuns());
    return new Budget(
        1, transientBytes, bound, major.isRunning() ? Long.MAX_VALUE : budget.remaining());
  }

  /**
   * Returns the transient bytes above which the policy divides a plan. A smaller plan waits for the
   * space that running merges hold. Once level 0 slows writers down, plans are divided to fit the
   * remaining space, because merges of other families may follow each other without end.
   *
   * @param transientBytes bytes that running merges of all families leave free now
   * @param maxTransientBytes transient space of all merges together
   * @param overdueRuns runs of level 0 beyond the tolerated ones; negative if there are fewer
   */
  static long boundBytes(long transientBytes, long maxTransientBytes, long overdueRuns) {
    return WritePressure.ofRuns(overdueRuns) >= WritePressure.FREE
        ? transientBytes
        : Math.max(transientBytes, maxTransientBytes);
  }

  private long overdueRuns() {
    return versions.current().levels().get(0).runs().size() - spec.toleratedRuns();
  }

  /**
   * Checks a plan that was made earlier or outside the policy.
   *
   * @throws IllegalArgumentException if the plan breaks a rule of {@link PlanCheck}; the message
   *     names it
   */
  void check(Plan plan) {
    try (Lease lease = versions.lease()) {
      checked = lease.version();
      PlanCheck.check(
          shape(checked, false), plan, budget(transientBytesLeft.getAsLong()), MAX_LEVEL);
    }
  }

  /**
   * Charges a started merge to the rewrite budget, and to the read budget if readers asked for it.
   */
  void charge(Plan plan, long inputBytes) {
    if (!major.isRunning()) {
      budget.charge(inputBytes);
    }
    if (plan.reason().code().equals(Reason.READ_REQUEST)) {
      readBudget.charge(inputBytes);
    }
  }

  /**
   * Returns whether writers wait for a plan. Such a plan takes flushes out of level 0, or the
   * policy prefers it although level 0 is full enough to slow writers down.
   */
  boolean relievesWriters(Plan plan) {
    return WritePressure.ofRuns(overdueRuns()) >= WritePressure.FREE || takesFlushes(plan);
  }

  /** Returns whether some inputs of a plan are in level 0. */
  boolean takesFlushes(Plan plan) {
    return installer.takesFlushes(new HashSet<>(plan.slices()));
  }

  /**
   * Claims the tables of a checked merge, creates a new target run, and splits a large merge into
   * parts.
   *
   * @param freeSlots number of parts that can run at once, at least 1
   * @return the parts, by ascending key; the caller passes each to {@link #release} once
   * @throws StalePlanException if the shape has changed too much since the check; nothing is
   *     claimed
   * @throws IOException if the edit cannot be written; the tables stay free
   */
  List<Subcompaction> claim(Plan.Merge plan, int freeSlots) throws IOException {
    return installer.claim(plan, checked, spec.tableBytes(), freeSlots);
  }

  /**
   * Removes a part of a merge that has ended or did not begin. The last part releases the merge's
   * claim.
   */
  void release(Subcompaction subcompaction) {
    installer.release(subcompaction);
  }

  /**
   * Carries out a checked move, delay or drop by one durable edit.
   *
   * @return bytes of its slices
   * @throws StalePlanException if the shape has changed too much since the check; nothing has
   *     happened
   * @throws IOException if the edit cannot be written
   */
  long installMetadataPlan(Plan plan) throws IOException {
    return installer.installMetadataPlan(plan, checked);
  }

  /** Returns the transient space of the family's running merges, in bytes. */
  long transientBytes() {
    return installer.transientBytes();
  }
}
