import LoadLogCore

/// Decides when an indicator is visible, without a clock, threads or views.
///
///     hidden → grace → showing → shown → lingering → hiding → hidden
///
/// Report each start and stop, and call ``fire(_:at:)`` when ``timer`` is due; each call returns the actions to
/// perform. Times are nanoseconds on one clock. Each call first processes the timers that are due, so a timer fires
/// before an event of the same instant, and a timer that an event has replaced does nothing.
///
/// Delays count from the time of the event, even if it is reported late. A show counts from the time at which it is
/// reported, because a late show is not visible any earlier.
package struct VisibilityStateMachine: Sendable, Hashable {
  package typealias Phase = IndicatorVisibility.Phase

  /// A change that the caller must perform.
  package enum Action: Sendable, Hashable {
    /// The indicator becomes visible.
    case show
    /// The indicator becomes hidden, or its grace time ends without a show.
    case hidden
    /// The indicator is hidden and nothing is loading; nil if no show was due since the last `idle`.
    case idle(ShowSummary?)
  }

  /// What the user saw of the loads between two idle periods.
  package struct ShowSummary: Sendable, Hashable {
    /// Time for which the indicator was visible, in nanoseconds.
    package var visible: Int64 = 0
    /// Number of shows that ended within their grace time.
    package var suppressed = 0
  }

  /// A time at which to call ``VisibilityStateMachine/fire(_:at:)``.
  package struct Timer: Sendable, Hashable {
    /// Nanoseconds on the machine's clock.
    package let due: Int64
    /// Generation of the phase that set the timer; in any later phase the timer does nothing.
    package let generation: UInt64
  }

  package let timing: VisibilityTiming
  package private(set) var phase = Phase.hidden
  /// Number of open loads.
  package private(set) var count = 0
  /// Whether the indicator may be visible.
  package private(set) var isEnabled = true
  /// The only timer that is set.
  package private(set) var timer: Timer?
  /// Total number of shows that ended within their grace time.
  package private(set) var suppressedShows = 0
  private var generation: UInt64 = 0
  private var shownAt: Int64?
  private var visibleBefore: Int64 = 0
  /// The shows that have ended since the last `idle`.
  private var ended: ShowSummary?

  package init(timing: VisibilityTiming = .immediate) { self.timing = timing }

  /// Whether the indicator is on screen, including while it fades.
  package var isVisible: Bool { shownAt != nil }

  /// Total time for which the indicator has been visible until `now`, in nanoseconds.
  package func visibleTime(at now: Int64) -> Int64 {
    visibleBefore.addingClamping(shownAt.map { max(0, now.subtractingClamping($0)) } ?? 0)
  }

  /// What the user has seen since the last `idle`, including the current show; nil if no show was due.
  package func summary(at now: Int64) -> ShowSummary? {
    guard let shownAt else { return ended }
    return ShowSummary(
      visible: (ended?.visible ?? 0).addingClamping(max(0, now.subtractingClamping(shownAt))),
      suppressed: ended?.suppressed ?? 0)
  }

  /// Starts a load.
  ///
  /// - Parameters:
  ///   - time: The time of the start.
  ///   - now: The time of this call, if it is later.
  package mutating func start(at time: Int64, now: Int64? = nil) -> [Action] {
    let now = now ?? time
    var actions = passTimers(until: time, now: now)
    count += 1
    guard count == 1, isEnabled else { return actions }
    switch phase {
    case .hidden where timing.graceTime > .zero: enter(.grace, until: time.after(timing.graceTime))
    case .hidden: actions.append(show(at: now))
    case .lingering where now < fadedIn: enter(.showing, until: fadedIn)
    case .lingering, .hiding: enter(.shown)
    case .grace, .showing, .shown: break
    }
    return actions
  }

  /// Stops a load. Does nothing if no load is open.
  ///
  /// - Parameters:
  ///   - time: The time of the stop.
  ///   - now: The time of this call, if it is later.
  ///   - delay: Time for which a visible indicator lingers at least, if no other load is open.
  package mutating func stop(at time: Int64, now: Int64? = nil, hidingAfter delay: Duration = .zero)
    -> [Action]
  {
    let now = now ?? time
    var actions = passTimers(until: time, now: now)
    guard count > 0 else { return actions }
    count -= 1
    if count == 0 { actions += stopLast(at: time, now: now, hidingAfter: delay) }
    return actions
  }

  /// Processes the timers that are due by `now`.
  package mutating func advance(to now: Int64) -> [Action] { passTimers(until: now, now: now) }

  /// Fires a timer, unless a later phase has replaced it.
  package mutating func fire(_ timer: Timer, at now: Int64) -> [Action] {
    timer.generation == generation ? step(at: now) + advance(to: now) : []
  }

  /// Hides the indicator immediately, or shows it immediately if something is loading. Either way, loads are
  /// still counted.
  package mutating func setEnabled(_ isEnabled: Bool, at now: Int64) -> [Action] {
    var actions = advance(to: now)
    guard isEnabled != self.isEnabled else { return actions }
    self.isEnabled = isEnabled
    if isEnabled {
      if count > 0 { actions.append(show(at: now)) }
    } else if phase != .hidden {
      actions += hide(at: now)
    }
    return actions
  }
}

extension VisibilityStateMachine {
  /// The time at which the fade-in ends.
  private var fadedIn: Int64 { shownAt.map { $0.after(timing.fadeInTime) } ?? .min }

  private mutating func enter(_ phase: Phase, until due: Int64? = nil) {
    self.phase = phase
    generation += 1
    timer = due.map { Timer(due: $0, generation: generation) }
  }

  private mutating func passTimers(until time: Int64, now: Int64) -> [Action] {
    var actions: [Action] = []
    while let due = timer?.due, due <= time { actions += step(at: now) }
    return actions
  }

  /// Enters the phase that follows the current one.
  private mutating func step(at now: Int64) -> [Action] {
    switch phase {
    case .grace: return [show(at: now)]
    case .showing:
      enter(.shown)
      return []
    case .lingering: return fadeOut(at: now)
    case .hiding: return hide(at: now)
    case .hidden, .shown: return []
    }
  }

  private mutating func show(at now: Int64) -> Action {
    shownAt = now
    if timing.fadeInTime > .zero { enter(.showing, until: fadedIn) } else { enter(.shown) }
    return .show
  }

  /// Cancels a show in its grace time, or lets a visible indicator linger or fade out.
  private mutating func stopLast(at time: Int64, now: Int64, hidingAfter delay: Duration) -> [Action] {
    guard let shownAt else {
      if phase == .grace {
        suppressedShows += 1
        ended = ShowSummary(visible: ended?.visible ?? 0, suppressed: (ended?.suppressed ?? 0) + 1)
      }
      return hide(at: now)
    }
    let end = max(time.after(max(timing.completionDelay, delay)), shownAt.after(timing.minimumShowTime))
    guard end > now else { return fadeOut(at: now) }
    enter(.lingering, until: end)
    return []
  }

  private mutating func fadeOut(at now: Int64) -> [Action] {
    guard timing.fadeOutTime > .zero else { return hide(at: now) }
    enter(.hiding, until: now.after(timing.fadeOutTime))
    return []
  }

  private mutating func hide(at now: Int64) -> [Action] {
    var actions: [Action] = phase == .hidden ? [] : [.hidden]
    (visibleBefore, ended) = (visibleTime(at: now), summary(at: now))
    shownAt = nil
    enter(.hidden)
    if count == 0 {
      actions.append(.idle(ended))
      ended = nil
    }
    return actions
  }
}

extension Int64 {
  fileprivate func after(_ time: Duration) -> Int64 { addingClamping(time.wholeNanoseconds) }
}
