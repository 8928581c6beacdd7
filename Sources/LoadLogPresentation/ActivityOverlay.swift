public import Foundation
public import LoadLogCore
public import Observation

/// A spinner and a label over one panel; the other panels stay usable.
///
///     let overlay = ActivityOverlay(loads, feed: "articles")
///     overlay.show(in: panel.size)
///     defer { overlay.hide() }
///
/// Made once for its scope, a tab or a view. Showing starts a load, hiding ends it; showing again changes nothing. When
/// its scope disappears the overlay goes with it, and the load goes on; when the scope appears again, or another
/// view takes the overlay over, it is there at once if it is still loading. An overlay that goes away while it loads
/// leaves its load `abandoned`, reason `dropped`.
@MainActor @Observable
public final class ActivityOverlay: LoadingIndicator {
  /// Whether it is visible, and since when.
  public let visibility: Visibility
  /// What it says, and the load with it.
  public var label: String {
    didSet { if let load, label != oldValue { loads.update(load, message: label) } }
  }
  /// The size of the panel at the first show in it, which fixes the overlay's frame until the scope disappears; nil
  /// before that, or if it was not told.
  public private(set) var size: CGSize?
  private var load: LoadingToken?
  private var mayAnimate = true
  @ObservationIgnored private var isFixed = false
  private let loads: IndicatedLoads

  /// Makes an overlay that is not shown.
  ///
  /// - Parameters:
  ///   - loads: who records.
  ///   - feed: what the scope loads.
  ///   - label: what it says.
  ///   - timing: when it appears and disappears.
  ///   - opacity: how opaque it is.
  ///   - isAttached: whether its scope is on screen.
  public init(
    _ loads: LoadingController, feed: Feed, label: String = "Loading", timing: VisibilityTiming = .immediate,
    opacity: Double = 1, isAttached: Bool = true
  ) {
    self.loads = IndicatedLoads(loads, feed)
    self.label = label
    visibility = Visibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    visibility.isAttached = isAttached
    visibility.onOver = { [weak self] in self?.loads.note($0) }
    self.loads.watch { [weak self] in self?.check() }
  }

  /// A load is open.
  public var isLoading: Bool { load != nil }

  /// Its scope is on screen.
  public var isAttached: Bool { visibility.isAttached }

  /// The spinner turns: while it loads in a scope that is on screen, unless it was stopped since it appeared.
  public var isAnimating: Bool { isLoading && isAttached && mayAnimate }

  /// Shows the overlay; if it is shown already nothing happens.
  ///
  /// - Parameters:
  ///   - size: the panel's size; only that of the first show counts.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  public func show(in size: CGSize? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
    guard load == nil, let load = loads.begin(label, CallSite(fileID: fileID, line: line)) else { return }
    self.load = load
    if !isFixed, let size { (self.size, isFixed) = (size, true) }
    visibility.start()
  }

  /// Hides the overlay. Without an outcome its load is `ended`; if none is open nothing is recorded.
  public func hide(_ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line) {
    guard let load else { return }
    self.load = nil
    loads.end(load, outcome, CallSite(fileID: fileID, line: line))
    visibility.stop()
  }

  /// Lets the spinner turn while it loads.
  public func startAnimating() { mayAnimate = true }

  /// Stops the spinner, until it is started or the scope appears anew. The load goes on.
  public func stopAnimating() { mayAnimate = false }

  /// Its scope appears.
  public func appear() {
    mayAnimate = true
    visibility.isAttached = true
  }

  /// Its scope disappears, and the overlay with it; its load goes on.
  public func disappear() {
    visibility.isAttached = false
    isFixed = false
  }
}

extension ActivityOverlay {
  private func check() {
    guard let load, !loads.isOpen(load) else { return }
    self.load = nil
    visibility.stop()
  }
}
