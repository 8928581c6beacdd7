// What the app of the examples has: the reviews that it loads.
import Foundation
import LoadLog

struct Review: Identifiable {
  let id: Int
  let title: String
}

struct ReviewsAPI: Sendable {
  func reviews() async throws -> [Review] { [] }
  func reload() async throws -> Verdict { .unchanged }
}
