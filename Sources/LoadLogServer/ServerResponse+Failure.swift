import LoadLog
import LoadLogReports

extension ServerResponse {
  /// The media type of JSON.
  static let mediaType = "application/json; charset=utf-8"

  /// A plain text.
  static func text(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(status, "text/plain; charset=utf-8", Array(text.utf8))
  }

  /// An error as JSON: `error`, the `field` at fault and a `hint` on what to do, both null if there is none.
  static func failure(_ status: Int, _ error: String, field: String? = nil, hint: String? = nil)
    -> ServerResponse
  {
    let value: JSONValue = ["error": .string(error), "field": .text(field), "hint": .text(hint)]
    return ServerResponse(status, mediaType, Array((value.text() + "\n").utf8))
  }

  /// An error of the library, or any other. A store that cannot be asked now may be asked later, so the status is 503.
  ///
  /// - Parameter isForEverybody: whether those may read the answer who must not learn where the record is.
  static func failure(_ error: any Error, isForEverybody: Bool = false) -> ServerResponse {
    let known = error as? LoadLogError
    switch known?.code {
    case .notFound?: return failure(404, isForEverybody ? "there is no such feed" : "\(error)")
    case .invalidInput?, .ambiguousID?: return failure(400, "\(error)", field: known?.what)
    default:
      return failure(503, isForEverybody ? "the record cannot be asked\(code(of: error))" : "\(error)")
    }
  }

  /// The kind of an error in parentheses: it says nothing about the place or the content of a record.
  static func code(of error: any Error) -> String {
    (error as? LoadLogError).map { " (\($0.code.rawValue))" } ?? ""
  }

  /// The answer to one listener too many.
  static var tooManyListeners: ServerResponse {
    failure(503, "too many listeners", hint: "At most \(EventHub.most) clients can listen at the same time.")
  }
}
