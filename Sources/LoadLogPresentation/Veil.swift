public import LoadLogCore
public import Observation

/// One app-wide modal cover with a message. Its caller need not know what is on screen.
///
///     veil.veil(message: "Signing in…")
///     defer { veil.remove() }
///
/// Each time it is raised a load starts, which ends when it is removed. What ends otherwise – the controller is
/// closed, somebody else finishes the load – is not veiled any longer. A veil that goes away while it is up leaves its
/// load `abandoned`, reason `dropped`, with the line that raised it.
@MainActor @Observable
public final class Veil: LoadingIndicator {
  /// Whether it is visible, and since when.
  public let visibility: Visibility
  /// What it says, until it is hidden; nil hides the label and leaves the spinner alone.
  public private(set) var message: String?
  private var load: LoadingToken?
  private let loads: IndicatedLoads

  /// Makes a veil that is not up.
  ///
  /// - Parameters:
  ///   - loads: who records.
  ///   - feed: what is loaded.
  ///   - timing: when it appears and disappears.
  ///   - opacity: how opaque it is.
  public init(
    _ loads: LoadingController, feed: Feed = "veil", timing: VisibilityTiming = .veil, opacity: Double = 0.8
  ) {
    self.loads = IndicatedLoads(loads, feed)
    visibility = Visibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    visibility.onOver = { [weak self] in self?.end($0) }
    self.loads.watch { [weak self] in self?.check() }
  }

  /// A load is veiled, whether or not that is to be seen yet.
  public var isLoading: Bool { load != nil }

  /// The spinner turns: only beneath a message.
  public var isAnimating: Bool { isVisible && message != nil }

  /// Nothing beneath can be touched: from when it becomes visible until it begins to fade out.
  public var blocksInteraction: Bool { isVisible && visibility.phase != .hiding }

  /// Raises the veil. If it is up, its load says something else from now on.
  public func veil(message: String?, fileID: StaticString = #fileID, line: UInt = #line) {
    if let load {
      self.message = message
      return loads.update(load, message: message)
    }
    guard let load = loads.begin(message, CallSite(fileID: fileID, line: line)) else { return }
    self.load = load
    self.message = message
    visibility.start()
  }

  /// Removes the veil. Without an outcome its load is `ended`; if none is veiled nothing is recorded.
  public func remove(_ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line) {
    guard let load else { return }
    self.load = nil
    loads.end(load, outcome, CallSite(fileID: fileID, line: line))
    visibility.stop()
  }
}

extension Veil {
  private func check() {
    guard let load, !loads.isOpen(load) else { return }
    self.load = nil
    visibility.stop()
  }

  private func end(_ seen: VisibilityStateMachine.Seen?) {
    loads.note(seen)
    if load == nil { message = nil }
  }
}
