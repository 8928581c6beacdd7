import Foundation
import Testing

/// Invalid arguments: the command reports them in one line and changes nothing.
@Suite struct BadInputTests {
  private static let long = String(repeating: "x", count: 201)
  private static let veryLong = String(repeating: "x", count: 2001)
  private static let unknown = "01a1fc32-57d5-72e7-9cd7-dec9fca2a1f4"

  private static let feeds: [Use] = ["start", "push", "pop", "reset", "last-updated"].flatMap { verb in
    [
      Use("\(verb): empty feed", "\(verb) WORD", "", says: "feed name \"\": it is empty"),
      Use("\(verb): long feed", "\(verb) WORD", long, says: "it has 201 characters"),
      Use("\(verb): control character", "\(verb) WORD", "a\u{1B}[31mb", says: "a\\u{1B}[31mb"),
      Use("\(verb): line break", "\(verb) WORD", "a\nb", says: "\"a\\nb\""),
      Use("\(verb): bidirectional control", "\(verb) WORD", "a\u{202E}b", says: "\\u{202E}"),
      Use("\(verb): white space at an end", "\(verb) WORD", "a ", says: "white space at an end"),
      Use("\(verb): no feed", verb, says: verb == "reset" ? "--all" : "<feed>"),
    ]
  }

  private static let ids: [Use] = ["finish", "show", "unbalanced --ack"].flatMap { verb in
    [
      Use("\(verb): malformed id", "\(verb) xyz1", says: "id \"xyz1\""),
      Use("\(verb): short id", "\(verb) abc", says: "at least its last 4"),
      Use("\(verb): long id", "\(verb) \(unknown)0", says: "not a load id"),
      Use(
        "\(verb): empty id", "\(verb) WORD", "",
        says: verb == "finish" ? "nothing to finish: the id is empty." : "id \"\""),
      Use("\(verb): hostile id", "\(verb) WORD", "ab\u{1B}c", says: "ab\\u{1B}c"),
      Use("\(verb): ambiguous id", "\(verb) a11a", says: "Give more digits"),
      Use("\(verb): unknown tail", "\(verb) 00000000000", code: 1, says: "with this id"),
    ]
  }

  private static let times: [Use] = ["x", "2026-02-30", "25:00", "tomorrow", "-5m", "1e300d", "\u{202E}"]
    .flatMap { text in
      [
        Use("since \(text.debugDescription)", "status --since=WORD", text, says: "Examples:"),
        Use("until \(text.debugDescription)", "unbalanced --until=WORD", text, says: "Examples:"),
        Use("at \(text.debugDescription)", "history --at=WORD", text, says: "Examples:"),
      ]
    }

  private static let durations: [Use] = [
    "", "x", "0", "-1h", "1e300d", "9999999999999999d", "1h 1x", "1.5\u{300}s",
  ]
  .flatMap { text in
    ["--max-age", "--max-running"].map { flag in
      Use("\(flag) \(text.debugDescription)", "status --check \(flag)=WORD", text, says: "duration")
    }
  }

  private static let limits: [Use] = ["0", "-1", "2147483648", "99999999999999999999", "x", "", "1.5"].map {
    text in
    Use("limit \(text.debugDescription)", "history --limit=WORD", text, says: "--limit")
  }

  private static let flags: [Use] = [
    Use("unknown verb", "stauts", says: "Did you mean \"status\"?"),
    Use("hostile verb", "WORD", "a\u{1B}[2Jb", says: "a\\u{1B}[2Jb"),
    Use("help for an unknown verb", "help stauts", says: "Did you mean \"status\"?"),
    Use("help for no verb", "help nosuch", says: "there is no such verb"),
    Use("help among other letters", "run -hx -- echo ran", says: "option \"-hx\": there is no such option"),
    Use("help among other letters of no verb", "-hx", says: "\"-hx\""),
    Use("pause with a minus", "expect f --pause -1h", says: "option \"-1h\": there is no such option"),
    Use("option before the verb", "--db x.db status", says: "Write loadlog status first"),
    Use("size that is none", "run f --keep-output=abc -- true", says: "Use 1 to 10M, such as 100k."),
    Use("crontab that is a folder", "expect --crontab /", says: "cannot read \"/\": it is a folder"),
    Use("time with a minus", "status --since -1h", says: "duration \"-1h\": it is negative"),
    Use("moment with a minus", "history --at -1", says: "time \"-1\""),
    Use("limit with a minus", "history --limit -1", says: "--limit must be from 1"),
    Use("age with a minus", "prune --older-than -3d", says: "duration \"-3d\": it is negative"),
    Use("limit of a check with a minus", "status --check --max-age -1h", says: "it is negative"),
    Use("owner with a minus", "push f --owner-pid -3", says: "--owner-pid must not be negative"),
    Use("unknown flag", "status --nope", says: "--nope"),
    Use("flag of another verb", "push f --json", says: "--json"),
    Use("age without a value", "prune --older-than= --color never", says: "duration \"\": it is not"),
    Use("surplus argument", "show abcd efgh", says: "efgh"),
    Use("hostile argument", "show abcd WORD", "a\u{1B}[2Jb\r", says: "a\\u{1B}[2Jb\\r"),
    Use("empty time", "history --at WORD", says: "time \"\""),
    Use("window upside down", "status --since today --until yesterday", says: "--until"),
    Use("at and since", "history --at now --since 1d", says: "--at cannot be combined"),
    Use("unknown state", "history --state done", says: "'done'"),
    Use("failed without check", "status --failed", says: "--check"),
    Use("limit of no check", "status --max-age 1h", says: "--check"),
    Use("late without check", "status --late", says: "--check"),
    Use("quiet and verbose", "status -q -v", says: "--verbose"),
    Use("unknown colour", "status --color blue", says: "'blue'"),
    Use("unknown form of date", "last-updated f --as iso", says: "'iso'"),
    Use("two verdicts", "pop f --failed --succeeded", says: "--succeeded"),
    Use("verdict and exit code", "finish \(unknown) --failed --exit 1", says: "--exit"),
    Use("negative exit code", "finish \(unknown) --exit=-1", says: "--exit"),
    Use("huge exit code", "finish \(unknown) --exit 99999999999", says: "--exit"),
    Use("two owners", "start f --owner-pid 1 --detached", says: "--detached"),
    Use("negative owner", "push f --owner-pid=-1", says: "--owner-pid"),
    Use("huge owner", "push f --owner-pid 99999999999", says: "--owner-pid"),
    Use("reset of an unknown feed", "reset knonw", code: 1, says: "Did you mean \"known\"?"),
    Use("reset of a pattern", "reset kn*", code: 1, says: "\"kn*\""),
    Use("feeds and all", "reset f --all", says: "--all"),
    Use("note without ids", "unbalanced -m x", says: "--ack"),
    Use("feeds that are no ids", "unbalanced known --ack", says: "id \"known\""),
    Use("ambiguous pops", "show b22b", says: "Give more digits"),
    Use("acknowledgement in JSON", "unbalanced --ack --all --json", says: "--json cannot be combined"),
    Use(
      "acknowledgement of a window", "unbalanced --ack a11a --since 1d", says: "--since and --until cannot"),
    Use("all without the word for it", "unbalanced --all", says: "--all goes with --ack"),
    Use("note for all", "unbalanced --all -m x", says: "To list every imbalance, omit --all."),
    Use("form of a date in JSON", "last-updated known --json --as unix", says: "--json and --as"),
    Use("name of a host that looks like a feed", "sync --name a/b", says: "without /, * and ?"),
    Use("dry run of other loads", "sync --dry-run --loads all", says: "--dry-run says what waits"),
    Use("dry run for an address", "sync --dry-run --to postgresql://a/b", says: "--dry-run says what waits"),
    Use("store of hosts", "fleet hosts --db x.db", says: "omit --db"),
    Use("nothing to do with a fleet", "fleet", says: "loadlog fleet hosts, init, retire or prune"),
    Use("no host to retire", "fleet retire", says: "Which host? loadlog fleet retire HOST"),
    Use("hosts of a host", "fleet hosts web-1", says: "Only retire takes a host: omit \"web-1\""),
    Use("output of a fleet", "output 41b6c1e --fleet", says: "output has no --fleet: run it on the host"),
    Use("hosts of a fleet of a fleet", "fleet hosts --fleet", says: "fleet has no --fleet: omit it."),
    Use("sync of a fleet", "sync --fleet", says: "sync has no --fleet: omit it."),
    Use("demo of a fleet", "demo --fleet", says: "demo has no --fleet: omit it."),
    Use("age of a fleet that is all of it", "fleet prune --older-than 0s", says: "must be greater than 0"),
    Use("age that is all of it", "prune --older-than 0s", says: "--older-than must be greater than 0"),
    Use("nothing to acknowledge", "unbalanced --ack", says: "--all"),
    Use("long tag", "start f --tag WORD", long, says: "tag \"xxx"),
    Use("long call site", "push f --call-site WORD", veryLong, says: "call site \"xxx"),
    Use("nothing to run", "run f", says: "command"),
    Use("nothing behind the dashes", "run f --", says: "command"),
    Use(
      "no dashes", "run f true",
      says: "command \"true\": there is no -- before it. Type: loadlog run f -- true\n"),
    Use(
      "no dashes behind options", "run f -m WORD --keep-output=2k ls -l", "a b",
      says: "Type: loadlog run f -m 'a b' --keep-output=2k -- ls -l\n"),
    Use("no dashes before options", "run -q f ls -m", says: "Type: loadlog run -q f -- ls -m\n"),
    Use("size without an equals sign", "run f --keep-output 2M -- true", says: "Type --keep-output=2M."),
    Use("required record of no feed", "run WORD --require-record -- echo ran", "", says: "feed name"),
    Use("unchanged exit that is no number", "run f --unchanged-exit x -- echo ran", says: "--unchanged-exit"),
    Use("unknown feed in status", "status nope", code: 1, says: "\"nope\""),
    Use("unknown feed that is nearly one", "history knonw", code: 1, says: "\"known\""),
    Use("pattern of nothing", "unbalanced z*", code: 1, says: "\"z*\""),
    Use(
      "date of a pattern", "last-updated kn*", code: 1,
      says: "a name, not a pattern. For several feeds: loadlog status 'kn*'"),
    Use("date of an unknown feed", "last-updated nope", code: 1, says: "\"nope\""),
  ]

  private static let fleets = [
    "status", "history", "show 0123", "unbalanced", "last-updated f", "export", "report",
  ].map {
    Use("store of a fleet: \($0)", "\($0) --fleet --db x.db", says: "--fleet and --db cannot be combined")
  }

  private let place: Place

  /// A store with a running load, with two crashed ones whose ids end alike, and with two such pops.
  init() throws {
    place = try Place()
    _ = try place.begin("known")
    for _ in 0..<2 { try place.loadlog("start", "known", "--owner-pid", "999999999") }
    try place.sqlite("UPDATE session SET id = CAST(substr(id, 1, 14) || x'a11a' AS BLOB) WHERE seq > 1")
    for _ in 0..<2 { try place.loadlog("pop", "known-pops") }
    try place.sqlite("UPDATE unmatched SET id = CAST(substr(id, 1, 14) || x'b22b' AS BLOB)")
    // The sqlite3 shell has deleted the log; this reader creates it again.
    try place.loadlog("status")
  }

  @Test(arguments: [feeds, ids, times, durations, limits, flags, fleets].flatMap(\.self))
  func isRefusedInOneLine(use: Use) throws {
    let before = try StoreFiles(of: place)
    let answer = try place.loadlog(use.arguments)
    #expect(answer.code == use.code)
    #expect(answer.output == "")
    #expect(answer.isOneComplaint, "\(answer.errors.debugDescription)")
    #expect(answer.errors.contains(use.says), "\(answer.errors)")
    #expect(try StoreFiles(of: place) == before)
  }
}
