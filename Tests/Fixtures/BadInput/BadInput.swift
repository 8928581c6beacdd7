import Foundation
import LoadLog
import LoadLogReports

/// Calls the library with input that it must refuse: LoadLogBadInputFixture FOLDER, an empty folder.
///
/// Prints one line per call, with fields separated by tabs: the call, what is wrong with its input, and "holds" or the
/// failed check. The checks are the code of the error, its words, that it is one line without control characters, and
/// that the store has the same contents before and after.
@main
enum BadInput {
  /// One call that must fail.
  struct Call: Sendable {
    let surface: String
    let cause: String
    let code: LoadLogError.Code
    let says: String
    let make: @Sendable (Place) throws(LoadLogError) -> Void

    init(
      _ surface: String, _ cause: String, _ code: LoadLogError.Code = .invalidInput, says: String,
      make: @escaping @Sendable (Place) throws(LoadLogError) -> Void
    ) {
      self.surface = surface
      self.cause = cause
      self.code = code
      self.says = says
      self.make = make
    }
  }

  static func main() throws {
    let place = try Place(CommandLine.arguments[1])
    for call in calls {
      let before = try place.record()
      let problem = problem(of: call, in: place)
      let isUntouched = try place.record() == before
      let words = [call.surface, call.cause, problem ?? (isUntouched ? "holds" : "the store was changed")]
      print(words.map(VisibleText.line).joined(separator: "\t"))
    }
  }

  private static func problem(of call: Call, in place: Place) -> String? {
    do throws(LoadLogError) {
      try call.make(place)
      return "no error"
    } catch {
      let text = error.description
      if error.code != call.code { return "\(error.code.rawValue): \(text)" }
      let acts = text.unicodeScalars.contains(where: VisibleText.mustShow)
      return acts || !text.contains(call.says) ? "it says: \(text)" : nil
    }
  }

  private static let calls = feeds + texts + expressions + stores
}

// MARK: - What is wrong

extension BadInput {
  private static let badNames = [
    ("an empty name", "", "it is empty"),
    ("a name that is too long", String(repeating: "é", count: 201), "201 characters"),
    ("white space at an end", "a\u{3000}", "white space at an end"),
    ("an escape", "a\u{1B}[31mb", "a\\u{1B}[31mb"),
    ("a NUL", "a\u{0}b", "a\\u{0}b"), ("a bidirectional control", "a\u{202E}b", "a\\u{202E}b"),
  ]

  private static let feeds: [Call] = badNames.flatMap { cause, name, says in
    let feed = Feed(name)
    return [
      Call("startLoading(_:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { (loads) throws(LoadLogError) in _ = try loads.startLoading(feed) }
      },
      Call("lastUpdated(_:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { (loads) throws(LoadLogError) in _ = try loads.lastUpdated(feed) }
      },
      Call("push(_:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { $0.push(feed) }
      },
      Call("pop(_:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { $0.pop(feed, .failed("why")) }
      },
      Call("reset(_:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { $0.reset(feed) }
      },
      Call("start(id:feed:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { $0.start(id: SessionID(), feed: feed) }
      },
      Call("adoptLastUpdated(_:of:)", cause, says: says) { (place) throws(LoadLogError) in
        try place.record { $0.adoptLastUpdated(Date(timeIntervalSince1970: 1), of: feed) }
      },
    ]
  }

  private static let longTag = String(repeating: "t", count: 201)

  private static let texts: [Call] =
    [
      Call("startLoading(_:tag:)", "a tag that is too long", says: "at most 200") {
        (place) throws(LoadLogError) in
        try place.record { (loads) throws(LoadLogError) in _ = try loads.startLoading("a", tag: longTag) }
      },
      Call("startLoading(_:)", "a closed controller", .closed, says: "closed") {
        (place) throws(LoadLogError) in
        let loads = try place.controller()
        try loads.close()
        _ = try loads.startLoading("a")
      },
    ]
    + [Double.nan, .infinity, -.infinity, 1e300].map { time in
      Call("adoptLastUpdated(_:of:)", "a date that is \(time)", says: "date") {
        (place) throws(LoadLogError) in
        try place.record { $0.adoptLastUpdated(Date(timeIntervalSince1970: time), of: "a") }
      }
    }
}

extension BadInput {
  private static let expressions: [Call] =
    [
      ("an empty text", ""), ("a word", "soon"), ("a day that is none", "2026-02-30"),
      ("an hour that is none", "25:00"),
      ("a zone that is none", "2026-11-21T10:00:00+99:00"), ("a time too long ago", "99999w"),
      ("an escape", "\u{1B}[2J"),
    ].map { cause, text in
      Call("TimeExpression", cause, says: "Examples:") { (_) throws(LoadLogError) in
        _ = try TimeExpression(now: 1_795_250_467_000_000).microseconds(text)
      }
    }
    + [
      ("an empty text", ""), ("a word", "soon"), ("a negative number", "-5m"), ("a unit twice", "1h1h"),
      ("a number that is too great", "9999999999999999999d"), ("no unit", "5"),
    ].map { cause, text in
      Call("DurationExpression", cause, says: "Examples:") { (_) throws(LoadLogError) in
        _ = try DurationExpression.nanoseconds(text)
      }
    }
    + [("an empty text", ""), ("an id that is too short", "abc"), ("letters that are no digits", "xyz12")].map
  { cause, text in
    Call("IDTail", cause, says: "not a load id") { (_) throws(LoadLogError) in _ = try IDTail(text) }
  } + [
    Call("TimeExpression.window", "an end before its start", says: "not after") { (_) throws(LoadLogError) in
      _ = try TimeExpression(now: 1_795_250_467_000_000).window(since: "1h", until: "2h")
    },
    Call("importer(_:)", "a feed source of another format", says: "--feed-by") { (_) throws(LoadLogError) in
      _ = try ImportFormat.har.importer(ImportOptions(feedSource: .service))
    },
    Call("load(matching:)", "an unknown id", .notFound, says: "with this id") {
      (place) throws(LoadLogError) in
      _ = try SQLiteLoadReader(at: place.store.path).load(matching: IDTail("00000000"))
    },
    Call("expectFeeds(_:)", "an unknown feed", .notFound, says: "nope") { (place) throws(LoadLogError) in
      try SQLiteLoadReader(at: place.store.path).expectFeeds(["nope"])
    },
  ]

  private static let noStores: [(String, String, LoadLogError.Code, String)] = [
    ("an empty path", "", .storeUnusable, "it is empty"),
    ("a NUL in the path", "/tmp/a\u{0}b", .storeUnusable, "NUL"),
    ("nothing there", "/nowhere/loads.db", .storeMissing, "/nowhere/loads.db"),
    ("a folder", "/tmp", .storeUnusable, "folder"),
    ("a device", "/dev/null", .storeUnusable, "not a regular file"),
    ("a text", "text", .notLoadLog, "not a SQLite database"),
    ("an empty file", "empty", .notLoadLog, "it is empty"),
  ]

  private static let stores: [Call] =
    noStores.flatMap { cause, path, code, says in
      let path: @Sendable (Place) -> String = {
        ["text", "empty"].contains(path) ? $0.folder.appending(path: path).path : path
      }
      return [
        Call("SQLiteLoadReader(at:)", cause, code, says: says) { (place) throws(LoadLogError) in
          _ = try SQLiteLoadReader(at: path(place))
        },
        Call("StoreDoctor.examine(at:)", cause, code, says: says) { (place) throws(LoadLogError) in
          _ = try StoreDoctor.examine(at: path(place))
        },
        Call("StoreDoctor.repair(at:)", cause, code, says: says) { (place) throws(LoadLogError) in
          _ = try StoreDoctor.repair(at: path(place))
        },
        Call("StoreExport(at:)", cause, code, says: says) { (place) throws(LoadLogError) in
          _ = try StoreExport(at: path(place))
        },
        Call("StoreCopy.make(of:at:)", cause, code, says: says) { (place) throws(LoadLogError) in
          try StoreCopy.make(of: path(place), at: place.folder.appending(path: "copy").path)
        },
      ]
    } + [
      Call("LoadingController(storeAt:)", "no file's URL", .storeUnusable, says: "not a file URL") {
        (_) throws(LoadLogError) in
        guard let url = URL(string: "https://example.com/loads.db") else { return }
        _ = try LoadingController(storeAt: url)
      }
    ]
}
