import LoadLogCore

/// Decides when an indicator is visible: the rules alone, without clocks, threads or views.
///
///     hidden → grace → showing → shown → lingering → hiding → hidden
///
/// Tell it of starts and stops, and call ``fire(_:at:)`` when its ``timer`` is due; it answers with what happened.
/// Times are nanoseconds on one clock. Every call first lets pass what was due until then, so that a timer fires
/// before the events of its instant, and one that was overtaken by events does nothing.
///
/// What becomes visible late, because nobody called, is visible from then on: a show lasts as long as it could be
/// seen.
public struct VisibilityStateMachine: Sendable, Hashable {
  /// Where an indicator is between hidden and hidden.
  public enum Phase: Sendable, Hashable {
    /// Not on screen.
    case hidden
    /// Loading, not yet on screen.
    case grace
    /// Fading in.
    case showing
    /// On screen.
    case shown
    /// On screen, with nothing loading any more.
    case lingering
    /// Fading out.
    case hiding
  }

  /// What happened.
  public enum Action: Sendable, Hashable {
    /// It is visible from now on.
    case show
    /// It is hidden from now on, or its grace ended without a show.
    case hidden
    /// Hidden, and nothing loads: what was seen meanwhile, nil if no show was due.
    case over(Seen?)
  }

  /// What a person saw of the loads between two moments of rest.
  public struct Seen: Sendable, Hashable {
    /// How long the indicator was visible, in nanoseconds.
    public var visible: Int64 = 0
    /// How many shows ended within their grace time.
    public var suppressed = 0
  }

  /// A call to ``VisibilityStateMachine/fire(_:at:)`` that is wanted.
  public struct Timer: Sendable, Hashable {
    /// When, in nanoseconds.
    public let due: Int64
    /// Of which step it is; after the next step it does nothing.
    public let generation: UInt64
  }

  /// When it appears and disappears.
  public let timing: VisibilityTiming
  /// Where it is.
  public private(set) var phase = Phase.hidden
  /// How many loads are open.
  public private(set) var count = 0
  /// False hides it whatever loads.
  public private(set) var isEnabled = true
  /// The one timer that is set.
  public private(set) var timer: Timer?
  /// How many shows ended within their grace time, in all.
  public private(set) var suppressedShows = 0
  private var generation: UInt64 = 0
  private var shownAt: Int64?
  private var visibleBefore: Int64 = 0
  private var seen: Seen?

  /// Makes a hidden indicator.
  public init(timing: VisibilityTiming = .immediate) { self.timing = timing }

  /// It is on screen, fading or not.
  public var isVisible: Bool { shownAt != nil }

  /// How long it has been visible, in all and up to a time, in nanoseconds.
  public func visibleTime(at now: Int64) -> Int64 {
    visibleBefore.addingClamping(shownAt.map { max(0, now.subtractingClamping($0)) } ?? 0)
  }

  /// A load started.
  public mutating func start(at now: Int64) -> [Action] {
    var actions = passTimers(until: now)
    count += 1
    guard count == 1, isEnabled else { return actions }
    switch phase {
    case .hidden where timing.graceTime > .zero: enter(.grace, until: now, timing.graceTime)
    case .hidden: actions.append(show(at: now))
    case .lingering where now < fadedIn: enter(.showing, until: fadedIn)
    case .lingering, .hiding: enter(.shown)
    case .grace, .showing, .shown: break
    }
    return actions
  }

  /// A load is over. Without an open one nothing happens.
  public mutating func stop(at now: Int64) -> [Action] {
    var actions = passTimers(until: now)
    guard count > 0 else { return actions }
    count -= 1
    if count == 0 { actions += rest(at: now) }
    return actions
  }

  /// All loads are over.
  public mutating func stopAll(at now: Int64) -> [Action] {
    count = min(count, 1)
    return stop(at: now)
  }

  /// A timer fires.
  public mutating func fire(_ timer: Timer, at now: Int64) -> [Action] {
    timer.generation == generation ? passTimers(until: now) : []
  }

  /// False hides at once and goes on counting; true shows at once if something loads.
  public mutating func setEnabled(_ isEnabled: Bool, at now: Int64) -> [Action] {
    var actions = passTimers(until: now)
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
  /// When it has faded in.
  private var fadedIn: Int64 { shownAt.map { $0.after(timing.fadeInTime) } ?? .min }

  private mutating func enter(_ phase: Phase, until due: Int64? = nil) {
    self.phase = phase
    generation += 1
    timer = due.map { Timer(due: $0, generation: generation) }
  }

  private mutating func enter(_ phase: Phase, until now: Int64, _ time: Duration) {
    enter(phase, until: now.after(time))
  }

  private mutating func passTimers(until now: Int64) -> [Action] {
    var actions: [Action] = []
    while let due = timer?.due, due <= now {
      switch phase {
      case .grace: actions.append(show(at: now))
      case .showing: enter(.shown)
      case .lingering: actions += fadeOut(at: now)
      case .hiding: actions += hide(at: now)
      case .hidden, .shown: timer = nil
      }
    }
    return actions
  }

  private mutating func show(at now: Int64) -> Action {
    shownAt = now
    if timing.fadeInTime > .zero { enter(.showing, until: fadedIn) } else { enter(.shown) }
    return .show
  }

  /// Nothing loads any more.
  private mutating func rest(at now: Int64) -> [Action] {
    guard let shownAt else {
      if phase == .grace {
        suppressedShows += 1
        seen = Seen(visible: seen?.visible ?? 0, suppressed: (seen?.suppressed ?? 0) + 1)
      }
      return hide(at: now)
    }
    let end = max(now.after(timing.completionDelay), shownAt.after(timing.minimumShowTime))
    guard end > now else { return fadeOut(at: now) }
    enter(.lingering, until: end)
    return []
  }

  private mutating func fadeOut(at now: Int64) -> [Action] {
    guard timing.fadeOutTime > .zero else { return hide(at: now) }
    enter(.hiding, until: now, timing.fadeOutTime)
    return []
  }

  private mutating func hide(at now: Int64) -> [Action] {
    var actions: [Action] = phase == .hidden ? [] : [.hidden]
    if let shownAt {
      let visible = max(0, now.subtractingClamping(shownAt))
      visibleBefore = visibleBefore.addingClamping(visible)
      seen = Seen(
        visible: (seen?.visible ?? 0).addingClamping(visible), suppressed: seen?.suppressed ?? 0)
    }
    shownAt = nil
    enter(.hidden)
    if count == 0 {
      actions.append(.over(seen))
      seen = nil
    }
    return actions
  }
}

extension Int64 {
  fileprivate func after(_ time: Duration) -> Int64 { addingClamping(time.wholeNanoseconds) }
}
