import Foundation

/// Does nothing: what any Swift process with Foundation takes, which figures of memory do not count.
@main
struct Empty {
  static func main() { _ = Date() }
}
