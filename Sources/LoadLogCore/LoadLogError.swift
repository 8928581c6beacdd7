/// Why LoadLog could not do what it was asked.
///
///     catch let error as LoadLogError where error.code == .busy { … }
///
/// Its description is one line: what, which value, why, and what to do about it. The value is shown
/// with control characters made visible; messages and reasons of loads never appear in it.
public struct LoadLogError: Error, Sendable {
  /// What kind of trouble it is. Open: later versions may add codes, so match with a default.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's word, stable across versions.
    public let rawValue: String

    /// Makes a code of a word.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The kind of trouble.
  public let code: Code
  /// What was being done or looked at, such as "feed name" or "cannot open".
  public let what: String
  /// The value it concerns, as it was given.
  public let value: String?
  /// Why it did not work.
  public let why: String
  /// What the reader can do about it.
  public let advice: String?
  /// The file it concerns, if any.
  public let path: String?
  /// The error underneath, if another layer reported one.
  public let underlying: (any Error)?

  /// Makes an error of its parts; `value` defaults to `path`.
  public init(
    _ code: Code, what: String, value: String? = nil, why: String, advice: String? = nil,
    path: String? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.what = what
    self.value = value ?? path
    self.why = why
    self.advice = advice
    self.path = path
    self.underlying = underlying
  }
}

extension LoadLogError: CustomStringConvertible {
  /// One line: `<what> <escaped value>: <why>. <what to do>`.
  public var description: String {
    var line = what
    if let value { line += " \(VisibleText.quoted(value))" }
    line += ": \(VisibleText.line(why))."
    if let advice { line += " \(VisibleText.line(advice))" }
    return line
  }
}

extension LoadLogError.Code {
  /// A feed name, text, id, time or limit that is not allowed.
  public static let invalidInput = Self(rawValue: "invalid_input")
  /// An id's tail that fits several records.
  public static let ambiguousID = Self(rawValue: "ambiguous_id")
  /// No such record or feed.
  public static let notFound = Self(rawValue: "not_found")
  /// There is no store at the path.
  public static let storeMissing = Self(rawValue: "store_missing")
  /// The store, or the place for it, cannot be used: permissions, not a file, a network file system.
  public static let storeUnusable = Self(rawValue: "store_unusable")
  /// The file is not a LoadLog store.
  public static let notLoadLog = Self(rawValue: "not_loadlog")
  /// The store was written by a newer version of LoadLog.
  public static let newerStore = Self(rawValue: "newer_store")
  /// The store's files were moved, replaced or deleted while they were open.
  public static let storeMoved = Self(rawValue: "store_moved")
  /// The store is damaged.
  public static let damaged = Self(rawValue: "damaged")
  /// The deadline passed before the event could be committed, or before a read was done.
  public static let busy = Self(rawValue: "busy")
  /// No space is left.
  public static let diskFull = Self(rawValue: "disk_full")
  /// Reading or writing failed.
  public static let io = Self(rawValue: "io")
  /// The controller was closed.
  public static let closed = Self(rawValue: "closed")
  /// The queue of events that nobody waits for is full.
  public static let overflow = Self(rawValue: "overflow")
}

extension LoadLogError {
  /// Whether the store, closed and opened again, may well take what it has just refused.
  var isWorthAnotherTry: Bool { code == .io || code == .diskFull || code == .busy }
}
