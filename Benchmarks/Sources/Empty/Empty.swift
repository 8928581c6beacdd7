import Foundation

/// Does nothing. Its memory is what every Swift process with Foundation uses; the memory row subtracts it.
@main
struct Empty {
  static func main() { _ = Date() }
}
