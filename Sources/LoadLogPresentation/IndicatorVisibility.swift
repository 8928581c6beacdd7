import LoadLogCore
public import Observation

/// The visibility of an indicator: when it appears and disappears, and for how long it was visible.
///
/// Each ``LoadingIndicator`` has one. It is observable; read it on the main actor.
@MainActor @Observable
public final class IndicatorVisibility {
  /// A stage between hidden and visible.
  public enum Phase: Sendable, Hashable {
    /// Not on screen.
    case hidden
    /// Loading, but still within the grace time and not on screen.
    case grace
    /// Fading in.
    case showing
    /// On screen.
    case shown
    /// On screen although nothing is loading any more.
    case lingering
    /// Fading out.
    case hiding
  }

  /// The current phase.
  public private(set) var phase = Phase.hidden
  /// Number of shows that ended within their grace time.
  public private(set) var suppressedShows = 0
  /// Whether the indicator may be visible. Setting `false` hides it immediately; loads are still counted and
  /// recorded. Setting `true` shows it immediately if something is loading.
  public var isEnabled = true {
    didSet { updateEnabled() }
  }
  /// Whether the indicator's view is on screen. A detached indicator is hidden as if it were disabled.
  var isAttached = true {
    didSet { updateEnabled() }
  }
  /// Called when the indicator becomes visible.
  @ObservationIgnored public var onShown: (@MainActor () -> Void)?
  /// Called when the indicator becomes hidden, and once for a show that ended within its grace time.
  @ObservationIgnored public var onHidden: (@MainActor () -> Void)?
  /// Called when the indicator is hidden and nothing is loading, before the callbacks of the app. Passes nil if no show
  /// was due.
  @ObservationIgnored var onIdle: (@MainActor (VisibilityStateMachine.ShowSummary?) -> Void)?
  /// Called on any thread when the indicator is deallocated before it was idle, if a show was due.
  @ObservationIgnored var onDrop: (@Sendable (VisibilityStateMachine.ShowSummary) -> Void)?
  /// The opacity of the indicator while it is visible and not fading.
  public let fullOpacity: Double
  @ObservationIgnored private var machine: VisibilityStateMachine
  @ObservationIgnored private var alarm: (any ScheduledAlarm)?
  @ObservationIgnored private var alarmTimer: VisibilityStateMachine.Timer?
  @ObservationIgnored private var pendingActions: [VisibilityStateMachine.Action] = []
  @ObservationIgnored private var isNotifying = false
  private let clock: any LoadClock

  init(clock: any LoadClock, timing: VisibilityTiming, fullOpacity: Double = 1) {
    self.clock = clock
    self.fullOpacity = fullOpacity
    machine = VisibilityStateMachine(timing: timing)
  }

  deinit {
    alarm?.cancel()
    if let summary = machine.summary(at: clock.now().boot) { onDrop?(summary) }
  }

  /// The delays and fade durations.
  public var timing: VisibilityTiming { machine.timing }

  /// Whether the indicator is on screen, including while it fades.
  public var isVisible: Bool { phase != .hidden && phase != .grace }

  /// The indicator's opacity; while it fades, the opacity at the end of the fade.
  public var opacity: Double { isVisible && phase != .hiding ? fullOpacity : 0 }

  /// Duration of the change to ``opacity``; zero if it takes effect immediately.
  public var fadeTime: Duration {
    switch phase {
    case .showing, .shown: timing.fadeInTime
    case .hiding: timing.fadeOutTime
    case .hidden, .grace, .lingering: .zero
    }
  }

  /// Total time for which the indicator has been visible, including the current show.
  public var visibleTime: Duration { .nanoseconds(machine.visibleTime(at: clock.now().boot)) }

  func start() { perform { $0.start(at: $1) } }

  /// Makes the changes that are due, if the main actor was too busy to make them in time.
  func catchUp() { perform { _, _ in [] } }

  func stop(after delay: Duration = .zero) { perform { $0.stop(at: $1, hidingAfter: delay) } }

  /// Applies starts and stops that happened on other threads, each at its own time.
  func apply(_ transitions: [FeedActivity.Transition]) {
    perform { machine, now in
      transitions.flatMap { transition in
        transition.isLoading
          ? machine.start(at: transition.time, now: now) : machine.stop(at: transition.time, now: now)
      }
    }
  }
}

extension IndicatorVisibility {
  private func updateEnabled() {
    perform { [isOn = isEnabled && isAttached] in $0.setEnabled(isOn, at: $1) }
  }

  private func perform(_ step: (inout VisibilityStateMachine, Int64) -> [VisibilityStateMachine.Action]) {
    let now = clock.now().boot
    let actions = step(&machine, now) + machine.advance(to: now)
    if phase != machine.phase { phase = machine.phase }
    if suppressedShows != machine.suppressedShows { suppressedShows = machine.suppressedShows }
    setAlarm()
    // Now: a callback of the app may start the next load, which must not get what was seen of this one.
    for case .idle(let summary) in actions { onIdle?(summary) }
    pendingActions += actions
    notify()
  }

  /// Calls the callbacks for all pending actions.
  ///
  /// A callback may start or stop loads and so re-enter ``perform(_:)``. The actions of such a nested step are
  /// queued, so that callbacks see them in order.
  private func notify() {
    guard !isNotifying else { return }
    isNotifying = true
    defer { isNotifying = false }
    while !pendingActions.isEmpty {
      switch pendingActions.removeFirst() {
      case .show: onShown?()
      case .hidden: onHidden?()
      case .idle: break
      }
    }
  }

  private func setAlarm() {
    guard alarmTimer != machine.timer else { return }
    alarm?.cancel()
    alarmTimer = machine.timer
    alarm = machine.timer.map { timer in
      clock.schedule(at: timer.due) { [weak self] in
        Task { @MainActor in self?.perform { $0.fire(timer, at: $1) } }
      }
    }
  }
}
