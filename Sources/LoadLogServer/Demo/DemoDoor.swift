package import LoadLogCLI

/// The page of the demo. All who visit it share one stage, which is made for the first of them.
package final class DemoDoor: Sendable {
  /// Notifies the pages.
  let hub = EventHub()
  private let folder: DemoFolder?
  @MainActor private var opening: Task<WebStage, any Error>?

  /// Creates a door without a stage.
  ///
  /// - Parameter folder: the folder for its store, which is deleted at the end; nil to make one for the first visitor.
  package init(_ folder: DemoFolder? = nil) { self.folder = folder }

  /// Makes the stage with its store, if that was not done yet.
  ///
  /// - Throws: the errors of creating the store.
  @MainActor package func open() async throws { _ = try await stage() }

  /// Ends the stage and deletes its store.
  @MainActor package func close() async {
    hub.end()
    await (try? opening?.value)?.close()
  }

  /// Adds a listener, who receives the current state first; nil if there are too many.
  ///
  /// - Throws: the errors of creating the store.
  @MainActor func subscribe() async throws -> EventHub.Listener? {
    let stage = try await stage()
    await stage.readStatus()
    let listener = hub.subscribe()
    stage.announce()
    return listener
  }

  /// Answers a gesture, after it was done.
  @MainActor func answer(_ request: ServerRequest) async -> ServerResponse {
    do {
      guard case .file(let file) = request.body, let gesture = DemoGesture(try file.bytes()) else {
        return .failure(400, "this is not a gesture", hint: "See the script of the page.")
      }
      guard try await stage().perform(gesture) else {
        return .failure(503, "the store of the demo is full", hint: "Start the server again.")
      }
      return ServerResponse(200, ServerResponse.mediaType, Array("{}\n".utf8))
    } catch {
      return .failure(error)
    }
  }

  /// The stage, which is made at the first call.
  @MainActor func stage() async throws -> WebStage {
    let task = opening ?? Task { [folder, hub] in try await WebStage(folder ?? DemoFolder(), hub) }
    opening = task
    do {
      return try await task.value
    } catch {
      opening = nil
      throw error
    }
  }

  static var page: [UInt8] { PackageResources.demo_html }

  /// The files that the page needs beside those of the report, by name.
  static let files = [
    "demo.css": String(decoding: PackageResources.demo_css, as: UTF8.self),
    "demo.js": String(decoding: PackageResources.demo_js, as: UTF8.self),
  ]
}
