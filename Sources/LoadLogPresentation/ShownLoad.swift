import LoadLogCore
import Observation

/// The one load that an overlay or a veil shows, and its progress.
///
/// It is shown whatever becomes of its record: its token is nil if the controller refused it.
@MainActor @Observable
final class ShownLoad {
  /// Whether the load was started and not ended since.
  private(set) var isOpen = false
  private var known = LoadProgress()
  @ObservationIgnored private var token: LoadingToken?
  private let loads: IndicatorLoads
  private let visibility: IndicatorVisibility

  init(_ loads: LoadingController, feed: Feed, _ visibility: IndicatorVisibility) {
    self.loads = IndicatorLoads(loads, feed: feed, of: visibility)
    self.visibility = visibility
    self.loads.watch { [weak self] in self?.forget($0) }
  }

  /// The fraction that is done; nil if it is unknown.
  var progress: Double? { known.fraction }

  /// Changes the progress, and the recorded message to a text with it. Does nothing if no load is open.
  func setProgress(_ fraction: Double?, of text: String?) {
    guard isOpen else { return }
    known.fraction = fraction
    update(text)
  }

  /// Records a new text of the load, with its progress. A text after the load has none.
  func update(_ text: String?) {
    if !isOpen { known = LoadProgress() }
    loads.update(token, message: message(text))
  }

  /// The message that is recorded and drawn for a text.
  func message(_ text: String?) -> String? { known.message(text) }

  func start(_ text: String?, at callSite: CallSite) {
    (isOpen, known) = (true, LoadProgress())
    token = loads.begin(message: text, at: callSite)
    visibility.start()
  }

  /// Notes at once what the main actor was too busy to note before the next load starts: that other code has finished
  /// the load, and that the indicator is hidden.
  func catchUp() {
    loads.passOnEnds()
    visibility.catchUp()
  }

  /// Ends the load now, and hides its indicator after a delay. Does nothing if no load is open.
  func end(as outcome: Verdict, after delay: Duration, at callSite: CallSite) {
    loads.passOnEnds()
    guard isOpen else { return }
    loads.end(token, as: outcome, at: callSite)
    stop(after: delay)
  }

  /// Records how long the indicator was visible.
  func record(_ summary: VisibilityStateMachine.ShowSummary?) { loads.record(summary) }

  private func stop(after delay: Duration = .zero) {
    (isOpen, token) = (false, nil)
    visibility.stop(after: delay)
  }

  /// Hides the indicator if other code has finished the load.
  private func forget(_ id: SessionID) { if id == token?.id { stop() } }
}
