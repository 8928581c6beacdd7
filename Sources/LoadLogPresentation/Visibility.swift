import LoadLogCore
public import Observation

/// Whether an indicator is visible: a ``VisibilityStateMachine`` with a clock, and what a view binds to.
///
/// Each indicator has one. Read it on the main actor; it is observable.
@MainActor @Observable
public final class Visibility {
  /// Where the indicator is between hidden and hidden.
  public private(set) var phase = VisibilityStateMachine.Phase.hidden
  /// How many shows ended within their grace time.
  public private(set) var suppressedShows = 0
  /// False hides the indicator at once; loads are counted and recorded all the same. True shows it at once if
  /// something loads.
  public var isEnabled = true {
    didSet { enable() }
  }
  /// The indicator's place is on screen; without one it is hidden as if it were disabled.
  var isAttached = true {
    didSet { enable() }
  }
  /// Called when the indicator becomes visible.
  @ObservationIgnored public var onShown: (@MainActor () -> Void)?
  /// Called when the indicator is hidden again, and once for a show that ended within its grace time.
  @ObservationIgnored public var onHidden: (@MainActor () -> Void)?
  /// Called when the indicator is hidden and nothing loads: what was seen of the loads.
  @ObservationIgnored var onOver: (@MainActor (VisibilityStateMachine.Seen?) -> Void)?
  /// The opacity of the indicator when it is neither hidden nor fading.
  public let fullOpacity: Double
  @ObservationIgnored private var machine: VisibilityStateMachine
  @ObservationIgnored private var alarm: (any ScheduledAlarm)?
  @ObservationIgnored private var alarmTimer: VisibilityStateMachine.Timer?
  @ObservationIgnored private var untold: [VisibilityStateMachine.Action] = []
  @ObservationIgnored private var isTelling = false
  private let clock: any LoadClock

  init(clock: any LoadClock, timing: VisibilityTiming, fullOpacity: Double = 1) {
    self.clock = clock
    self.fullOpacity = fullOpacity
    machine = VisibilityStateMachine(timing: timing)
  }

  deinit { alarm?.cancel() }

  /// When it appears and disappears.
  public var timing: VisibilityTiming { machine.timing }

  /// It is on screen, fading or not.
  public var isVisible: Bool { phase != .hidden && phase != .grace }

  /// The opacity towards which it fades, or which it has.
  public var opacity: Double { isVisible && phase != .hiding ? fullOpacity : 0 }

  /// Over what time the opacity gets there.
  public var fadeTime: Duration {
    switch phase {
    case .showing, .shown: timing.fadeInTime
    case .hiding: timing.fadeOutTime
    case .hidden, .grace, .lingering: .zero
    }
  }

  /// How long it has been visible in all, the time that it is visible now included.
  public var visibleTime: Duration { .nanoseconds(machine.visibleTime(at: clock.now().boot)) }

  func start() { perform { $0.start(at: $1) } }

  func stop() { perform { $0.stop(at: $1) } }

  /// What happened elsewhere up to now.
  func follow(_ turns: [LoadTurns.Turn]) {
    perform { machine, now in
      turns.flatMap { turn in
        turn.isOn ? machine.start(at: turn.time, now: now) : machine.stop(at: turn.time, now: now)
      }
    }
  }
}

extension Visibility {
  private func enable() { perform { [isOn = isEnabled && isAttached] in $0.setEnabled(isOn, at: $1) } }

  private func perform(_ step: (inout VisibilityStateMachine, Int64) -> [VisibilityStateMachine.Action]) {
    let now = clock.now().boot
    untold += step(&machine, now) + machine.advance(to: now)
    if phase != machine.phase { phase = machine.phase }
    if suppressedShows != machine.suppressedShows { suppressedShows = machine.suppressedShows }
    setAlarm()
    tell()
  }

  /// What is told may lead to the next step; its news come after these.
  private func tell() {
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    while !untold.isEmpty {
      switch untold.removeFirst() {
      case .show: onShown?()
      case .hidden: onHidden?()
      case .over(let seen): onOver?(seen)
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
