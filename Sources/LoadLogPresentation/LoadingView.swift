public import LoadLogCore
public import Observation

/// Covers with messages, identified by tags. Several can be up at the same time, with the newest in front.
///
///     view.start(message: "Loading thumbnails…", tag: "thumbnails")
///     view.stop(tag: "thumbnails")                          // true: the tag was up
///
/// A tag is a text or an integer, which stands for its digits: 1 and "1" are the same tag.
///
/// Each start is a separate load. Starts of the same tag nest: the tag's cover shows the newest message, each stop
/// ends the tag's newest load, and the cover stays until there were as many stops as starts. Covers are shown whatever
/// becomes of the record: also if the controller is closed. If the view is deallocated during loads, they are recorded
/// as `abandoned` with the reason `dropped`, and the load that was started or stopped last gets the time that the view
/// was visible.
@MainActor @Observable
public final class LoadingView: LoadingIndicator {
  /// The cover of one tag.
  public struct Cover: Sendable, Hashable {
    /// The tag.
    public let tag: String
    /// The message of the tag's newest load.
    public let message: String?

    /// Creates a cover.
    public init(tag: String, message: String?) {
      self.tag = tag
      self.message = message
    }
  }

  private struct Entry {
    let load: LoadingToken?
    let cover: Cover
  }

  /// The view's visibility.
  public let visibility: IndicatorVisibility
  /// The covers from back to front. The last cover to be stopped stays until the view is hidden.
  public private(set) var covers: [Cover] = []
  /// The open loads, oldest first.
  @ObservationIgnored private var entries: [Entry] = []
  private let loads: IndicatorLoads

  /// Creates a view without covers.
  ///
  /// - Parameters:
  ///   - loads: The controller that records the loads.
  ///   - feed: The feed of the loads.
  ///   - timing: The delays and fade durations.
  ///   - opacity: The opacity of a visible cover.
  public init(
    _ loads: LoadingController, feed: Feed = "loading", timing: VisibilityTiming = .immediate,
    opacity: Double = 0.75
  ) {
    visibility = IndicatorVisibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    self.loads = IndicatorLoads(loads, feed: feed, of: visibility)
    visibility.onIdle = { [weak self] in self?.becomeIdle($0) }
    self.loads.watch { [weak self] in self?.forget($0) }
  }

  /// The message of the cover in front.
  public var message: String? { covers.last?.message }

  /// Whether the spinner turns, which it does whenever the view is visible.
  public var isAnimating: Bool { isVisible }

  /// Whether the views below must ignore input: from when the view becomes visible until it starts to fade out.
  public var blocksInteraction: Bool { isVisible && visibility.phase != .hiding }

  /// Starts a load and shows its cover in front of all others.
  ///
  /// - Parameters:
  ///   - message: The message on the cover; nil for none.
  ///   - tag: Any integer except 0. If it is 0, the controller reports an `invalidInput` error, and nothing is shown
  ///     or recorded.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func start(message: String?, tag: Int, fileID: StaticString = #fileID, line: UInt = #line) {
    start(message: message, tag: tag == 0 ? "" : String(tag), fileID: fileID, line: line)
  }

  /// Starts a load and shows its cover in front of all others.
  ///
  /// - Parameters:
  ///   - message: The message on the cover; nil for none.
  ///   - tag: Any text that is not empty; the record keeps its first 200 scalars. If it is empty, the controller reports
  ///     an `invalidInput` error, and nothing is shown or recorded.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func start(message: String?, tag: String, fileID: StaticString = #fileID, line: UInt = #line) {
    guard !tag.isEmpty else {
      return loads.refuse(
        LoadLogError(
          .invalidInput, what: "tag", why: "the tag of a loading view is 0 or empty",
          advice: "Use any other integer or text."))
    }
    let callSite = CallSite(fileID: fileID, line: line)
    loads.passOnEnds()
    visibility.catchUp()
    let load = loads.begin(message: message, tag: tag, at: callSite)
    entries.append(Entry(load: load, cover: Cover(tag: tag, message: message)))
    updateCovers()
    visibility.start()
  }

  /// Ends the newest load of a tag, and removes the tag's cover if no other load of the tag is open.
  ///
  /// - Parameters:
  ///   - tag: The tag of the load.
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  /// - Returns: False if no load of the tag is open. The call is then recorded as an `extra_pop`.
  @discardableResult
  public func stop(
    tag: Int, _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    stop(tag: String(tag), outcome, fileID: fileID, line: line)
  }

  /// Ends the newest load of a tag, and removes the tag's cover if no other load of the tag is open.
  ///
  /// - Parameters:
  ///   - tag: The tag of the load.
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  /// - Returns: False if no load of the tag is open. The call is then recorded as an `extra_pop`.
  @discardableResult
  public func stop(
    tag: String, _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let callSite = CallSite(fileID: fileID, line: line)
    loads.passOnEnds()
    guard let index = entries.lastIndex(where: { $0.cover.tag == tag }) else {
      loads.recordExtraPop(outcome, at: callSite)
      return false
    }
    loads.end(entries.remove(at: index).load, as: outcome, at: callSite)
    updateCovers()
    visibility.stop()
    return true
  }
}

extension LoadingView {
  /// Shows one cover for each tag, at the position of the tag's newest load. Keeps the last cover while it fades
  /// out.
  private func updateCovers() {
    guard !entries.isEmpty else { return covers = Array(covers.suffix(1)) }
    var tags: Set<String> = []
    covers = entries.reversed().compactMap { tags.insert($0.cover.tag).inserted ? $0.cover : nil }.reversed()
  }

  /// Removes the cover of a load that other code has finished.
  private func forget(_ id: SessionID) {
    guard let index = entries.firstIndex(where: { $0.load?.id == id }) else { return }
    entries.remove(at: index)
    updateCovers()
    visibility.stop()
  }

  private func becomeIdle(_ summary: VisibilityStateMachine.ShowSummary?) {
    loads.record(summary)
    if entries.isEmpty { covers = [] }
  }
}
