public import LoadLogCore
public import Observation

/// A cover with a message, by tag: several may be up at once, the newest in front.
///
///     view.start(message: "Loading thumbnails…", tag: 1)
///     view.stop(tag: 1)                                     // true: it was up
///
/// Each start is a load of its own. Starting a tag again nests: the tag says the newest message, and wants as many
/// stops; a stop ends the tag's newest load. A view that goes away while it loads leaves its loads `abandoned`, reason
/// `dropped`.
@MainActor @Observable
public final class LoadingView: LoadingIndicator {
  /// One tag's cover.
  public struct Cover: Sendable, Hashable {
    /// The tag.
    public let tag: Int
    /// What its newest load says.
    public let message: String?

    /// Makes a cover.
    public init(tag: Int, message: String?) {
      self.tag = tag
      self.message = message
    }
  }

  private struct Entry {
    let load: LoadingToken
    let cover: Cover
  }

  /// Whether it is visible, and since when.
  public let visibility: Visibility
  /// The covers, the one in front last. Until it is hidden, the last one stays.
  public private(set) var covers: [Cover] = []
  /// Open loads, the newest last.
  @ObservationIgnored private var entries: [Entry] = []
  private let loads: IndicatedLoads

  /// Makes a view without a cover.
  ///
  /// - Parameters:
  ///   - loads: who records.
  ///   - feed: what is loaded.
  ///   - timing: when it appears and disappears.
  ///   - opacity: how opaque a cover is.
  public init(
    _ loads: LoadingController, feed: Feed = "loading", timing: VisibilityTiming = .immediate,
    opacity: Double = 0.75
  ) {
    self.loads = IndicatedLoads(loads, feed)
    visibility = Visibility(clock: loads.clock, timing: timing, fullOpacity: opacity)
    visibility.onOver = { [weak self] in self?.end($0) }
    self.loads.watch { [weak self] in self?.check() }
  }

  /// What the cover in front says.
  public var message: String? { covers.last?.message }

  /// The spinner turns whenever it is visible.
  public var isAnimating: Bool { isVisible }

  /// Nothing beneath can be touched: from when it becomes visible until it begins to fade out.
  public var blocksInteraction: Bool { isVisible && visibility.phase != .hiding }

  /// Puts up a cover, in front of all others.
  ///
  /// - Parameters:
  ///   - message: what it says.
  ///   - tag: names it. Zero names none: it is refused, and nothing is shown or recorded.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  public func start(message: String?, tag: Int, fileID: StaticString = #fileID, line: UInt = #line) {
    guard tag != 0 else {
      return loads.refuse(
        LoadLogError(
          .invalidInput, what: "tag", value: "0", why: "it names no loading view; any other number does"))
    }
    let callSite = CallSite(fileID: fileID, line: line)
    guard let load = loads.begin(message, tag: String(tag), callSite) else { return }
    entries.append(Entry(load: load, cover: Cover(tag: tag, message: message)))
    arrange()
    visibility.start()
  }

  /// Ends the tag's newest load; when it was the last one, its cover comes down.
  ///
  /// - Parameters:
  ///   - tag: names the cover.
  ///   - outcome: how the load went; `ended` says nothing of it.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  /// - Returns: false if the tag is not up: an `extra_pop` is recorded then.
  @discardableResult
  public func stop(
    tag: Int, _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Bool {
    let callSite = CallSite(fileID: fileID, line: line)
    guard let index = entries.lastIndex(where: { $0.cover.tag == tag }) else {
      loads.extraPop(outcome, callSite)
      return false
    }
    loads.end(entries.remove(at: index).load, outcome, callSite)
    arrange()
    visibility.stop()
    return true
  }
}

extension LoadingView {
  /// Each tag where its newest load is. The last cover stays until it has faded out.
  private func arrange() {
    guard !entries.isEmpty else { return covers = Array(covers.suffix(1)) }
    var tags: Set<Int> = []
    covers = entries.reversed().compactMap { tags.insert($0.cover.tag).inserted ? $0.cover : nil }.reversed()
  }

  private func check() {
    let lost = entries.count(where: { !loads.isOpen($0.load) })
    guard lost > 0 else { return }
    entries.removeAll { !loads.isOpen($0.load) }
    arrange()
    for _ in 0..<lost { visibility.stop() }
  }

  private func end(_ seen: VisibilityStateMachine.Seen?) {
    loads.note(seen)
    if entries.isEmpty { covers = [] }
  }
}
