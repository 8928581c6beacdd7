import LoadLogCore

/// LoadLog's own fields in files of other formats, so that a load keeps them through export and import.
struct OwnFields: Sendable, Hashable {
  var id: SessionID?
  var state: SessionState?
  var kind: UnmatchedKind?
  var reason: String?
  var message: String?
  var tag: String?
  var callSite: String?
  /// Not written for `boot`, which almost all loads have.
  var durationSource: DurationSource?

  init(id: SessionID? = nil) { self.id = id }

  /// Copies the fields of a load.
  init(_ load: LoadingSession) {
    id = load.id
    state = load.state
    reason = load.reason
    message = load.message
    tag = load.tag
    callSite = load.callSite
    durationSource = load.durationSource == .boot ? nil : load.durationSource
  }

  /// Fields that are set, in order, with their names in the file.
  var members: [(name: StaticString, value: String)] {
    let all: [(StaticString, String?)] = [
      ("id", id?.description), ("state", state?.rawValue), ("kind", kind?.rawValue), ("reason", reason),
      ("message", message), ("tag", tag), ("call_site", callSite),
      ("duration_source", durationSource?.rawValue),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }

  /// Sets a field from its text in a file. Unknown fields and invalid values are ignored.
  mutating func set(_ name: some StringProtocol, to value: String) {
    switch name {
    case "id": id = SessionID(value)
    case "state": state = SessionState(rawValue: value)
    case "kind": kind = UnmatchedKind(rawValue: value)
    case "reason": reason = TextLimit.cut(value)
    case "message": message = TextLimit.cut(value)
    case "tag": tag = TextLimit.cut(value, to: TextLimit.tag)
    case "call_site": callSite = TextLimit.cut(value)
    case "duration_source": durationSource = DurationSource(rawValue: value)
    default: break
    }
  }
}

extension ForeignLoad {
  /// Replaces fields by those that LoadLog wrote.
  mutating func adopt(_ own: OwnFields) {
    message = own.message ?? message
    tag = own.tag ?? tag
    if let id = own.id {
      identity = .id(id)
      // An exported load has no tag other than LoadLog's, although the format supplies a trace id or category.
      tag = own.tag
      durationSource = own.durationSource ?? .boot
    }
    callSite = own.callSite
  }

  /// Sets the verdict and duration of a finished load.
  ///
  /// - Parameter own: fields that LoadLog wrote; they decide unless they say that the load is unfinished.
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

  /// Marks the load as unfinished: abandoned, unless LoadLog wrote another state. A load that was running when
  /// LoadLog wrote the file stays running, because it may have finished since.
  mutating func leaveOpen(own: OwnFields) {
    duration = nil
    if let known = own.state {
      state = known
      reason = own.reason
    } else {
      state = .abandoned
      reason = AbandonReason.import.rawValue
    }
  }
}
