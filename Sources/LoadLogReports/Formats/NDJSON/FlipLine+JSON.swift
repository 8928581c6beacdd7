import LoadLogCore
import LoadLogJSON

extension FlipLine {
  /// Reads a line from its JSON object.
  init(_ record: JSONRecord) throws(ImportFault) {
    let feed = Feed(try record.required(try record.text(.feed), of: .feed))
    var flip = FeedFlip(
      feed: feed, at: try record.time(RecordField.at), from: try Self.state(.from, record),
      to: try Self.state(.to, record),
      since: try record.time(RecordField.since))
    guard flip.from != flip.to else { throw record.fault("from and to are the same") }
    guard flip.since <= flip.at else { throw record.fault("since is later than at") }
    flip.reason = try record.text(.reason, limit: TextLimit.message)
    flip.callSite = try record.text(.callSite, limit: TextLimit.message)
    flip.down = try record.integer(.downNs)
    flip.missed = try record.integer(.missed).map { Int(clamping: $0) }
    guard flip.down ?? 0 >= 0, flip.missed ?? 0 >= 0 else {
      throw record.fault("down_ns or missed is negative")
    }
    guard (flip.down ?? 0) / 1000 <= flip.at, Int64(flip.missed ?? 0) <= flip.at / 1_000_000 else {
      throw record.fault("down_ns or missed does not fit between 1970 and at")
    }
    guard !flip.to.isOutage || flip.down == nil && flip.missed == nil else {
      throw record.fault("down_ns or missed in a flip that ends no outage")
    }
    self.init(flip, lastSuccess: try record.optionalTime(.lastSuccess))
  }

  /// Appends the members of the line's JSON object.
  func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "flip")
    bytes.append("at", time: flip.at)
    bytes.append("feed", text: flip.feed.name)
    bytes.append("from", text: flip.from.rawValue)
    bytes.append("to", text: flip.to.rawValue)
    bytes.append("since", time: flip.since)
    bytes.append("reason", ifAny: flip.reason)
    bytes.append("call_site", ifAny: flip.callSite)
    bytes.append("down_ns", ifAny: flip.down)
    bytes.append("missed", ifAny: flip.missed.map(Int64.init))
    bytes.append("last_success", ifAnyTime: lastSuccess)
  }

  private static func state(_ field: RecordField, _ record: JSONRecord) throws(ImportFault) -> FeedState {
    let text = try record.required(try record.text(field), of: field)
    guard let state = FeedState(rawValue: text) else {
      throw record.fault("\(field.name) \(VisibleText.quoted(text)) is not a state of a feed")
    }
    return state
  }
}
