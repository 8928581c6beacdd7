import Foundation
import LoadLog
import LoadLogCLI
@testable import LoadLogServer
import LoadLogTestSupport
import Testing

/// The demo without a browser: gestures in, states and a record out.
@MainActor @Suite struct DemoDoorTests {
  private let place: TemporaryStore
  private let folder: DemoFolder
  private let demo: DemoDoor
  private let routes: Routes

  init() throws {
    place = try TemporaryStore()
    folder = try DemoFolder(in: place.folder)
    demo = DemoDoor(folder)
    routes = Routes(
      to: .store(place.path), watch: Guard(names: [], port: 8787),
      verb: VerbAnswer.json, demo: demo)
  }

  private func status(
    _ body: String, _ fields: [String: String] = ["sec-fetch-site": "same-origin"],
    type: String? = "application/json", method: String = "POST"
  ) async throws -> Int {
    let given = fields.merging(type.map { ["content-type": $0] } ?? [:]) { $1 }
    let request = ServerRequest(
      method, "/demo/gestures", hosts: ["localhost:8787"],
      fields: given.map { (name: $0.key, value: $0.value) },
      body: .file(try file(body)))
    if let refusal = routes.refusal(of: request) { return refusal.status }
    return await routes.response(toGesture: request).status
  }

  private func file(_ text: String) throws -> TemporaryFile {
    let file = try TemporaryFile()
    try file.append(text.utf8)
    return file
  }

  private func tap(_ buttons: String...) async throws {
    for button in buttons { #expect(try await status(#"{"gesture": "tap", "button": "\#(button)"}"#) == 200) }
  }

  private func drag(_ distance: Double) async throws {
    #expect(try await status(#"{"gesture": "drag", "distance": \#(distance)}"#) == 200)
  }

  private func release() async throws { #expect(try await status(#"{"gesture": "release"}"#) == 200) }

  /// The first state that is sent from now on for which the test holds.
  private func state(where test: (State) -> Bool) async throws -> State {
    let listener = try #require(try await demo.subscribe())
    for await event in listener {
      let lines = event.split(separator: "\n")
      #expect(lines.count == 2 && lines[0] == "event: state")
      let state = try JSONDecoder().decode(State.self, from: Data(lines[1].dropFirst("data: ".count).utf8))
      if test(state) { return state }
    }
    throw CancellationError()
  }

  private func loads(_ feed: Feed) async throws -> [SessionState] {
    try await demo.stage().indicators.loads.history(LoadFilter(feeds: [FeedPattern(exactly: feed)])).loads
      .map(\.state)
  }

  @Test func aPullBeyond65PointsArmsAndItsReleaseLoads() async throws {
    try await drag(64)
    #expect(try await state { $0.pull.offset == 64 }.pull.state == "pulling")
    try await release()
    #expect(try await loads("demo/reviews") == [])
    try await drag(65)
    let armed = try await state { $0.pull.state == "armed" }.pull
    #expect(armed.arrow == "up" && armed.cue == "armed" && armed.statusText == "Release to refresh…")
    try await release()
    let loading = try await state { $0.pull.state == "loading" }.pull
    #expect(loading.inset == 60 && loading.offset == 60 && loading.cue == "released")
    #expect(try await loads("demo/reviews") == [.running])
    try await tap("finish")
    let finished = try await state { $0.pull.lastUpdatedText?.contains("Never") == false }.pull
    #expect(finished.state == "pulling" && finished.cue == "finished" && finished.abortedPulls == 1)
    #expect(try await loads("demo/reviews") == [.succeeded])
  }

  @Test func theVeilBlocksTheButtonBelow() async throws {
    try await tap("article", "veil", "article")
    let raised = try await state { $0.veil.isVisible }
    #expect(raised.articles == 1 && raised.veil.opacity == 0.8 && raised.veil.blocksInteraction)
    try await tap("veil", "remove")
    #expect(try await state { !$0.veil.isVisible }.veil.message == nil)
    try await tap("article")
    #expect(try await state { _ in true }.articles == 2)
    #expect(try await loads("demo/sync") == [.succeeded])
  }

  @Test func aLoadingViewBlocksWhileOneOfItsTagsIsUp() async throws {
    try await tap("startOne", "startTwo", "stopOne", "picture")
    let covered = try await state { $0.views.covers.map(\.tag) == ["2"] }
    #expect(covered.pictures == 0)
    try await tap("stopTwo", "picture")
    #expect(try await state { !$0.views.isVisible }.pictures == 1)
  }

  @Test func pushesAreCountedAndAPopTooManyIsRecorded() async throws {
    try await tap("push", "push", "pop")
    #expect(try await state { $0.network.count == 1 }.network.isVisible)
    try await tap("pop", "pop")
    #expect(try await !state { $0.network.count == 0 }.network.isVisible)
    let status = try await state { $0.status.contains("popped, never pushed") }.status
    #expect(status.contains("1 × popped, never pushed  demo/network"), "\(status)")
    #expect(try await loads("demo/network") == [.ended, .ended])
  }

  @Test func aTurnedScreenMovesNoOverlayThatIsShown() async throws {
    let upright = try await state { _ in true }.overlay.frames
    try await tap("show")
    #expect(try await status(#"{"gesture": "rotate"}"#) == 200)
    #expect(try await state { $0.isTurned && $0.overlay.isVisible }.overlay.frames == upright)
    try await tap("disappear", "hide", "appear", "show")
    #expect(try await state { $0.overlay.isVisible }.overlay.frames != upright)
    #expect(try await loads("demo/articles") == [.running, .succeeded])
  }

  @Test(
    arguments: [
      "", "{}", "[]", #"{"gesture": "tap"}"#, #"{"gesture": "tap", "button": "format"}"#,
      #"{"gesture": "drag"}"#, #"{"gesture": "drag", "distance": 1e999}"#,
      #"{"gesture": "rotate", "button": "x"}"#,
      #"{"gesture": "release", "distance": 3}"#,
    ])
  func anythingElseIsNoGesture(_ body: String) async throws { #expect(try await status(body) == 400) }

  @Test(
    arguments: [
      (["sec-fetch-site": "same-origin"], 200), (["sec-fetch-site": "none"], 200),
      (["sec-fetch-site": "cross-site"], 403), (["sec-fetch-site": "same-site"], 403),
      (["sec-fetch-site": "cross-site", "origin": "http://localhost:8787"], 403),
      (["origin": "http://localhost:8787"], 200), (["origin": "http://localhost:8788"], 403),
      (["origin": "http://evil.test"], 403), (["origin": "null"], 403), ([:], 200),
    ])
  func onlyThePagesOfThisServerSendGestures(_ fields: [String: String], _ expected: Int) async throws {
    #expect(try await status(#"{"gesture": "rotate"}"#, fields) == expected)
  }

  @Test func aGestureIsJSONAndIsPosted() async throws {
    let gesture = #"{"gesture": "rotate"}"#
    #expect(try await status(gesture, type: "application/json; charset=utf-8") == 200)
    for type in ["text/plain", "application/x-www-form-urlencoded", nil] {
      #expect(try await status(gesture, type: type) == 415)
    }
    #expect(try await status(gesture, method: "GET") == 405)
    #expect(try await status(gesture, method: "PUT") == 405)
  }

  @Test func theStoreTakesTenThousandTaps() async throws {
    let stage = try await demo.stage()
    for _ in 0..<10_000 { #expect(stage.perform(.tap(.topic))) }
    #expect(!stage.perform(.tap(.push)) && !stage.perform(.release) && stage.perform(.rotate))
    #expect(try await status(#"{"gesture": "tap", "button": "push"}"#) == 503)
    #expect(try await loads("demo/network") == [])
  }

  @Test func theStoreIsDeletedAtTheEnd() async throws {
    try await tap("push", "veil")
    let path = folder.store
    #expect(FileManager.default.fileExists(atPath: path))
    await demo.close()
    #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
    #expect(try await demo.subscribe() == nil)
  }
}

/// What the tests read of a state.
private struct State: Decodable {
  struct Network: Decodable {
    let isVisible: Bool
    let count: Int
  }
  struct Frame: Decodable, Equatable { let x, y, width, height: Double }
  struct Overlay: Decodable {
    let isVisible: Bool
    let frames: [String: Frame]
  }
  struct Veil: Decodable {
    let isVisible, blocksInteraction: Bool
    let opacity: Double
    let message: String?
  }
  struct Views: Decodable {
    struct Cover: Decodable { let tag: String }
    let isVisible: Bool
    let covers: [Cover]
  }
  struct Pull: Decodable {
    let state, arrow, statusText: String
    let cue, lastUpdatedText: String?
    let inset, offset: Double
    let abortedPulls: Int
  }
  let network: Network
  let overlay: Overlay
  let veil: Veil
  let views: Views
  let pull: Pull
  let isTurned: Bool
  let articles, pictures: Int
  let status: String
}
