import LoadLog
import LoadLogReports

extension ServerResponse {
  /// An error as JSON: `error`, the `field` at fault and a `hint` on what to do, both null if there is none.
  static func failure(_ status: Int, _ error: String, field: String? = nil, hint: String? = nil)
    -> ServerResponse
  {
    let value: JSONValue = ["error": .string(error), "field": .text(field), "hint": .text(hint)]
    return ServerResponse(status, mediaType, Array((value.text() + "\n").utf8))
  }

  /// The media type of JSON.
  static let mediaType = "application/json; charset=utf-8"

  /// An error of the library. A store that cannot be asked now may be asked later, so the status is 503.
  static func failure(_ error: LoadLogError) -> ServerResponse {
    switch error.code {
    case .notFound: return failure(404, error.description)
    case .invalidInput, .ambiguousID: return failure(400, error.description, field: error.what)
    default:
      var answer = failure(503, error.description)
      answer.fields["retry-after"] = "5"
      return answer
    }
  }
}
