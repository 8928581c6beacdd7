public import Foundation
public import LoadLogCore
public import Observation

/// A list that reloads when the user pulls it down, with the date of its last update.
///
///     let pull = PullToRefresh(loads, feed: "reviews", handler: .load { try await api.reload(); return .succeeded })
///     pull.beginDrag()                   // from the list's delegate
///     pull.scroll(to: -offset)
///     pull.release()                     // if armed: starts a load and runs the handler
///
/// Each refresh is a load of the feed that ends with the handler's result or with ``finish(_:fileID:line:)``.
///
/// If loads of the feed are open in this controller when the model is created or when ``appear()`` is called, the model
/// enters the state ``State/loading`` and leaves it when they have ended. Those loads belong to other code, which finishes
/// them. A `finish` for a load that the model showed but did not start is ignored.
///
/// A load survives its model. A running ``Handler/load(_:)`` keeps the model alive. Any other load continues when the
/// model is deallocated, and the next model of the feed in the same controller takes it over: it starts in the state
/// ``State/loading``, and its ``finish(_:fileID:line:)`` finishes the load.
@MainActor @Observable
public final class PullToRefresh {
  /// The feed of the loads.
  public nonisolated let feed: Feed
  /// The code that performs a refresh. If it is nil, pulls have no effect.
  public var handler: Handler? {
    didSet { updateEnabled() }
  }
  /// Whether pulls have an effect. If not, a pull neither arms nor changes ``progress``. Loads are shown, and
  /// ``beginRefreshing(notify:fileID:line:)`` starts one, in any case.
  public var isEnabled = true {
    didSet { updateEnabled() }
  }
  /// The distances and durations. A change takes effect at once, also during a pull or a load.
  public var options: PullToRefreshOptions {
    didSet { if options != oldValue { perform { $0.setOptions(options) } } }
  }
  /// The status texts.
  public var texts: PullToRefreshTexts
  /// The format of the last-updated line.
  public var dateText: LastUpdatedText
  /// The current state.
  public private(set) var state = State.pulling
  /// The arrow beside the status text.
  public private(set) var arrow = Arrow.down
  /// Duration of the arrow's current animation.
  public private(set) var arrowTime = Duration.zero
  /// Height of the free space above the list, in points.
  public private(set) var inset = 0.0
  /// Duration of the current animation of ``inset``.
  public private(set) var insetTime = Duration.zero
  /// The latest cue.
  public private(set) var cue: Cue?
  /// Distance of the current pull as a fraction of the threshold, from 0 to 1.
  public private(set) var progress = 0.0
  /// Distance of the current pull beyond the threshold as a fraction of the threshold: 0 up to the threshold, 0.5 at one
  /// and a half times the threshold. ``progress`` and this add up to the whole distance.
  public private(set) var overpull = 0.0
  /// Number of pulls that were released below the threshold.
  public private(set) var abortedPulls = 0
  /// The date of the feed's last successful load in the record; nil if there is none, or if it has not been read
  /// yet.
  public private(set) var lastUpdated: Date?
  /// Whether ``lastUpdated`` has been read from the record.
  public private(set) var isLastUpdatedKnown = false
  @ObservationIgnored private var machine: PullToRefreshStateMachine
  @ObservationIgnored private var load: LoadingToken?
  @ObservationIgnored private var lastRefresh = 0
  /// The number of the current refresh. Its ``load`` is nil if the controller refused it.
  @ObservationIgnored private var refresh: Int?
  @ObservationIgnored private var lastReload = 0
  @ObservationIgnored private var lastAppliedReload = 0
  @ObservationIgnored private var isReloading = false
  @ObservationIgnored private var wantsReload = false
  private nonisolated let loads: LoadingController
  private nonisolated let listener: LoadingListener
  private nonisolated let inbox: MainInbox<[Message]>

  /// Creates a model for a list.
  ///
  /// - Parameters:
  ///   - loads: The controller that records the loads.
  ///   - feed: The feed of the loads.
  ///   - options: The distances and durations.
  ///   - texts: The status texts.
  ///   - dateText: The format of the last-updated line.
  ///   - handler: The code that performs a refresh.
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
    self.options = options
    machine = PullToRefreshStateMachine(options: options, isEnabled: handler != nil)
    let inbox = MainInbox<[Message]>([])
    self.inbox = inbox
    listener = loads.listen(to: feed) { change in inbox.put { $0.append(.change(change)) } }
    inbox.open { [weak self] in self?.drain() }
    takeOver()
  }

  deinit {
    guard let load, let refresh else { return }
    // The caller of finish() may have held the last reference. Its message is still in the inbox then.
    for case .finish(let number, let outcome, let callSite) in inbox.take({ $0 })
    where (number ?? refresh) == refresh {
      return loads.end(load, outcome, callSite)
    }
    loads.leave(load)
  }

  /// Whether the spinner turns, which it does during loads.
  public var isAnimating: Bool { state == .loading }

  /// The status text of the current state.
  public var statusText: String {
    switch state {
    case .pulling: texts.pulling
    case .armed: texts.armed
    case .loading: texts.loading
    }
  }

  /// The last-updated line at the current time; nil until the date has been read from the record.
  ///
  /// An age grows older without a change of the model: with the form `relative`, have the view read the line again every
  /// minute, for instance in a `TimelineView`.
  public var lastUpdatedText: String? {
    isLastUpdatedKnown ? dateText.text(for: lastUpdated, at: loads.now.date) : nil
  }

  /// Reports that the user has started to drag the list.
  public func beginDrag() {
    perform { machine in
      machine.beginDrag()
      return []
    }
  }

  /// Reports that the list has scrolled.
  ///
  /// - Parameter distance: Points by which the list is pulled down beyond its top; negative if it is scrolled up.
  ///   Ignored if it is not finite.
  public func scroll(to distance: Double) { perform { $0.scroll(to: distance) } }

  /// Reports that the user has released the list. Starts a load if the pull is armed.
  public func release(fileID: StaticString = #fileID, line: UInt = #line) {
    perform(at: CallSite(fileID: fileID, line: line)) { $0.release() }
  }

  /// Starts a load without a pull. Does nothing during a load.
  ///
  /// - Parameters:
  ///   - notify: Whether to run the handler. If false, the caller performs the load and then calls
  ///     ``finish(_:fileID:line:)``.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public func beginRefreshing(notify: Bool = true, fileID: StaticString = #fileID, line: UInt = #line) {
    perform(at: CallSite(fileID: fileID, line: line)) { $0.beginRefreshing(notify: notify) }
  }

  /// Finishes the load that this model or an earlier one of the feed started. If there is none, an `extra_pop` is
  /// recorded, unless the model has shown a load of other code since the last finish.
  ///
  /// Callable on any thread. The main actor records the finish and updates the model, in call order.
  ///
  /// - Parameters:
  ///   - outcome: The verdict on the load; `ended` by default.
  ///   - fileID: The file of the call site.
  ///   - line: The line of the call site.
  public nonisolated func finish(
    _ outcome: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let callSite = CallSite(fileID: fileID, line: line)
    inbox.put { $0.append(.finish(refresh: nil, outcome, callSite)) }
  }

  /// Reports that the view is on screen. An open load of the feed, also one that other code has started, is shown
  /// immediately, without an animation or a cue.
  public func appear() {
    drain()
    takeOver()
    apply { machine in (loads.depth(of: feed) > 0 ? machine.joinLoad() : []) + machine.appear() }
  }

  /// Reads ``lastUpdated`` from the record. The model does this when it is created, after each load of the feed, and when
  /// the controller is reopened. If the record cannot be read, for instance because another program holds a store that is
  /// not open yet, the date stays as it is.
  public func reloadLastUpdated() async {
    let number = nextReload()
    apply(await Self.lastUpdated(of: feed, in: loads), reload: number)
  }
}

extension PullToRefresh {
  private enum Message: Sendable {
    /// Finishes the refresh with the number, or the current one if the number is nil.
    case finish(refresh: Int?, Verdict, CallSite)
    case change(LoadingChange?)
  }

  private func updateEnabled() {
    perform { [isEnabled = isEnabled && handler != nil] in $0.setEnabled(isEnabled) }
  }

  private typealias Step = (inout PullToRefreshStateMachine) -> [PullToRefreshStateMachine.Action]

  /// Performs a step after all messages that other threads have sent before it.
  private func perform(at callSite: CallSite? = nil, _ step: Step) {
    drain()
    apply(step, callSite: callSite)
  }

  private func drain() {
    let messages = inbox.take { messages in
      defer { messages = [] }
      return messages
    }
    for message in messages {
      switch message {
      case .finish(let number, let outcome, let callSite):
        if number == nil { takeOver() }
        if number == nil || number == refresh { apply({ $0.finish() }, outcome: outcome, callSite: callSite) }
      case .change(let change): follow(change)
      }
    }
  }

  private func follow(_ change: LoadingChange?) {
    switch change?.kind {
    case .listening:
      // The model was created, or the controller reopened: until then the record could not be read.
      reload()
      if let change, change.depth > 0 { apply({ $0.joinLoad() }) }
      return
    case .finished, .popped: reload()
    default: break
    }
    // Other code may have finished this model's load by its id. Loads that other code started are over if none is open
    // now: another one may have started since the change. A closed controller knows of none.
    let isOver =
      load.map { change?.kind == .finished($0.id) } ?? (machine.isForeignLoad && loads.depth(of: feed) == 0)
    guard isOver else { return }
    (load, refresh) = (nil, nil)
    apply { $0.endWithoutFinish() }
  }

  private func apply(_ step: Step, outcome: Verdict = .ended, callSite: CallSite? = nil) {
    let actions = step(&machine)
    if state != machine.state { state = machine.state }
    if progress != machine.progress { progress = machine.progress }
    if overpull != machine.overpull { overpull = machine.overpull }
    if abortedPulls != machine.abortedPulls { abortedPulls = machine.abortedPulls }
    for action in actions {
      switch action {
      case .arrow(let arrow, let time): (self.arrow, arrowTime) = (arrow, time)
      case .inset(let inset, let time): (self.inset, insetTime) = (inset, time)
      case .cue(let kind): cue = Cue(kind: kind, number: cue.map { $0.number + 1 } ?? 0)
      case .load(let notify): start(notify: notify, at: callSite)
      case .finish:
        if let load, let callSite { loads.end(load, outcome, callSite) }
        (load, refresh) = (nil, nil)
      case .extraPop: if let callSite { loads.extraPop(feed, outcome, callSite) }
      }
    }
  }

  /// Starts a load and runs the handler, even if the load cannot be recorded.
  private func start(notify: Bool, at callSite: CallSite?) {
    guard let callSite else { return }
    load = loads.begin(feed, message: texts.loading, callSite)
    let number = nextRefresh()
    guard notify else { return }
    switch handler {
    case .load(let work):
      Task {
        let outcome: Verdict
        do { outcome = try await work() } catch { outcome = LoadingController.verdict(for: error) }
        inbox.put { $0.append(.finish(refresh: number, outcome, callSite)) }
        // This task may hold the last reference to the model: a scheduled drain would find it deallocated, and the
        // load would be recorded as abandoned.
        drain()
      }
    case .begin(let begin): begin(self)
    case nil: break
    }
  }

  private func nextRefresh() -> Int {
    lastRefresh += 1
    refresh = lastRefresh
    return lastRefresh
  }

  /// Continues the load of a model of this feed that was deallocated before its load was finished.
  private func takeOver() {
    guard refresh == nil, let load = loads.takeOver(feed) else { return }
    self.load = load
    _ = nextRefresh()
    apply { $0.takeOverLoad() }
  }

  /// Reads the date, with at most one query at a time however many loads end. The query does not keep the model
  /// alive.
  private func reload() {
    wantsReload = isReloading
    guard !isReloading else { return }
    isReloading = true
    let number = nextReload()
    Task { [weak self, feed, loads] in
      let result = await Self.lastUpdated(of: feed, in: loads)
      self?.apply(result, reload: number)
      self?.isReloading = false
      if self?.wantsReload == true { self?.reload() }
    }
  }

  private func nextReload() -> Int {
    lastReload += 1
    return lastReload
  }

  /// Applies the result of a query, unless the result of a later query has been applied.
  private func apply(_ result: Result<Date?, LoadLogError>, reload number: Int) {
    guard case .success(let date) = result, number > lastAppliedReload else { return }
    lastAppliedReload = number
    if lastUpdated != date { lastUpdated = date }
    isLastUpdatedKnown = true
  }

  private static func lastUpdated(
    of feed: Feed, in loads: LoadingController
  ) async -> Result<Date?, LoadLogError> {
    do throws(LoadLogError) {
      return .success(try await loads.lastUpdated(feed))
    } catch {
      return .failure(error)
    }
  }
}
