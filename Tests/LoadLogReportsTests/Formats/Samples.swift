@testable import LoadLogReports
import Testing

/// Small files that use every feature of their format.
enum Samples {
  struct Sample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let format: ImportFormat
    let text: String
    var bytes: [UInt8] { Array(text.utf8) }
  }

  static let all = [
    Sample(testDescription: "har", format: .har, text: har),
    Sample(testDescription: "trace, an object", format: .chromeTrace, text: trace),
    Sample(testDescription: "trace, an open list", format: .chromeTrace, text: openTrace),
    Sample(testDescription: "otlp, a document", format: .otlp, text: otlp),
    Sample(testDescription: "otlp, lines", format: .otlp, text: otlpLines),
    Sample(testDescription: "ndjson", format: .ndjson, text: ndjson),
  ]

  static let har = """
    \u{FEFF}{"log":{"version":"1.2","pages":[{"id":"p1","startedDateTime":"2000-01-01T00:00:00Z"},{"id":"p2"}],"entries":[
    {"startedDateTime":"2026-11-21T12:00:00.1234567+01:00","time":12.5,"pageref":"p1",
    "request":{"method":"GET","url":"https://ada:secret@Api.Example:8443/v1/r\\u00e9views?token=secret#top","headers":[{"time":1}]},
    "response":{"status":200,"statusText":"OK","content":{"text":"{\\"status\\":500,\\u0000\\ud83d\\ude00}"}},
    "timings":{"blocked":-1,"dns":1,"connect":2,"ssl":2,"send":0.25,"wait":3,"receive":4}},
    {"startedDateTime":"2026-11-21T11:00:01Z","time":-1,"request":{"method":"POST","url":"http://[::1]:80/x"},
    "response":{"status":404,"statusText":"Not Found"},"timings":{"blocked":-1,"dns":1,"connect":2,"ssl":2,"send":0.25,"wait":3,"receive":4}},
    {"startedDateTime":"2026-11-21T11:00:02Z","time":null,"request":{"method":"GET","url":"https://b.example/"},
    "response":{"status":304},"timings":null},
    {"startedDateTime":"2026-11-21T11:00:03Z","request":{"method":"GET","url":"data:text/html,secret"},
    "response":{"status":0,"_error":"net::ERR_ABORTED"},"timings":{"wait":-1}},
    {"startedDateTime":"2026-11-21T11:00:04Z","time":1,"request":{"url":"https://b.example"},"response":null}
    ],"creator":{"name":"x"}}}
    """

  static let trace = """
    {"displayTimeUnit":"ms","traceEvents":[
    {"ph":"X","pid":1,"tid":1,"ts":1795262400000000.25,"dur":10.0625,"name":"a","cat":"c"},
    {"ph":"B","pid":1,"tid":1,"ts":100,"name":"outer"},{"ph":"B","pid":1,"tid":1,"ts":"110.5","name":"inner"},
    {"ph":"E","pid":1,"tid":1,"ts":120,"name":"outer"},{"ph":"E","pid":1,"tid":1,"ts":130},
    {"ph":"E","pid":1,"tid":1,"ts":140,"name":"never"},{"ph":"B","pid":"1","tid":"2","ts":1.5e2,"name":"open"},
    {"ph":"b","cat":"n","id":1,"pid":1,"ts":150,"name":"async"},{"ph":"n","cat":"n","id":1,"ts":151},
    {"ph":"e","cat":"n","id":"1","pid":2,"ts":160,"name":"async"},
    {"ph":"b","cat":"n","id2":{"local":"0x1"},"pid":1,"ts":170,"name":"local"},
    {"ph":"e","cat":"n","id2":{"local":"0x1"},"pid":2,"ts":180,"name":"local"},
    {"ph":"S","cat":"n","id":1,"ts":190,"name":"legacy"},{"ph":"F","cat":"n","id":1,"ts":200,"name":"legacy"},
    {"ph":"M","name":"process_name","args":{"name":"x"}},{"ph":"I","ts":1},{"ph":"??"}
    ],"metadata":{"traceEvents":"no"}}
    """

  static let openTrace = """
    [{"ph":"B","pid":1,"tid":1,"ts":5,"name":"a"},
    {"ph":"E","pid":1,"tid":1,"ts":7,"name":"a"},

    """

  static let otlp = """
    {"resourceSpans":[{"resource":{"attributes":[{"key":"x","value":{"intValue":"1"}},
    {"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"scope":{"name":"s"},"spans":[
    {"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","name":"cart","kind":2,
    "startTimeUnixNano":"1795262400000000123","endTimeUnixNano":"1795262400000001124","status":{}},
    {"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsPBsXU=","name":"pay","startTimeUnixNano":1795262400000000000,
    "endTimeUnixNano":1.795262401e18,"status":{"code":2,"message":"declined"}}]},{"spans":[
    {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b176","name":"open",
    "startTimeUnixNano":"1795262400000000000","endTimeUnixNano":"0"},
    {"traceId":"","spanId":"","name":"nobody","startTimeUnixNano":"1795262400000000000",
    "endTimeUnixNano":"1795262399000000000","status":{"code":"STATUS_CODE_ERROR"}}]}]}]}
    """

  static let otlpLines = """
    {"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"late","startTimeUnixNano":"1795262400000000000"}]}],\
    "resource":{"attributes":[{"value":{"stringValue":"shop"},"key":"service.name"}]}}]}
    {"resourceMetrics":[]}
    {"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"alone","startTimeUnixNano":"1795262400000000000"}]}]}]}

    """

  static let ndjson = """
    {"event":"start","at":"2026-11-21T11:00:00.000001Z","feed":"reviews","id":"01A1F90F-9824-7b1e-a0d2-55e9241b6c1e"}

    {"event":"finish","at":"2026-11-21T11:00:01Z","id":"01a1f90f-9824-7b1e-a0d2-55e9241b6c1e","more":[{}]}
    {"event":"start","at":"2026-11-21T11:00:00Z","feed":"by \\u0068and"}\r
    {"event":"push","at":"2026-11-21T11:00:00Z","feed":"network"}
    {"event":"pop","at":"2026-11-21T11:00:00Z","feed":"network","verdict":"failed"}
    {"event":"reset","at":"2026-11-21T11:00:00Z"}
    """
}
