import LoadLogCore
@testable import LoadLogReports
import Testing

/// An overflow counter that fails if a test needs it.
func refuse(_ fields: StableHash) throws(LoadLogError) -> UInt32 {
  throw LoadLogError(.overflow, what: "counter", why: "it was called")
}

/// Counts in memory without a limit.
struct Unbounded {
  private(set) var counts: [StableHash: UInt32] = [:]

  mutating func count(_ fields: StableHash) -> UInt32 {
    defer { counts[fields, default: 0] += 1 }
    return counts[fields, default: 0]
  }
}

@Suite struct IdentityTests {
  @Test(
    arguments: [
      ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
      ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ])
  func theHashIsThatOfRFC9923(text: String, digits: String) {
    var hash = StableHash()
    hash.add(bytes: text.utf8)
    #expect(String(hash.value, radix: 16) == digits)
  }

  @Test(arguments: [0, 12, 100, 10_000])
  func occurrencesAreCountedExactlyAtAnyCapacity(capacity: Int) throws {
    var (overflow, plain) = (Unbounded(), Unbounded())
    var counter = OccurrenceCounter(capacity: capacity) { overflow.count($0) }
    var generator = Lcg(state: 5)
    for _ in 0..<20_000 {
      var hash = StableHash()
      hash.add(number: UInt32(generator.next() % 3000))
      #expect(try counter.count(hash) == plain.count(hash))
    }
    #expect(overflow.counts.isEmpty == (capacity == 10_000))
  }

  @Test func frequentOccurrencesAreCountedExactly() throws {
    var overflow = Unbounded()
    var counter = OccurrenceCounter(capacity: 100) { overflow.count($0) }
    for round in UInt32(0)..<700 {
      for number in UInt32(0)..<3 {
        var hash = StableHash()
        hash.add(number: number)
        #expect(try counter.count(hash) == round)
      }
    }
  }

  @Test func anIdOfLoadLogIsKept() throws {
    let id = SessionID()
    var counter = OccurrenceCounter(overflow: refuse)
    for _ in 0..<3 { #expect(try LoadIdentity.id(id).sessionID(counting: &counter) == id) }
  }

  @Test func theBoundaryBetweenFieldsChangesTheHash() {
    func hash(_ fields: [String]) -> StableHash {
      var hash = StableHash()
      for field in fields { hash.add(field: field) }
      return hash
    }
    #expect(
      hash(["ab", "c"]) != hash(["a", "bc"]) && hash(["", "a"]) != hash(["a", ""]) && hash([]) != hash([""]))
  }
}

@Suite struct DecimalTextTests {
  @Test(
    arguments: [
      ("0", 0, 0), ("-0", 3, 0), ("23.071817", 6, 23_071_817), ("1e3", 0, 1000), ("1.5", 0, 2),
      ("-1.5", 0, -2), ("1.4999", 0, 1),
      ("2.5e-1", 1, 3), ("0.30000000000000004", 6, 300_000), ("1.2299999999999999", 6, 1_230_000),
      ("1795262400000000.0625", 3, 1_795_262_400_000_000_063), ("9223372036854775807", 0, .max),
      ("9223372036854775806.999999999999999999999", 0, .max), ("0.00000000000000000000000000000001e32", 0, 1),
      ("1e-400", 0, 0), ("0e999999999999", 0, 0), ("000000000000000000000000001", -1, 0),
      ("5e-20", 0, 0), ("12345678901234567890123e-10", 0, 1_234_567_890_123), ("0.5e-1", 0, 0),
      ("0.05e1", 0, 1),
    ] as [(String, Int, Int64)])
  func numbersAreReadExactly(text: String, power: Int, value: Int64) {
    let result = Array(text.utf8).withUnsafeBufferPointer { DecimalText.scaled($0, power: power) }
    // JSON does not allow leading zeros.
    #expect(result == (text.hasPrefix("000") ? .wrong("is not a number") : .value(value)))
  }

  @Test(
    arguments: [
      "1e19", "9223372036854775808", "1e999999999999999999999", "", " 1", "1 ", "+1", "0x1", "1_0", "NaN",
      "1e", "--1",
    ])
  func numbersThatAreInvalidOrTooLargeAreRefused(text: String) {
    let result = Array(text.utf8).withUnsafeBufferPointer { DecimalText.scaled($0, power: 0) }
    guard case .wrong = result else {
      Issue.record("\(text) is \(result)")
      return
    }
  }
}
