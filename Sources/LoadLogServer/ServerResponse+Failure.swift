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
  static func failure(_ error: any Error) -> ServerResponse {
    guard let error = error as? LoadLogError else { return failure(503, "\(error)") }
    switch error.code {
    case .notFound: return failure(404, error.description)
    case .invalidInput, .ambiguousID: return failure(400, error.description, field: error.what)
    default:
      var answer = failure(503, error.description)
      answer.fields["retry-after"] = "5"
      return answer
    }
  }

  /// The answer to one listener too many.
  static var tooManyListeners: ServerResponse {
    var answer = failure(
      503, "too many listeners", hint: "At most \(EventHub.most) clients can listen at the same time.")
    answer.fields["retry-after"] = "5"
    return answer
  }
}
