import Foundation
import LoadLog
import LoadLogReports

/// Opens a damaged store.
///
/// An input is a list of changes to a sound store: offset, number of bytes, bytes. A small input can
/// therefore damage any page, and the corpus does not contain the store.
enum StoreOpening {
  static let open: LoadLogFuzz.Target = { wounds in
    let store = Scratch.folder.appending(path: "wounded.db")
    Scratch.remove(store)
    let file = wounded(wounds)
    guard (try? file.write(to: store)) != nil else { fatalError("no room in \(Scratch.folder.path)") }
    ask(store)
    // Foundation leaks a page when it reads an empty file.
    let isEmpty = (try? FileManager.default.attributesOfItem(atPath: store.path))?[.size] as? Int == 0
    precondition(isEmpty == file.isEmpty, "a query changed the file")
    precondition(isEmpty || (try? Data(contentsOf: store)) == file, "a query changed the file")
    tolerate { () throws(LoadLogError) in _ = try StoreDoctor.repair(at: store.path) }
    tolerate { () throws(LoadLogError) in
      _ = try StoreDoctor.prune(at: store.path, before: .max)
    }
  }

  /// Runs the queries of all commands.
  private static func ask(_ store: URL) {
    let filter = LoadFilter()
    tolerate { () throws(LoadLogError) in
      let reader = try SQLiteLoadReader(at: store.path)
      defer { tolerate { () throws(LoadLogError) in _ = try StoreDoctor.examine(at: store.path) } }
      tolerate { () throws(LoadLogError) in
        let report = StatusReport(try reader.status(filter, runningLimit: nil), store: store.path)
        _ = report.json().text()
      }
      tolerate { () throws(LoadLogError) in
        for load in try reader.history(filter).loads { _ = try reader.loads(endingIn: load.id.description) }
      }
      tolerate { () throws(LoadLogError) in _ = try reader.unbalanced(filter) }
      tolerate { () throws(LoadLogError) in _ = try reader.days(filter, listing: []) }
    }
  }

  /// Runs work on a damaged store; its errors must be about the state of the store.
  private static func tolerate(_ work: () throws(LoadLogError) -> Void) {
    do throws(LoadLogError) { try work() } catch {
      let expected: Set<LoadLogError.Code> = [.damaged, .notLoadLog, .newerStore, .storeUnusable]
      precondition(expected.contains(error.code), "\(error.code): \(error)")
    }
  }

  private static func wounded(_ wounds: UnsafeRawBufferPointer) -> Data {
    var file = sound
    var rest = wounds[...]
    func byte() -> Int { Int(rest.popFirst() ?? 0) }
    while rest.count >= 4, !file.isEmpty {
      let place = (byte() << 16 | byte() << 8 | byte()) % file.count
      let count = byte()
      // A change without bytes truncates the file.
      if count == 0 { file.removeSubrange(place...) }
      for index in place..<min(file.count, place + count) { file[index] = UInt8(byte()) }
    }
    return file
  }

  /// Store with every kind of row, checkpointed into a single file.
  private static let sound: Data = {
    let store = Scratch.folder.appending(path: "sound.db")
    Exchange.take(Array(lines.utf8), into: store)
    guard (try? StoreDoctor.repair(at: store.path)) != nil, let file = try? Data(contentsOf: store) else {
      fatalError("cannot create a store in \(Scratch.folder.path)")
    }
    return file
  }()

  private static let lines: String = (0..<20).map { number -> String in
    let at = #""at":"2026-11-20T09:00:\#(number + 10)Z","feed":"feed/\#(number % 4)""#
    let id = #""id":"01a1f90f-9824-7b1e-a0d2-55e9241b6c\#(number + 10)""#
    let verdict = ["succeeded", "failed", "unchanged", "cancelled"][number % 4]
    return """
      {"event":"start",\(at),\(id),"message":"m","tag":"t","call_site":"c"}
      {"event":"finish","at":"2026-11-20T09:01:00Z",\(id),"verdict":"\(verdict)","reason":"r"}
      {"event":"push",\(at)}
      {"event":"pop",\(at)}
      {"event":"pop",\(at)}

      """
  }.joined()
}
