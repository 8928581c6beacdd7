/// Decides what pulling down a list does, without a clock, threads or views.
///
///     pulling → armed → loading → pulling
///
/// Distances are points by which the list is pulled down below its normal position. Durations in actions are those of
/// the view's animation; zero means immediately.
struct PullToRefreshStateMachine: Sendable, Hashable {
  typealias State = PullToRefresh.State
  typealias Arrow = PullToRefresh.Arrow

  /// A change that the caller must perform.
  enum Action: Sendable, Hashable {
    /// Turn, show or hide the arrow.
    case arrow(Arrow, over: Duration)
    /// Set the free space above the list, in points.
    case inset(Double, over: Duration)
    /// Publish a cue.
    case cue(PullToRefresh.Cue.Kind)
    /// Start a load. The state is already `loading`, so that a handler can finish synchronously.
    case load(notify: Bool)
    /// Record the end of the load that this model started.
    case finish
    /// Record a finish that matches no load of this model.
    case extraPop
  }

  private(set) var options: PullToRefreshOptions
  /// Whether pulls have an effect.
  private(set) var isEnabled: Bool
  private(set) var state = State.pulling
  /// Distance of the current pull; zero if there is no drag or the drag is ignored.
  private(set) var distance = 0.0
  /// Number of drags that pulled the list down and ended below the threshold.
  private(set) var abortedPulls = 0
  /// Whether the current load was started by other code.
  private(set) var isForeignLoad = false
  /// Whether the next finish may be for a load that other code has started and finished.
  private var expectsForeignFinish = false
  private var isDragging = false
  private var hasPulled = false

  init(options: PullToRefreshOptions = PullToRefreshOptions(), isEnabled: Bool = true) {
    self.options = options
    self.isEnabled = isEnabled
  }

  /// Distance of the current pull as a fraction of the threshold, from 0 to 1.
  var progress: Double {
    options.threshold > 0 ? min(max(distance / options.threshold, 0), 1) : distance > 0 ? 1 : 0
  }

  /// Distance of the current pull beyond the threshold as a fraction of the threshold.
  var overpull: Double { options.threshold > 0 ? max(distance / options.threshold - 1, 0) : 0 }

  /// Sets whether pulls have an effect; takes back the current pull if they have none.
  mutating func setEnabled(_ isEnabled: Bool) -> [Action] {
    self.isEnabled = isEnabled
    guard !isEnabled else { return [] }
    (distance, hasPulled) = (0, false)
    guard state == .armed else { return [] }
    state = .pulling
    return [.arrow(.down, over: options.flipTime)]
  }

  /// Changes the options, also during a pull or a load.
  mutating func setOptions(_ options: PullToRefreshOptions) -> [Action] {
    self.options = options
    return state == .loading ? [.inset(options.inset, over: options.insetInTime)] : updateArmed()
  }

  /// Starts a drag by the user.
  mutating func beginDrag() {
    guard state != .loading else { return }
    isDragging = true
    hasPulled = false
  }

  /// Scrolls the list. Ignored if the user is not dragging it, or if the distance is not finite.
  mutating func scroll(to distance: Double) -> [Action] {
    guard state != .loading, isDragging, isEnabled, distance.isFinite else { return [] }
    self.distance = distance
    if distance > 0 { hasPulled = true }
    return updateArmed()
  }

  /// Ends a drag.
  mutating func release() -> [Action] {
    guard state != .loading, isDragging else { return [] }
    let wasArmed = state == .armed
    if !wasArmed, hasPulled { abortedPulls += 1 }
    endDrag()
    guard wasArmed else { return [] }
    return beginLoading(over: options.insetInTime) + [.cue(.released), .load(notify: true)]
  }

  /// Starts a load without a drag.
  ///
  /// - Parameter notify: Whether to run the handler.
  mutating func beginRefreshing(notify: Bool) -> [Action] {
    guard state != .loading else { return [] }
    return beginLoading(over: options.insetInTime) + [.load(notify: notify)]
  }

  /// Shows a load of the feed that other code has started and will finish.
  mutating func joinLoad() -> [Action] {
    guard state != .loading else { return [] }
    let actions = beginLoading(over: .zero)
    (isForeignLoad, expectsForeignFinish) = (true, true)
    return actions
  }

  /// Shows a load that an earlier model started and that this one will finish.
  mutating func takeOverLoad() -> [Action] {
    isForeignLoad = false
    return beginLoading(over: .zero)
  }

  /// Finishes the load that this model started. Without one, reports an extra pop, unless the model has joined a load
  /// since the last finish: the caller need not know who has started the load that the model shows.
  mutating func finish() -> [Action] {
    guard state == .loading, !isForeignLoad else {
      defer { expectsForeignFinish = false }
      return expectsForeignFinish ? [] : [.extraPop]
    }
    return [.finish] + endLoading()
  }

  /// Ends a load whose finish other code has recorded.
  mutating func endWithoutFinish() -> [Action] { state == .loading ? endLoading() : [] }

  /// Returns the actions that show an open load immediately.
  func appear() -> [Action] {
    state == .loading ? [.arrow(.hidden, over: .zero), .inset(options.inset, over: .zero)] : []
  }
}

extension PullToRefreshStateMachine {
  /// Ends the current drag; later scrolling of the same drag is ignored.
  private mutating func endDrag() {
    isDragging = false
    hasPulled = false
    distance = 0
  }

  private mutating func updateArmed() -> [Action] {
    let isFarEnough =
      options.isThresholdInclusive ? distance >= options.threshold : distance > options.threshold
    switch (state, isDragging && isEnabled && isFarEnough) {
    case (.pulling, true):
      state = .armed
      return [.arrow(.up, over: options.flipTime), .cue(.armed)]
    case (.armed, false):
      state = .pulling
      return [.arrow(.down, over: options.flipTime), .cue(.disarmed)]
    default: return []
    }
  }

  private mutating func beginLoading(over time: Duration) -> [Action] {
    state = .loading
    expectsForeignFinish = false
    endDrag()
    return [.arrow(.hidden, over: .zero), .inset(options.inset, over: time)]
  }

  private mutating func endLoading() -> [Action] {
    state = .pulling
    isForeignLoad = false
    return [.inset(0, over: options.insetOutTime), .arrow(.down, over: .zero), .cue(.finished)]
  }
}
