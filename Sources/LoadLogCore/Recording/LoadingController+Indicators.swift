import Synchronization

/// The calls that indicators use: starts and finishes that do not wait, and notifications of changes.
extension LoadingController {
  /// The clocks.
  package var clock: any LoadClock { options.clock }

  /// Who records.
  package var owner: Owner { options.makeOwner() }

  /// Starts a load and returns at once. A token that is dropped before its finish is recorded as abandoned.
  ///
  /// - Returns: nil if the controller is closed or the feed's name is not allowed; nothing is recorded then.
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

  /// Adds 1 to the count of the feed.
  ///
  /// - Returns: false if the controller is closed or the feed's name is not allowed; the push is not counted then.
  package func recordPush(of feed: Feed, _ callSite: CallSite) -> Bool { core.send(.push(feed), callSite) }

  /// Whether this controller has a load open: it was not finished here, and the controller was not closed
  /// since.
  private func isOpen(_ token: LoadingToken) -> Bool { core.loads.withLock { $0.isOpen(token.id) } }

  /// Keeps a load open whose indicator was deallocated, until another indicator takes it over or the controller is
  /// closed.
  package func leave(_ token: LoadingToken) {
    guard !ForkedChild.isThisProcess else { return }
    leftLoads.withLock { $0.append(token) }
  }

  /// Returns the newest open load of the feed that an indicator has left, for another indicator.
  package func takeOver(_ feed: Feed) -> LoadingToken? {
    guard !ForkedChild.isThisProcess else { return nil }
    return leftLoads.withLock { tokens in
      tokens.removeAll { !isOpen($0) }
      return tokens.lastIndex { $0.feed == feed }.map { tokens.remove(at: $0) }
    }
  }

  /// Records a stop without a start, whatever the count is.
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

  /// Calls a closure with each change of a feed in this controller, in order, on the thread that makes the
  /// change: first with what is open now, and with nil when the controller is closed. When it is reopened, the calls begin
  /// again.
  ///
  /// - Parameter receive: called while the counts are locked: it must be short, and must not use the controller.
  /// - Returns: the listener; the calls end when it is released.
  package func listen(
    to feed: Feed, _ receive: @escaping @Sendable (LoadingChange?) -> Void
  ) -> LoadingListener {
    LoadingListener(loads: self, number: addListener(of: feed, receive))
  }
}

/// A registration for changes, which ends when this is released.
package final class LoadingListener: Sendable {
  private let loads: LoadingController
  private let number: Int

  fileprivate init(loads: LoadingController, number: Int) {
    self.loads = loads
    self.number = number
  }

  deinit { loads.removeListener(number) }
}
