import ArgumentParser

/// The maximum number of loads to list.
enum LoadLimit: ExpressibleByArgument, Equatable, CustomStringConvertible {
  case number(Int)
  case all

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let number = Int(argument) {
      self = .number(number)
    } else {
      return nil
    }
  }

  /// The number; nil for all.
  var number: Int? { if case .number(let number) = self { number } else { nil } }

  func validate() throws {
    guard let number, !(1...Int(Int32.max)).contains(number) else { return }
    throw ValidationError("--limit must be from 1 to \(Int32.max), or all.")
  }

  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .all: "all"
    }
  }
}
