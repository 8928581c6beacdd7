import Foundation
import LoadLog
import LoadLogCLI
import LoadLogPresentation
import LoadLogReports
import Observation

/// The five indicators of the demo, driven by gestures. Their loads are recorded in a temporary store.
///
/// It decides nothing about an indicator: a gesture becomes a call, and what changes is sent to all who listen.
@MainActor @Observable
final class WebStage {
  let indicators: DemoIndicators
  /// Whether the screens are wider than high.
  private(set) var isTurned = false
  /// How often the button on the panel beside the overlay was touched.
  private(set) var topics = 0
  /// How often the button below the veil was touched.
  private(set) var articles = 0
  /// How often the button below the loading views was touched.
  private(set) var pictures = 0
  /// Whether the user's finger is on the list.
  private(set) var isDragging = false
  /// What `loadlog status` prints about the store.
  private(set) var status = ""

  private let folder: DemoFolder
  private let hub: EventHub
  @ObservationIgnored private var taps = 0
  @ObservationIgnored private var clock: Task<Void, Never>?
  @ObservationIgnored private var isReading = false
  @ObservationIgnored private var wantsReading = false

  /// The greatest number of taps and releases, each of which may add a load to the store.
  private static let mostTaps = 10_000
  /// Width of the status in columns.
  private static let columns = 48

  /// Creates the store and shows the indicators.
  ///
  /// - Parameters:
  ///   - folder: the folder for the store, which is deleted at the end.
  ///   - hub: notifies the pages.
  /// - Throws: the errors of creating the store.
  init(_ folder: DemoFolder, _ hub: EventHub) async throws {
    self.folder = folder
    self.hub = hub
    do {
      indicators = try await DemoIndicators(storeAt: folder.store)
    } catch {
      folder.remove()
      throw error
    }
    indicators.pull.handler = .begin { _ in }
    announceChanges(since: nil)
    clock = Task { [weak self] in
      while (try? await Task.sleep(for: .seconds(1))) != nil, let self {
        if self.hub.isHeard { await self.readStatus() }
      }
    }
  }

  /// Ends the loads that run, and deletes the store.
  func close() async {
    clock?.cancel()
    try? await indicators.loads.close()
    folder.remove()
  }

  /// Does what a gesture means.
  ///
  /// - Returns: false if the store holds as much as it may.
  func perform(_ gesture: DemoGesture) -> Bool {
    switch gesture {
    case .drag(let distance):
      if !isDragging { indicators.pull.beginDrag() }
      isDragging = true
      indicators.pull.scroll(to: distance)
      return true
    case .rotate:
      isTurned.toggle()
      return true
    case .release, .tap: break
    }
    guard taps < Self.mostTaps else { return false }
    taps += 1
    if case .tap(let button) = gesture {
      tap(button)
    } else {
      isDragging = false
      indicators.pull.release()
    }
    Task { await readStatus() }
    return true
  }

  /// Sends the state to all who listen, although it has not changed.
  func announce() { hub.announce("state", picture(changed: nil).flat) }

  /// Reads the status again. While it is read, further calls only ask for one more reading.
  func readStatus() async {
    wantsReading = true
    guard !isReading else { return }
    isReading = true
    defer { isReading = false }
    while wantsReading {
      wantsReading = false
      guard let summary = try? await indicators.loads.status() else { return }
      let text = StatusReport(summary, store: folder.store).text(PageStyle(width: Self.columns))
      if status != text { status = text }
    }
  }
}

extension WebStage {
  /// Sends the state, and again after its next change. All changes of one turn of the main actor are one.
  private func announceChanges(since changed: Date?) {
    let state = withObservationTracking {
      picture(changed: changed)
    } onChange: { [weak self] in
      let changed = Date()
      Task { @MainActor in self?.announceChanges(since: changed) }
    }
    hub.announce("state", state.flat)
  }

  private func tap(_ button: DemoGesture.Button) {
    let (network, overlay, veil) = (indicators.network, indicators.overlay, indicators.veil)
    let (views, pull) = (indicators.views, indicators.pull)
    switch button {
    case .push: network.push()
    case .pop: network.pop()
    case .reset: network.reset()
    case .show: overlay.show(in: panel)
    case .hide: overlay.hide(.succeeded)
    case .disappear: overlay.disappear()
    case .appear: overlay.appear()
    case .topic: topics += 1
    case .veil: veil.veil(message: veil.isLoading ? "Almost there…" : "Syncing what you have read…")
    case .remove: veil.remove(.succeeded)
    case .article: if !veil.blocksInteraction { articles += 1 }
    case .startOne: views.start(message: "Loading article…", tag: 1)
    case .stopOne: views.stop(tag: 1, .succeeded)
    case .startTwo: views.start(message: "Loading pictures…", tag: 2)
    case .stopTwo: views.stop(tag: 2, .succeeded)
    case .picture: if !views.blocksInteraction { pictures += 1 }
    case .finish: pull.finish(.succeeded)
    case .fail: pull.finish(.failed("no connection"))
    }
  }
}
