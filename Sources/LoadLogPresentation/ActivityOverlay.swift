public import Foundation
public import LoadLogCore
public import Observation

/// A spinner with a label over one panel. The other panels stay usable.
///
///     let overlay = ActivityOverlay(loads, feed: "articles")
///     overlay.show(in: panel.size)
///     defer { overlay.hide() }
///
/// Create one overlay for each scope, such as a tab or a view. Showing the overlay starts a load and hiding it ends
/// the load; showing it again starts none. The overlay is shown whatever becomes of the record: also if the controller
/// is closed. When its scope disappears, the overlay disappears too, but the load continues; if the load is still open
/// when the scope reappears, or when another view uses the overlay, the overlay is visible immediately. If the overlay is
/// deallocated during a load, the load is recorded as `abandoned` with the reason `dropped` and the time that the overlay
/// was visible.
@MainActor @Observable
public final class ActivityOverlay: LoadingIndicator {
  /// The overlay's visibility.
  public let visibility: IndicatorVisibility
  /// The text beside the spinner, which is also the message of the load.
  public var label: String {
    didSet { load.update(label) }
  }
  /// The first size of the panel that was passed to a show, which fixes the overlay's frame until its scope disappears;
  /// nil before that.
  public private(set) var size: CGSize?
  private var mayAnimate = true
  private let load: ShownLoad

  /// Creates a hidden overlay.
  ///
  /// - Parameters:
  ///   - loads: The controller that records the loads.
  ///   - feed: The feed that the scope loads.
  ///   - label: The text beside the spinner.
  ///   - timing: The delays and fade durations.
  ///   - opacity: The opacity of the visible overlay.
  ///   - isAttached: Whether the overlay's scope is on screen.
  public init(
    _ loads: LoadingController, feed: Feed, label: String = "Loading", timing: VisibilityTiming = .immediate,
    opacity: Double = 1, isAttached: Bool = true
  ) {
    self.label = label
    visibility = IndicatorVisibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    load = ShownLoad(loads, feed: feed, visibility)
    visibility.isAttached = isAttached
    visibility.onIdle = { [weak self] in self?.load.record($0) }
  }

  /// Whether the overlay was shown and not hidden since.
  public var isLoading: Bool { load.isOpen }

  /// How far the load is, from 0 to 1; nil if that is unknown, as it is at the start of each load.
  ///
  /// Values beyond are limited; NaN is ignored, and so is any value if the overlay is not shown. The progress is recorded
  /// at the end of the message, in whole percent: "Loading 40 %". It keeps its value after the load, so that a bar stays
  /// as it is while the overlay fades out; a label that is set then has no progress.
  public var progress: Double? {
    get { load.progress }
    set { load.setProgress(newValue, of: label) }
  }

  /// The label with the progress.
  var recordedMessage: String? { load.message(label) }

  /// Whether the overlay's scope is on screen.
  public var isAttached: Bool { visibility.isAttached }

  /// Whether the spinner turns: a load is open, the scope is on screen, and the spinner was not stopped.
  public var isAnimating: Bool { isLoading && isAttached && mayAnimate }

  /// Shows the overlay and starts a load. If it is shown already, only its ``size`` is set, unless it has one.
  ///
  /// - Parameters:
  ///   - size: The size of the panel. Only the first one counts until the scope disappears.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func show(in size: CGSize? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
    load.catchUp()
    // Also during a load: the scope may have disappeared and appeared again since the load started.
    if self.size == nil { self.size = size }
    guard !isLoading else { return }
    load.start(label, at: CallSite(fileID: fileID, line: line))
  }

  /// Hides the overlay and ends its load. Records nothing if the overlay is not shown.
  ///
  /// - Parameters:
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - delay: Time for which the overlay stays after the load, for instance with another label, unless it is shown
  ///     again. The load ends now.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func hide(
    _ outcome: Verdict = .ended, after delay: Duration = .zero, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    load.end(as: outcome, after: delay, at: CallSite(fileID: fileID, line: line))
  }

  /// Lets the spinner turn during loads.
  public func startAnimating() { mayAnimate = true }

  /// Stops the spinner until the next ``startAnimating()`` or ``appear()``. The load continues.
  public func stopAnimating() { mayAnimate = false }

  /// Reports that the scope is on screen.
  public func appear() {
    mayAnimate = true
    visibility.isAttached = true
  }

  /// Reports that the scope is no longer on screen. The overlay is hidden; its load continues.
  public func disappear() {
    visibility.isAttached = false
    size = nil
  }
}
