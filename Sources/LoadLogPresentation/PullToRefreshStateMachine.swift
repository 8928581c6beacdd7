/// Decides what pulling a list down does: the rules alone, without clocks, threads or views.
///
///     pulling → armed → loading → pulling
///
/// Distances are points that the list is pulled down beyond its top. Durations in actions are for how long the view
/// animates; zero is at once.
public struct PullToRefreshStateMachine: Sendable, Hashable {
  /// Where a pull is.
  public enum State: Sendable, Hashable {
    /// Not far enough.
    case pulling
    /// Far enough: a release loads.
    case armed
    /// Loading; drags do nothing.
    case loading
  }

  /// The arrow beside the label.
  public enum Arrow: Sendable, Hashable {
    case down, up
    /// The spinner is in its place.
    case hidden
  }

  /// What a person may feel or hear.
  public enum Cue: Sendable, Hashable {
    case armed, disarmed, released, finished
  }

  /// What is to be done.
  public enum Action: Sendable, Hashable {
    /// The arrow turns, appears or disappears.
    case arrow(Arrow, over: Duration)
    /// The list keeps so many points free above its top.
    case inset(Double, over: Duration)
    /// Something to feel or hear.
    case cue(Cue)
    /// A load starts. The state is `loading` already, so that a handler that finishes at once does not stick.
    case load(notify: Bool)
    /// The load that was started here is over.
    case finish
    /// A finish came that answers no load of this model's.
    case extraPop
  }

  /// Its constants.
  public let options: PullToRefreshOptions
  /// Where it is.
  public private(set) var state = State.pulling
  /// How far the finger has pulled; zero unless a drag is under way that counts.
  public private(set) var distance = 0.0
  /// How many drags that had begun to pull were released too early.
  public private(set) var abortedPulls = 0
  /// The load is not this model's.
  public private(set) var isOthers = false
  private var isDragging = false
  private var hasPulled = false

  /// Makes a machine at rest.
  public init(options: PullToRefreshOptions = PullToRefreshOptions()) { self.options = options }

  /// How far the pull is from nothing, 0, to the threshold, 1.
  public var progress: Double {
    options.threshold > 0 ? min(max(distance / options.threshold, 0), 1) : distance > 0 ? 1 : 0
  }

  /// The user's finger is on the list.
  public mutating func beginDrag() {
    guard state != .loading else { return }
    isDragging = true
    hasPulled = false
  }

  /// The list has scrolled, by the finger or by itself.
  public mutating func scroll(to distance: Double) -> [Action] {
    guard state != .loading, isDragging else { return [] }
    self.distance = distance
    if distance > 0 { hasPulled = true }
    let isFarEnough =
      options.isThresholdInclusive ? distance >= options.threshold : distance > options.threshold
    switch (state, isFarEnough) {
    case (.pulling, true):
      state = .armed
      return [.arrow(.up, over: options.flipTime), .cue(.armed)]
    case (.armed, false):
      state = .pulling
      return [.arrow(.down, over: options.flipTime), .cue(.disarmed)]
    default: return []
    }
  }

  /// The finger lets go.
  ///
  /// - Parameter hasHandler: there is somebody to load.
  public mutating func release(hasHandler: Bool) -> [Action] {
    guard state != .loading, isDragging else { return [] }
    let wasArmed = state == .armed
    if !wasArmed, hasPulled { abortedPulls += 1 }
    endDrag()
    guard wasArmed else { return [] }
    guard hasHandler else {
      state = .pulling
      return [.arrow(.down, over: options.flipTime)]
    }
    return beginLoading(over: options.insetInTime) + [.cue(.released), .load(notify: true)]
  }

  /// The program begins to load.
  ///
  /// - Parameter notify: the handler is to run.
  public mutating func beginRefreshing(notify: Bool) -> [Action] {
    guard state != .loading else { return [] }
    return beginLoading(over: options.insetInTime) + [.load(notify: notify)]
  }

  /// The feed is being loaded by somebody else.
  public mutating func beginOthers() -> [Action] {
    guard state != .loading else { return [] }
    isOthers = true
    return beginLoading(over: .zero)
  }

  /// The load that was started here is over, or so somebody says.
  public mutating func finish() -> [Action] {
    guard state == .loading, !isOthers else { return [.extraPop] }
    return [.finish] + endLoading()
  }

  /// The load has ended without this model: nothing is to be recorded.
  public mutating func endWithoutFinish() -> [Action] { state == .loading ? endLoading() : [] }

  /// The view comes on screen: what it shows, at once.
  public func appear() -> [Action] {
    state == .loading ? [.arrow(.hidden, over: .zero), .inset(options.inset, over: .zero)] : []
  }
}

extension PullToRefreshStateMachine {
  /// The rest of a drag that is under way is ignored.
  private mutating func endDrag() {
    isDragging = false
    hasPulled = false
    distance = 0
  }

  private mutating func beginLoading(over time: Duration) -> [Action] {
    state = .loading
    endDrag()
    return [.arrow(.hidden, over: .zero), .inset(options.inset, over: time)]
  }

  private mutating func endLoading() -> [Action] {
    state = .pulling
    isOthers = false
    return [.inset(0, over: options.insetOutTime), .arrow(.down, over: .zero), .cue(.finished)]
  }
}
