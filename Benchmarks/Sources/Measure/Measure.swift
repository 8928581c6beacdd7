import Foundation
import LoadLog

/// Measures LoadLog once, in a separate process, and prints one line of JSON.
///
///     measure recording STORE SECONDS CALLERS async|sync [CONTROLLERS]
///                                                 starts and finishes of durable loads, by CALLERS tasks per controller
///     measure loading STORE SECONDS async|sync    `loading { }` around an empty body, `durability: .process`
///     measure counting STORE SECONDS THREADS      push and pop, as the caller sees them
///     measure mutex SECONDS                       an uncontended mutex around an increment and a decrement
///     measure idle STORE                          one load, then exit: for the memory of the process
@main
struct Measure {
  static func main() async throws {
    var arguments = Arguments()
    switch arguments.next() {
    case "recording":
      try await Recording(
        store: arguments.store(), seconds: arguments.seconds(), callers: arguments.count(),
        face: arguments.face(), controllers: arguments.count(default: 1)
      ).run()
    case "loading":
      try await EmptyLoading(
        store: arguments.store(), seconds: arguments.seconds(), face: arguments.face()
      ).run()
    case "counting":
      try Counting(store: arguments.store(), seconds: arguments.seconds(), threads: arguments.count()).run()
    case "mutex": UncontendedMutex(seconds: arguments.seconds()).run()
    case "idle": try await Recording(store: arguments.store(), seconds: 0, callers: 1, face: .async).run()
    default: Arguments.refuse()
    }
  }
}

/// Which of two methods with the same name is measured.
enum Face: String { case async, sync }

/// The command line. Exits with an error if it is wrong.
struct Arguments {
  private var rest = CommandLine.arguments.dropFirst()

  mutating func next() -> String? { rest.popFirst() }

  mutating func store() -> URL { URL(fileURLWithPath: read { $0 }) }

  mutating func seconds() -> Double { read(Double.init) }

  mutating func count() -> Int { read { Int($0) } }

  mutating func count(default value: Int) -> Int { rest.isEmpty ? value : count() }

  mutating func face() -> Face { read(Face.init) }

  private mutating func read<Value>(_ make: (String) -> Value?) -> Value {
    guard let value = next().flatMap(make) else { Self.refuse() }
    return value
  }

  static func refuse() -> Never {
    let message = "measure: wrong arguments; see Benchmarks/Sources/Measure/Measure.swift\n"
    FileHandle.standardError.write(Data(message.utf8))
    exit(2)
  }
}

extension LoadingController {
  /// A controller that fails if the store cannot be opened, instead of recording in memory.
  static func measured(at store: URL, _ durability: Durability = .power) throws -> LoadingController {
    var options = Options()
    options.durability = durability
    options.onOpenFailure = .fail
    return try LoadingController(storeAt: store, options: options)
  }
}

extension Feed {
  /// One of a hundred.
  static func numbered(_ number: Int) -> Feed { all[number % all.count] }

  private static let all = (0..<100).map { Feed("feeds/\($0)") }
}
