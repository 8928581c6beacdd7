public import Foundation
public import LoadLogCore
public import Observation

/// Pull a list down to reload it, with the date of its last update.
///
///     let pull = PullToRefresh(loads, feed: "reviews", handler: .load { try await api.reload(); return .succeeded })
///     pull.beginDrag()                   // from the list's delegate
///     pull.scroll(to: -offset)
///     pull.release()                     // armed: starts a load and runs the handler
///
/// Each refresh is a load of the feed, from its start to the handler's result or to `finish`. A model that is made
/// while this controller has the feed open starts out `loading`, and leaves when nothing of the feed is open any more:
/// that load is another's, so a `finish` then is an `extra_pop`. A model that goes away while it loads leaves its load
/// `abandoned`, reason `dropped`; while a `load` handler runs it does not go away.
@MainActor @Observable
public final class PullToRefresh {
  /// Who loads.
  public enum Handler: Sendable {
    /// Loads; its result is the load's verdict, an error is `failed`, or `cancelled` for a `CancellationError`.
    case load(@MainActor @Sendable () async throws -> Verdict)
    /// Begins to load; whoever is done calls `finish`.
    case begin(@MainActor @Sendable (PullToRefresh) -> Void)
  }

  /// Something to feel or hear. Each has another number, so that the same twice is noticed.
  public struct Cue: Sendable, Hashable {
    /// What it is.
    public let kind: PullToRefreshStateMachine.Cue
    /// How many came before it.
    public let number: Int
  }

  /// What is loaded.
  public nonisolated let feed: Feed
  /// Who loads; nil for nobody, and then a release does nothing.
  public var handler: Handler?
  /// What the label says.
  public var texts: PullToRefreshTexts
  /// How the last-updated line is made.
  public var dateText: LastUpdatedText
  /// Where it is.
  public private(set) var state = PullToRefreshStateMachine.State.pulling
  /// The arrow beside the label.
  public private(set) var arrow = PullToRefreshStateMachine.Arrow.down
  /// Over what time the arrow gets to where it is.
  public private(set) var arrowTime = Duration.zero
  /// So many points the list keeps free above its top.
  public private(set) var inset = 0.0
  /// Over what time the inset gets there.
  public private(set) var insetTime = Duration.zero
  /// The last thing to feel or hear.
  public private(set) var cue: Cue?
  /// How far the pull is from nothing, 0, to the threshold, 1.
  public private(set) var progress = 0.0
  /// How many pulls were released too early.
  public private(set) var abortedPulls = 0
  /// When the feed was last refreshed with success, by the record; nil if never, or not known yet.
  public private(set) var lastUpdated: Date?
  /// The record has answered.
  public private(set) var isLastUpdatedKnown = false
  @ObservationIgnored private var machine: PullToRefreshStateMachine
  @ObservationIgnored private var load: LoadingToken?
  @ObservationIgnored private var lastRefresh = 0
  /// The refresh that is under way; it is recorded as ``load``, unless the controller is closed.
  @ObservationIgnored private var refresh: Int?
  @ObservationIgnored private var lastReload = 0
  @ObservationIgnored private var lastAnswer = 0
  @ObservationIgnored private var isReloading = false
  @ObservationIgnored private var wantsReload = false
  private nonisolated let loads: LoadingController
  private nonisolated let listener: FeedListener
  private nonisolated let inbox: MainInbox<[News]>

  /// Makes a model for a list.
  ///
  /// - Parameters:
  ///   - loads: who records.
  ///   - feed: what is loaded.
  ///   - options: its constants.
  ///   - texts: what the label says.
  ///   - dateText: how the last-updated line is made.
  ///   - handler: who loads.
  public init(
    _ loads: LoadingController, feed: Feed, options: PullToRefreshOptions = PullToRefreshOptions(),
    texts: PullToRefreshTexts = PullToRefreshTexts(), dateText: LastUpdatedText = LastUpdatedText(),
    handler: Handler? = nil
  ) {
    self.loads = loads
    self.feed = feed
    self.texts = texts
    self.dateText = dateText
    self.handler = handler
    machine = PullToRefreshStateMachine(options: options)
    let inbox = MainInbox<[News]>([])
    self.inbox = inbox
    listener = FeedListener(loads, feed) { change in inbox.put { $0.append(.change(change)) } }
    inbox.open { [weak self] in self?.drain() }
    reload()
  }

  /// The spinner turns while it loads.
  public var isAnimating: Bool { state == .loading }

  /// What the label says.
  public var statusText: String {
    switch state {
    case .pulling: texts.pulling
    case .armed: texts.armed
    case .loading: texts.loading
    }
  }

  /// The last-updated line, as of now; nil until the record has answered.
  public var lastUpdatedText: String? {
    isLastUpdatedKnown ? dateText.text(for: lastUpdated, at: loads.now.date) : nil
  }

  /// The user's finger is on the list.
  public func beginDrag() {
    perform { machine in
      machine.beginDrag()
      return []
    }
  }

  /// The list has scrolled.
  ///
  /// - Parameter distance: so many points it is pulled down beyond its top; negative if it is not.
  public func scroll(to distance: Double) { perform { $0.scroll(to: distance) } }

  /// The finger lets go. If the pull went far enough and there is a handler, a load starts.
  public func release(fileID: StaticString = #fileID, line: UInt = #line) {
    perform(CallSite(fileID: fileID, line: line)) { [hasHandler = handler != nil] in
      $0.release(hasHandler: hasHandler)
    }
  }

  /// Starts a load without a pull. While it loads already nothing happens.
  ///
  /// - Parameters:
  ///   - notify: the handler is to run; if not, whoever calls loads, and calls `finish`.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  public func beginRefreshing(notify: Bool = true, fileID: StaticString = #fileID, line: UInt = #line) {
    perform(CallSite(fileID: fileID, line: line)) { $0.beginRefreshing(notify: notify) }
  }

  /// The load is over. Callable on any thread; the main actor records it and changes the model, in the order of the
  /// calls. Without an outcome the load is `ended`. If no load of this model's is open, an `extra_pop` is recorded.
  public nonisolated func finish(
    _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let callSite = CallSite(fileID: fileID, line: line)
    inbox.put { $0.append(.finish(nil, outcome, callSite)) }
  }

  /// The view comes on screen: what is loading shows at once, without animation or cue.
  public func appear() { perform { $0.appear() } }

  /// Asks the record for the date of the last update; done by itself at first and after each load of the feed.
  public func reloadLastUpdated() async {
    let number = nextReload()
    take(await Self.lastUpdated(feed, loads), number)
  }
}

extension PullToRefresh {
  private enum News: Sendable {
    /// Of the refresh with the number, or of whichever is under way.
    case finish(Int?, Verdict, CallSite)
    case change(LoadingChange?)
  }

  private typealias Step = (inout PullToRefreshStateMachine) -> [PullToRefreshStateMachine.Action]

  /// What was called before on other threads comes first.
  private func perform(_ callSite: CallSite? = nil, _ step: Step) {
    drain()
    apply(step, .ended, callSite)
  }

  private func drain() {
    let all = inbox.take { news in
      defer { news = [] }
      return news
    }
    for news in all {
      switch news {
      case .finish(let number, let outcome, let callSite):
        if number == nil || number == refresh { apply({ $0.finish() }, outcome, callSite) }
      case .change(let change): follow(change)
      }
    }
  }

  private func follow(_ change: LoadingChange?) {
    switch change?.kind {
    case .listening:
      if let change, change.depth > 0 { apply({ $0.beginOthers() }) }
      return
    case .finished, .popped: reload()
    default: break
    }
    let isOver = load.map { !loads.isOpen($0) } ?? (machine.isOthers && change?.depth ?? 0 == 0)
    guard isOver else { return }
    (load, refresh) = (nil, nil)
    apply { $0.endWithoutFinish() }
  }

  private func apply(_ step: Step, _ outcome: Verdict = .ended, _ callSite: CallSite? = nil) {
    let actions = step(&machine)
    if state != machine.state { state = machine.state }
    if progress != machine.progress { progress = machine.progress }
    if abortedPulls != machine.abortedPulls { abortedPulls = machine.abortedPulls }
    for action in actions {
      switch action {
      case .arrow(let arrow, let time): (self.arrow, arrowTime) = (arrow, time)
      case .inset(let inset, let time): (self.inset, insetTime) = (inset, time)
      case .cue(let kind): cue = Cue(kind: kind, number: cue.map { $0.number + 1 } ?? 0)
      case .load(let notify): start(notify: notify, callSite)
      case .finish:
        if let load, let callSite { loads.end(load, outcome, callSite) }
        (load, refresh) = (nil, nil)
      case .extraPop: if let callSite { loads.extraPop(feed, outcome, callSite) }
      }
    }
  }

  /// The work is done even if it cannot be recorded.
  private func start(notify: Bool, _ callSite: CallSite?) {
    guard let callSite else { return }
    listener.ensure()
    load = loads.begin(feed, message: texts.loading, callSite)
    lastRefresh += 1
    let number = lastRefresh
    refresh = number
    guard notify else { return }
    switch handler {
    case .load(let work):
      Task {
        let outcome: Verdict
        do { outcome = try await work() } catch { outcome = LoadingController.verdict(for: error) }
        inbox.put { $0.append(.finish(number, outcome, callSite)) }
        // Here and now: nobody else may be holding the model any more.
        drain()
      }
    case .begin(let begin): begin(self)
    case nil: break
    }
  }

  /// However many loads end meanwhile, one question at a time; the model may go away before its answer.
  private func reload() {
    wantsReload = isReloading
    guard !isReloading else { return }
    isReloading = true
    let number = nextReload()
    Task { [weak self, feed, loads] in
      let answer = await Self.lastUpdated(feed, loads)
      self?.take(answer, number)
      self?.isReloading = false
      if self?.wantsReload == true { self?.reload() }
    }
  }

  private func nextReload() -> Int {
    lastReload += 1
    return lastReload
  }

  /// An answer that was overtaken by a later one is old.
  private func take(_ answer: Result<Date?, LoadLogError>, _ number: Int) {
    guard case .success(let date) = answer, number > lastAnswer else { return }
    lastAnswer = number
    if lastUpdated != date { lastUpdated = date }
    isLastUpdatedKnown = true
  }

  private static func lastUpdated(_ feed: Feed, _ loads: LoadingController) async -> Result<
    Date?, LoadLogError
  > {
    do throws(LoadLogError) {
      return .success(try await loads.lastUpdated(feed))
    } catch {
      return .failure(error)
    }
  }
}
