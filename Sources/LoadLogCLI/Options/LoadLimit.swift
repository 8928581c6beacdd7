import ArgumentParser

/// The maximum number of loads to list.
struct LoadLimit: CustomStringConvertible {
  /// The number; nil for all.
  let number: Int?

  var description: String { number.map { "\($0)" } ?? "all" }

  func validate() throws {
    guard let number, !(1...Int(Int32.max)).contains(number) else { return }
    throw ValidationError("--limit must be from 1 to \(Int32.max), or all.")
  }
}

extension LoadLimit: ExpressibleByArgument {
  init?(argument: String) {
    number = Int(argument)
    if number == nil, argument != "all" { return nil }
  }
}
