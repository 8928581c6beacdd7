import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct OTLPTests {
  private func loads(_ text: String, by source: FeedSource? = nil) throws -> [ForeignLoad] {
    try Reading.items(.otlp, text, by: source).compactMap(\.load)
  }

  private func document(_ members: String) -> String {
    #"{"resourceSpans":[{"scopeSpans":[{"spans":[{\#(members)}]}]}]}"#
  }

  @Test func feedsVerdictsAndDurationsAreRead() throws {
    let loads = try loads(Samples.otlp)
    #expect(loads.map(\.feed) == ["cart", "pay", "open", "nobody"])
    #expect(loads.map(\.state) == [.succeeded, .failed, .abandoned, .failed])
    #expect(loads.map(\.reason) == [nil, "declined", "import", nil])
    #expect(loads.map(\.duration) == [1001, 1_000_000_000, nil, nil])
    #expect(loads.map(\.started) == Array(repeating: Reading.noon, count: 4))
  }

  @Test func spansWaitForTheNameOfTheirService() throws {
    #expect(try loads(Samples.otlp, by: .service).map(\.feed) == ["shop", "shop", "shop", "shop"])
    #expect(try loads(Samples.otlpLines, by: .service).map(\.feed) == ["shop", "unknown_service"])
    #expect(try loads(Samples.otlpLines, by: .service).map(\.message) == ["late", "alone"])
  }

  @Test func hexadecimalAndBase64IdsAreTheSame() throws {
    let written = [
      ("5B8EFFF798038103D269B633813FC60C", "EEE19B7EC3C1B174"),
      ("5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"),
      ("W47/95gDgQPSabYzgT/GDA==", "7uGbfsPBsXQ="), ("W47_95gDgQPSabYzgT_GDA", "7uGbfsPBsXQ"),
    ]
    let found = try written.map { trace, span in
      try loads(document(#""traceId":"\#(trace)","spanId":"\#(span)","name":"a","startTimeUnixNano":"1""#))[0]
    }
    #expect(Set(found.map(\.identity)).count == 1)
    #expect(found.map(\.tag) == Array(repeating: "5b8efff798038103d269b633813fc60c", count: 4))
    let other = try loads(document(#""traceId":"00","spanId":"?","name":"a","startTimeUnixNano":"1""#))
    #expect(other.count == 1 && other[0].identity != found[0].identity && other[0].tag == nil)
  }

  @Test(
    arguments: [
      #""startTimeUnixNano":"1""#, #""name":"a""#, #""name":"a","startTimeUnixNano":"0""#,
      #""name":"a","startTimeUnixNano":"-1""#, #""name":"a","startTimeUnixNano":NaN"#,
      #""name":"a","startTimeUnixNano":"18446744073709551615""#,
      #""name":"a","startTimeUnixNano":"7258118400000000000""#,
      #""name":"a","startTimeUnixNano":"1","endTimeUnixNano":"x""#, #""name":"","startTimeUnixNano":"1""#,
      #""name":"a","startTimeUnixNano":"1","endTimeUnixNano":"9000000000000000000""#,
    ])
  func incompleteAndInvalidSpansAreRejected(members: String) throws {
    let items = try Reading.items(.otlp, document(members))
    #expect(items.count == 1 && items[0].rejection != nil)
  }
}
