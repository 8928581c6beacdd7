import LoadLog
import LoadLogCLI
import LoadLogCore
import LoadLogReports

/// Takes loads that were recorded elsewhere.
struct ImportDoor: Sendable {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Imports the body of a request.
  ///
  /// - Throws: what reading the body and writing to the store throws.
  func answer(_ request: ServerRequest) throws -> ServerResponse {
    guard case .file(var file) = request.body, case .file(let most, _) = request.door.body else {
      return .failure(400, "the body is empty")
    }
    switch request["content-encoding"]?.lowercased() ?? "identity" {
    case "identity": break
    case "gzip": file = try Gzip.unpacked(file, most: most)
    case let encoding:
      return .failure(
        415, "the body is encoded with \(VisibleText.quoted(encoding))", field: "content-encoding",
        hint: "Send it with gzip, or as it is.")
    }
    let format: ImportFormat = request.door == .traces ? .otlp : .ndjson
    let (bytes, result): ([UInt8], ImportResult)
    do {
      (bytes, result) = try ImportAnswer.json(file, as: format, into: path)
    } catch let error as LoadLogError where error.code == .notFound {
      return .failure(
        400, "the body cannot be imported: \(error.why)",
        hint: "Send it in UTF-8. What is compressed with gzip needs the field Content-Encoding: gzip.")
    }
    guard request.door == .traces else {
      return ServerResponse(result.isComplete ? 200 : 422, ServerResponse.mediaType, bytes)
    }
    return Self.exported(result)
  }

  /// The answer to a client of OpenTelemetry. Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
  private static func exported(_ result: ImportResult) -> ServerResponse {
    if let fault = result.fault {
      return .failure(400, "\(fault.position): \(fault.cause)")
    }
    let partial: JSONValue = [
      "partialSuccess": [
        "rejectedSpans": .string(String(result.rejected)),
        "errorMessage": .string(result.rejections.first.map { "\($0.position): \($0.cause)" } ?? ""),
      ]
    ]
    let value = result.rejected > 0 ? partial : [:]
    return ServerResponse(200, ServerResponse.mediaType, Array(value.flat.utf8))
  }
}
