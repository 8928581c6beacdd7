import Foundation
import LoadLogReports

/// Generated file of a format with any size.
struct LargeFile {
  let format: ImportFormat
  /// `plain`; `open`: no load ends; `nested`: the first load to start is the last to end; `one`: a single
  /// field of that size; `deep`: only brackets.
  let shape: String

  func write(bytes wanted: Int) {
    var written = 0
    func put(_ text: String) {
      written += text.utf8.count
      FileHandle.standardOutput.write(Data(text.utf8))
    }
    switch shape {
    case "one":
      put(head + #"{"ph":"X","name":""#)
      let piece = String(repeating: "x", count: 1 << 16)
      while written < wanted { put(piece) }
      put(#""}"# + foot)
    case "deep":
      put(head + #"{"args":"#)
      let piece = String(repeating: "[", count: 1 << 16)
      while written < wanted { put(piece) }
    default:
      put(head)
      var number = 0
      while written < wanted {
        var piece = ""
        for _ in 0..<64 {
          piece += (number == 0 ? "" : separator) + element(number)
          number += 1
        }
        put(piece)
      }
      put(foot)
    }
  }

  private var head: String {
    switch format {
    case .har: #"{"log":{"version":"1.2","entries":["#
    case .chromeTrace: #"{"traceEvents":["#
    case .otlp:
      #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},"#
        + #""scopeSpans":[{"spans":["#
    case .ndjson: ""
    }
  }

  private var foot: String {
    switch format {
    case .har: "]}}"
    case .chromeTrace: "]}"
    case .otlp: "]}]}]}"
    case .ndjson: "\n"
    }
  }

  private var separator: String { format == .ndjson ? "\n" : ",\n" }

  private func element(_ number: Int) -> String {
    switch format {
    case .har: entry(number)
    case .chromeTrace: event(number)
    case .otlp: span(number)
    case .ndjson: lines(number)
    }
  }

  /// Returns a HAR entry; every thousandth has a body of one megabyte.
  private func entry(_ number: Int) -> String {
    let body = number % 1000 == 999 ? String(repeating: "PGh0bWw+\\n", count: 120_000) : "ok"
    return """
      {"startedDateTime":"2026-11-21T\(two(number / 3600 % 24)):\(two(number / 60 % 60)):\(two(number % 60)).\(three(number))+01:00",\
      "time":\(number % 900).25,"request":{"method":"GET","url":"https://host\(number % 50).example/a/b?token=\(number)",\
      "headers":[{"name":"accept","value":"*/*"}],"cookies":[]},"response":{"status":\(number % 20 == 0 ? 404 : 200),\
      "statusText":"OK","headers":[{"name":"date","value":"Wed, 08 Mar 2017 16:14:18 GMT"}],\
      "content":{"size":2,"text":"\(body)"}},"timings":{"send":0,"wait":10.5,"receive":1}}
      """
  }

  private func event(_ number: Int) -> String {
    let time = 1_795_262_400_000_000 + number * 10
    let place = number % 4
    let (phase, name) =
      switch shape {
      case "open": ("B", number % 100)
      case "nested": (number % 1000 < 500 ? "B" : "E", min(number % 1000, 999 - number % 1000) % 3)
      default: (place == 0 ? "B" : place == 1 ? "E" : "X", place < 2 ? 0 : number % 100)
      }
    return """
      {"ph":"\(phase)","pid":1,"tid":\(phase == "X" ? 2 : 1),"ts":\(time).5,"dur":7.125,\
      "name":"task \(name)","cat":"load","args":{"a":[1,2,{"b":"c"}]}}
      """
  }

  private func span(_ number: Int) -> String {
    let digits = String(number + 1, radix: 16)
    let id = String(repeating: "0", count: 16 - digits.count) + digits
    let time = 1_795_262_400_000_000_000 + number * 1000
    return """
      {"traceId":"0123456789abcdef\(id)","spanId":"\(id)","name":"span \(number % 100)","kind":2,\
      "startTimeUnixNano":"\(time)","endTimeUnixNano":"\(time + 12345)","attributes":[{"key":"http.method",\
      "value":{"stringValue":"GET"}}],"status":{"code":\(number % 20 == 0 ? 2 : 1)}}
      """
  }

  private func lines(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    let id = "01a1f90f-9824-7b1e-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    let time = "2026-11-21T\(two(number / 3600 % 24)):\(two(number / 60 % 60)):\(two(number % 60))."
    return """
      {"event":"start","at":"\(time)\(three(number))000Z","feed":"feed \(number % 100)","id":"\(id)","message":null,\
      "tag":null,"call_site":"App/Reviews.swift:42","owner":"00112233445566778899aabbccddeeff","boot_ns":\(number)}
      {"event":"finish","at":"\(time)\(three(number))999Z","id":"\(id)","verdict":"succeeded","reason":null,\
      "duration_ns":999000}
      """
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

  private func three(_ number: Int) -> String { String(String(1000 + number % 1000).dropFirst()) }
}
