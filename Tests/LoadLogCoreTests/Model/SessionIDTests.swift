import Foundation
import LoadLogCore
import Testing

@Suite struct SessionIDTests {
  @Test func aNewIDIsAVersion7UUIDWithItsTime() throws {
    for milliseconds: Int64 in [0, 1, 1_795_250_467_000, 0xFFFF_FFFF_FFFF] {
      let id = SessionID(milliseconds: milliseconds)
      let bytes = id.bytes
      #expect(bytes.count == 16 && bytes[6] >> 4 == 7 && bytes[8] >> 6 == 2)
      #expect(bytes.prefix(6).reduce(0) { $0 << 8 | Int64($1) } == milliseconds)
      #expect(UUID(uuidString: id.description).map(SessionID.init) == id)
    }
    #expect(SessionID(milliseconds: -1).bytes.prefix(6).allSatisfy { $0 == 0 })
    #expect(SessionID(milliseconds: 1) < SessionID(milliseconds: 2))
    #expect(Set((0..<1000).map { _ in SessionID(milliseconds: 7) }).count == 1000)
  }

  @Test(arguments: [
    "01a1f90f-9824-7b1e-a0d2-55e9241b6c1e", "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff", "00000001-0000-4000-8000-00000000000a",
  ])
  func theTextFormRoundTrips(_ text: String) throws {
    let id = try #require(SessionID(text))
    #expect(id.description == text && id.tail == String(text.suffix(7)))
    #expect(SessionID(text.uppercased()) == id)
    #expect(SessionID(hexDigits: text.filter { $0 != "-" }) == id)
    #expect(SessionID(bytes: id.bytes) == id)
  }

  @Test(arguments: [
    "", "01a1f90f98247b1ea0d255e9241b6c1e", "01a1f90f-9824-7b1e-a0d2-55e9241b6c1",
    "g1a1f90f-9824-7b1e-a0d2-55e9241b6c1e",
    "{01a1f90f-9824-7b1e-a0d2-55e9241b6c1}", " 1a1f90f-9824-7b1e-a0d2-55e9241b6c1e",
  ])
  func otherTextsAreRefused(_ text: String) { #expect(SessionID(text) == nil) }

  @Test func otherLengthsAreRefused() {
    #expect(SessionID(bytes: []) == nil && SessionID(bytes: Array(repeating: 0, count: 17)) == nil)
    #expect(SessionID(hexDigits: "+0000000000000000000000000000001") == nil)
    #expect(SessionID(hexDigits: String(repeating: "٣", count: 16)) == nil)
  }
}
