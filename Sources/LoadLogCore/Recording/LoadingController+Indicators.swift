/// What an indicator needs: loads that are started and finished without waiting, and who changed what.
extension LoadingController {
  /// The clocks.
  package var clock: any LoadClock { options.clock }

  /// Starts a load and returns at once; the token's end without a finish is recorded as everywhere.
  ///
  /// - Returns: nil if the controller is closed or the feed's name is not allowed: nothing is recorded then.
  package func begin(
    _ feed: Feed, message: String?, tag: String? = nil, _ callSite: CallSite
  ) -> LoadingToken? {
    let (core, id) = (core, SessionID(milliseconds: now.wall / 1000))
    let tag = TextLimit.cut(tag, to: TextLimit.tag)
    guard core.send(.start(id, feed, message: message, tag: tag), callSite) else { return nil }
    return LoadingToken(id: id, feed: feed, callSite: callSite, core: core)
  }

  /// Finishes a load and returns at once.
  package func end(_ token: LoadingToken, _ verdict: Verdict, _ callSite: CallSite) {
    guard token.beginFinish() else { return }
    (token.currentCore ?? core).send(.finish(token.id, verdict), callSite, ifOpen: true)
  }

  /// Whether a load is open, by all that this controller knows: nobody has finished it, and the controller was not
  /// closed since.
  package func isOpen(_ token: LoadingToken) -> Bool { core.loads.withLock { $0.isOpen(token.id) } }

  /// Records a stop that answers no start, whatever the count is.
  package func extraPop(_ feed: Feed, _ verdict: Verdict, _ callSite: CallSite) {
    core.send(.extraPop(feed, verdict), callSite)
  }

  /// Records how long a load was visible and how many shows of it were suppressed; see
  /// ``LoadEvent/Kind/shown(_:_:visible:suppressed:)``.
  package func noteShown(_ id: SessionID?, _ feed: Feed, visible: Int64, suppressed: Int) {
    core.send(.shown(id, feed, visible: visible, suppressed: suppressed), nil, ifOpen: true)
  }

  /// Reports a call that can be neither recorded nor shown.
  package func refuse(_ error: LoadLogError) { core.report(error) }

  /// Hears of this controller's changes of a feed, in their order, on the threads that make them: first of what is
  /// open now, last of nil when the controller is closed.
  ///
  /// - Parameter hear: called while the counts are locked: it must be short, and ask the controller nothing.
  /// - Returns: what to keep for as long as to hear.
  package func listen(
    to feed: Feed, _ hear: @escaping @Sendable (LoadingChange?) -> Void
  ) -> LoadingListener {
    let loads = core.loads
    return LoadingListener(loads: loads, number: loads.listen(to: feed, hear))
  }
}

/// Somebody hears of changes, until this goes away.
package final class LoadingListener: Sendable {
  private let loads: OpenLoads
  private let number: Int

  init(loads: OpenLoads, number: Int) {
    self.loads = loads
    self.number = number
  }

  deinit { loads.forget(listener: number) }
}
