/// An error of LoadLog.
///
///     catch let error as LoadLogError where error.code == .busy { … }
///
/// Its description is one line: what failed, for which value, why, and what to do about it. Control
/// characters of the value are escaped. Messages and reasons of loads never appear in it.
public struct LoadLogError: Error, Sendable {
  /// The kind of an error. Later versions may add codes, so match with a default.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The word for the code in JSON, stable across versions.
    public let rawValue: String

    /// Creates a code from its word.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The kind of the error.
  public let code: Code
  /// What failed or is invalid, such as "feed name" or "cannot open".
  public let what: String
  /// The value that caused the error, unescaped.
  public let value: String?
  /// The reason.
  public let why: String
  /// What the user can do about the error.
  public let advice: String?
  /// The file that caused the error, if any.
  public let path: String?
  /// The error of another layer that caused this one, if any.
  public let underlying: (any Error)?

  /// Creates an error; `value` defaults to `path`.
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
  /// The error on one line: `<what> <escaped value>: <why>. <advice>`.
  public var description: String {
    guard let advice else { return withoutAdvice }
    return "\(withoutAdvice) \(VisibleText.line(advice))"
  }

  /// The same without what to do about it.
  package var withoutAdvice: String {
    let subject = value.map { "\(what) \(VisibleText.quoted($0))" } ?? what
    return "\(subject): \(VisibleText.line(why))."
  }
}

extension LoadLogError.Code {
  /// An argument is invalid: a feed name, text, id, time or limit.
  public static let invalidInput = Self(rawValue: "invalid_input")
  /// The end of an id matches several records.
  public static let ambiguousID = Self(rawValue: "ambiguous_id")
  /// The store has no such record or feed.
  public static let notFound = Self(rawValue: "not_found")
  /// There is no store at the path.
  public static let storeMissing = Self(rawValue: "store_missing")
  /// The store or its folder cannot be used: missing permissions, not a file, or a network file system.
  public static let storeUnusable = Self(rawValue: "store_unusable")
  /// The file is not a LoadLog store.
  public static let notLoadLog = Self(rawValue: "not_loadlog")
  /// A newer version of LoadLog wrote the store.
  public static let newerStore = Self(rawValue: "newer_store")
  /// The store's files were moved, replaced or deleted while the store was open.
  public static let storeMoved = Self(rawValue: "store_moved")
  /// The store is damaged.
  public static let damaged = Self(rawValue: "damaged")
  /// The deadline passed before the event was committed or the read was done.
  public static let busy = Self(rawValue: "busy")
  /// The disk has no space left.
  public static let diskFull = Self(rawValue: "disk_full")
  /// Reading or writing a file failed.
  public static let io = Self(rawValue: "io")
  /// The controller was closed, or this process was forked from one that uses LoadLog.
  public static let closed = Self(rawValue: "closed")
  /// The fleet's database cannot be reached, or the connection to it broke.
  public static let fleetUnreachable = Self(rawValue: "fleet_unreachable")
  /// The fleet's database cannot be used: its address or its rights are wrong, its tables are missing, or it is not safe.
  public static let fleetUnusable = Self(rawValue: "fleet_unusable")
  /// Another copy of the store has written to the fleet's database.
  public static let storeCopied = Self(rawValue: "store_copied")
  /// The queue of fire-and-forget events is full.
  public static let overflow = Self(rawValue: "overflow")
}

extension LoadLogError {
  /// Whether the operation may succeed after the store was closed and reopened.
  var isWorthAnotherTry: Bool { code == .io || code == .diskFull || code == .busy }
}
