import LoadLogCore
import LoadLogJSON

/// Importer of HTTP Archive 1.2 files: each entry is a load.
///
/// A load is failed if its status is missing, 0, or 400 or above, and unchanged if its status is 304. Its
/// duration is `time`. If that is missing or negative, it is the sum of the timings that are not negative,
/// without `ssl`, which is part of `connect`; if there are none, it is unknown. The importer drops query,
/// fragment and user of the URL, because they may contain secrets.
struct HARImporter: LoadImporter {
  private var documents: JSONDocuments<HARHandler>

  var isFaulty: Bool { documents.isFaulty }
  var bytesRead: Int { documents.bytesRead }

  init(source: FeedSource?) {
    documents = JSONDocuments(
      HARHandler(source: source), lacking: "the file is not a HAR file: it has no array log.entries")
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem]) {
    documents.read(bytes, into: &items)
  }

  mutating func finish(into items: inout [ImportedItem]) { documents.finish(into: &items) }
}

/// Builds loads from entries.
struct HARHandler: RecordHandler {
  private enum Field: Int, JSONField {
    case startedDateTime, time, pageref, method, url, status, statusText, responseError, entryError
    case blocked, dns, connect, send, wait, receive
  }

  static let plan = JSONPlan(
    .object([
      "log": .object([
        "entries": .required(
          .array(
            .record(
              0,
              [
                "startedDateTime": .field(Field.startedDateTime), "time": .field(Field.time),
                "pageref": .field(Field.pageref), "_error": .field(Field.entryError),
                "request": .object(["method": .field(Field.method), "url": .field(Field.url)]),
                "response": .object([
                  "status": .field(Field.status), "statusText": .field(Field.statusText),
                  "_error": .field(Field.responseError),
                ]),
                "timings": .object([
                  "blocked": .field(Field.blocked), "dns": .field(Field.dns),
                  "connect": .field(Field.connect),
                  "send": .field(Field.send), "wait": .field(Field.wait), "receive": .field(Field.receive),
                ]),
              ])))
      ])
    ]))

  var items: [ImportedItem] = []
  private let isByHost: Bool
  private var feeds = FeedPool()

  init(source: FeedSource?) { isByHost = source != .url }

  mutating func end(_ kind: Int, _ record: JSONRecord) {
    do throws(ImportFault) {
      items.append(.load(try load(record)))
    } catch {
      reject(error)
    }
  }

  private mutating func load(_ record: JSONRecord) throws(ImportFault) -> ForeignLoad {
    let started = try record.time(Field.startedDateTime)
    guard let url = record.string(Field.url) else { throw record.fault("url is missing") }
    guard let address = WebAddress(url) else { throw record.fault("url is not an absolute URL") }
    let verdict = try verdict(record)
    let duration = try duration(record)
    if let duration, !ImportedTime.isPossible(duration, after: started) {
      throw record.fault(Field.time, "is too long")
    }
    let method = record.string(Field.method).map { "\($0) " } ?? ""
    return ForeignLoad(
      feed: try feeds.feed(isByHost ? address.host : address.text, of: record), started: started,
      state: verdict.state, duration: duration, reason: TextLimit.cut(verdict.reason),
      message: TextLimit.cut(method + address.text),
      tag: TextLimit.cut(record.string(Field.pageref), to: TextLimit.tag),
      identity: .fields(record.hash(.har, [Field.startedDateTime, .method, .url])),
      position: record.filePosition)
  }

  private func verdict(_ record: JSONRecord) throws(ImportFault) -> Verdict {
    let status = try record.number(Field.status) ?? 0
    if status == 304 { return .unchanged }
    if status > 0, status < 400 { return .succeeded }
    if status > 0 {
      let text = record.string(Field.statusText) ?? ""
      return .failed("HTTP \(status)" + (text.isEmpty ? "" : " \(text)"))
    }
    return .failed(record.string(Field.responseError) ?? record.string(Field.entryError) ?? "no response")
  }

  /// Returns the duration in nanoseconds; nil if it is unknown.
  private func duration(_ record: JSONRecord) throws(ImportFault) -> Int64? {
    if let time = try record.number(Field.time, power: 6), time >= 0 { return time }
    var sum: Int64?
    for field in [Field.blocked, .dns, .connect, .send, .wait, .receive] {
      guard let part = try record.number(field, power: 6), part >= 0 else { continue }
      sum = (sum ?? 0).addingClamping(part)
    }
    return sum
  }
}
