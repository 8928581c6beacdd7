import LoadLogCore

/// What LoadLog writes of its loads into the formats of others, so that it survives there.
struct OwnFields: Sendable, Hashable {
  var id: SessionID?
  var state: SessionState?
  var kind: UnmatchedKind?
  var reason: String?
  var message: String?
  var tag: String?
  var callSite: String?

  init(id: SessionID? = nil) { self.id = id }

  /// What is known of a load.
  init(_ load: LoadingSession) {
    id = load.id
    state = load.state
    reason = load.reason
    message = load.message
    tag = load.tag
    callSite = load.callSite
  }

  /// Its fields that say something, in their order, with the names they have everywhere.
  var members: [(name: StaticString, value: String)] {
    let all: [(StaticString, String?)] = [
      ("id", id?.description), ("state", state?.rawValue), ("kind", kind?.rawValue), ("reason", reason),
      ("message", message), ("tag", tag), ("call_site", callSite),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }

  /// Takes over a field that was read. A word that is none is passed over.
  mutating func set(_ name: some StringProtocol, _ value: String) {
    switch name {
    case "id": id = SessionID(value)
    case "state": state = SessionState(rawValue: value)
    case "kind": kind = UnmatchedKind(rawValue: value)
    case "reason": reason = TextLimit.cut(value)
    case "message": message = TextLimit.cut(value)
    case "tag": tag = TextLimit.cut(value, to: TextLimit.tag)
    case "call_site": callSite = TextLimit.cut(value)
    default: break
    }
  }
}

extension ForeignLoad {
  /// Takes over what LoadLog knew of the load.
  mutating func adopt(_ own: OwnFields) {
    message = own.message ?? message
    tag = own.tag ?? tag
    if let id = own.id {
      identity = .id(id)
      // What a format gave it for want of one, a trace or a category, is none.
      tag = own.tag
    }
    callSite = own.callSite
  }

  /// Ends the load.
  ///
  /// - Parameter own: what LoadLog knew of its end, which counts unless it contradicts the file.
  mutating func end(_ state: SessionState, reason: String? = nil, after duration: Int64?, own: OwnFields) {
    self.duration = duration
    if let known = own.state, known.isFinished {
      self.state = known
      self.reason = own.reason
    } else {
      self.state = state
      self.reason = reason
    }
  }

  /// Leaves the load open: abandoned, or what LoadLog knew of it.
  mutating func leaveOpen(own: OwnFields) {
    duration = nil
    if let known = own.state, known != .running {
      state = known
      reason = own.reason
    } else {
      state = .abandoned
      reason = ImportFormat.openAtEnd
    }
  }
}
