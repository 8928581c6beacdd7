import Foundation

/// The parameters of a query or a form, in their order.
struct Query {
  /// The parameters; a name or value with an invalid escape is nil.
  let parameters: [(name: String?, value: String?)]

  init(_ text: String) {
    parameters = text.split(separator: "&").map { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = pair.map { $0.replacing("+", with: " ").removingPercentEncoding }
      return (texts[0], texts.count > 1 ? texts[1] : "")
    }
  }

  /// The last value of a name; nil if there is none.
  func value(_ name: String) -> String? { parameters.last { $0.name == name }.flatMap { $0.value ?? "" } }
}
