import LoadLogCore

/// Decides when an indicator is visible: the rules alone, without clocks, threads or views.
///
///     hidden → grace → showing → shown → lingering → hiding → hidden
///
/// Tell it of starts and stops, and call ``fire(_:at:)`` when its ``timer`` is due; it answers with what happened.
/// Times are nanoseconds on one clock. Every call first lets pass what was due until then, so that a timer fires
/// before the events of its instant, and one that was overtaken by events does nothing.
///
/// Delays count from the events. What becomes visible late, because the news of a start or the call of a timer came
/// late, is visible from then on: a show lasts as long as it could be seen.
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
    public var visible: Int64
    /// How many shows ended within their grace time.
    public var suppressed: Int

    /// Makes it of its parts.
    public init(visible: Int64 = 0, suppressed: Int = 0) {
      self.visible = visible
      self.suppressed = suppressed
    }
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
  ///
  /// - Parameters:
  ///   - time: when.
  ///   - now: when the news came, if that is later.
  public mutating func start(at time: Int64, now: Int64? = nil) -> [Action] {
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

  /// A load is over. Without an open one nothing happens.
  ///
  /// - Parameters:
  ///   - time: when.
  ///   - now: when the news came, if that is later.
  public mutating func stop(at time: Int64, now: Int64? = nil) -> [Action] {
    let now = now ?? time
    var actions = passTimers(until: time, now: now)
    guard count > 0 else { return actions }
    count -= 1
    if count == 0 { actions += rest(since: time, now: now) }
    return actions
  }

  /// Time has come so far.
  public mutating func advance(to now: Int64) -> [Action] { passTimers(until: now, now: now) }

  /// A timer fires.
  public mutating func fire(_ timer: Timer, at now: Int64) -> [Action] {
    timer.generation == generation ? step(at: now) + advance(to: now) : []
  }

  /// False hides at once and goes on counting; true shows at once if something loads.
  public mutating func setEnabled(_ isEnabled: Bool, at now: Int64) -> [Action] {
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
  /// When it has faded in.
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

  /// What the timer is for.
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

  /// Nothing loads any more.
  private mutating func rest(since time: Int64, now: Int64) -> [Action] {
    guard let shownAt else {
      if phase == .grace {
        suppressedShows += 1
        seen = Seen(visible: seen?.visible ?? 0, suppressed: (seen?.suppressed ?? 0) + 1)
      }
      return hide(at: now)
    }
    let end = max(time.after(timing.completionDelay), shownAt.after(timing.minimumShowTime))
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
