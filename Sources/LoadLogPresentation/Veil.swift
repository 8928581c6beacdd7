public import LoadLogCore
public import Observation

/// A modal cover over the whole app, with a message. Its caller does not need to know what is on screen.
///
///     veil.veil(message: "Signing in…")
///     defer { veil.remove() }
///
/// Raising the veil starts a load and removing it ends the load. If the load ends in another way – the controller is
/// closed, or other code finishes the load – the veil is removed. If the veil is deallocated while it is raised, the
/// load is recorded as `abandoned` with the reason `dropped` and the call site that raised the veil.
@MainActor @Observable
public final class Veil: LoadingIndicator {
  /// The veil's visibility.
  public let visibility: Visibility
  /// The message, until the veil is hidden. If it is nil, the label is hidden and the spinner does not turn.
  public private(set) var message: String?
  private var load: LoadingToken?
  private let loads: IndicatorLoads

  /// Creates a hidden veil.
  ///
  /// - Parameters:
  ///   - loads: The controller that records the loads.
  ///   - feed: The feed of the loads.
  ///   - timing: The delays and fade durations.
  ///   - opacity: The opacity of the visible veil.
  public init(
    _ loads: LoadingController, feed: Feed = "veil", timing: VisibilityTiming = .veil, opacity: Double = 0.8
  ) {
    self.loads = IndicatorLoads(loads, feed: feed)
    visibility = Visibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    visibility.onIdle = { [weak self] in self?.becomeIdle($0) }
    self.loads.watch { [weak self] in self?.check() }
  }

  /// Whether a load is open, even if the veil is not visible yet.
  public var isLoading: Bool { load != nil }

  /// Whether the spinner turns: the veil is visible and has a message.
  public var isAnimating: Bool { isVisible && message != nil }

  /// Whether the views below must ignore input: from when the veil becomes visible until it starts to fade out.
  public var blocksInteraction: Bool { isVisible && visibility.phase != .hiding }

  /// Raises the veil and starts a load. If the veil is already raised, replaces the message of its load.
  ///
  /// - Parameters:
  ///   - message: The message to show; nil for none.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func veil(message: String?, fileID: StaticString = #fileID, line: UInt = #line) {
    if let load {
      self.message = message
      return loads.update(load, message: message)
    }
    let callSite = CallSite(fileID: fileID, line: line)
    guard let load = loads.begin(message: message, at: callSite) else { return }
    self.load = load
    self.message = message
    visibility.start()
  }

  /// Removes the veil and ends its load. Records nothing if the veil is not raised.
  ///
  /// - Parameters:
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func remove(_ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line) {
    guard let load else { return }
    self.load = nil
    loads.end(load, as: outcome, at: CallSite(fileID: fileID, line: line))
    visibility.stop()
  }
}

extension Veil {
  /// Removes the veil of a load that ended without ``remove(_:fileID:line:)``.
  private func check() {
    guard let load, !loads.isOpen(load) else { return }
    self.load = nil
    visibility.stop()
  }

  /// Keeps the message if an ``LoadingIndicator/onHidden`` callback has raised the veil again.
  private func becomeIdle(_ summary: VisibilityStateMachine.ShowSummary?) {
    loads.record(summary)
    if load == nil { message = nil }
  }
}
