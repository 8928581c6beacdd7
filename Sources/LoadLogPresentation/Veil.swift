public import LoadLogCore
public import Observation

/// A modal cover over the whole app, with a message. Its caller does not need to know what is on screen.
///
///     veil.veil(message: "Signing in…")
///     defer { veil.remove() }
///
/// Raising the veil starts a load and removing it ends the load. The veil is raised and blocks whatever becomes of the
/// record: also if the controller is closed, the store fails, or the feed's name is not allowed. If other code finishes
/// the load by its id, the veil is removed. If the veil is deallocated while it is raised, the load is recorded as
/// `abandoned` with the reason `dropped`, the call site that raised the veil and the time that it was visible.
@MainActor @Observable
public final class Veil: LoadingIndicator {
  /// The veil's visibility.
  public let visibility: IndicatorVisibility
  /// The message, until the veil is hidden. If it is nil, the label is hidden.
  public private(set) var message: String?
  /// Whether the views below must ignore input during the fade-out too.
  public var blocksDuringFadeOut: Bool
  private var hasHadMessage = false
  private let load: ShownLoad

  /// Creates a hidden veil.
  ///
  /// - Parameters:
  ///   - loads: The controller that records the loads.
  ///   - feed: The feed of the loads.
  ///   - timing: The delays and fade durations.
  ///   - opacity: The opacity of the visible veil.
  ///   - blocksDuringFadeOut: Whether the views below must ignore input during the fade-out too.
  public init(
    _ loads: LoadingController, feed: Feed = "veil", timing: VisibilityTiming = .veil, opacity: Double = 0.8,
    blocksDuringFadeOut: Bool = true
  ) {
    self.blocksDuringFadeOut = blocksDuringFadeOut
    visibility = IndicatorVisibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    load = ShownLoad(loads, feed: feed, visibility)
    visibility.onIdle = { [weak self] in self?.becomeIdle($0) }
  }

  /// Whether the veil is raised, even if it is not visible yet.
  public var isLoading: Bool { load.isOpen }

  /// How far the load is, from 0 to 1; nil if that is unknown, as it is at the start of each load.
  ///
  /// Values beyond are limited; NaN is ignored, and so is any value if the veil is not raised. The progress is recorded
  /// at the end of the message, in whole percent: "Syncing… 40 %". It keeps its value after the load, so that a bar stays
  /// as it is while the veil fades out.
  public var progress: Double? {
    get { load.progress }
    set { load.setProgress(newValue, of: message) }
  }

  /// The message with the progress.
  var recordedMessage: String? { load.message(message) }

  /// Whether the spinner turns: from the veil's first message until the veil is hidden.
  public var isAnimating: Bool { isVisible && hasHadMessage }

  /// Whether the views below must ignore input: from when the veil becomes visible until it is hidden or, without
  /// ``blocksDuringFadeOut``, until it starts to fade out.
  public var blocksInteraction: Bool { isVisible && (blocksDuringFadeOut || visibility.phase != .hiding) }

  /// Raises the veil and starts a load. If the veil is already raised, replaces the message of its load.
  ///
  /// - Parameters:
  ///   - message: The message to show. If it is nil, the label is hidden; a spinner that turns already keeps turning.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func veil(message: String?, fileID: StaticString = #fileID, line: UInt = #line) {
    load.catchUp()
    self.message = message
    if message != nil { hasHadMessage = true }
    guard !isLoading else { return load.update(message) }
    load.start(message, at: CallSite(fileID: fileID, line: line))
  }

  /// Removes the veil and ends its load. Records nothing if the veil is not raised.
  ///
  /// - Parameters:
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - delay: Time for which the veil stays and blocks after the load, unless it is raised again. The load ends now.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func remove(
    _ outcome: Verdict = .ended, after delay: Duration = .zero, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    load.end(as: outcome, after: delay, at: CallSite(fileID: fileID, line: line))
  }
}

extension Veil {
  /// Keeps the message of a load that starts at the moment at which the veil is hidden.
  private func becomeIdle(_ summary: VisibilityStateMachine.ShowSummary?) {
    load.record(summary)
    if !isLoading { (message, hasHadMessage) = (nil, false) }
  }
}
