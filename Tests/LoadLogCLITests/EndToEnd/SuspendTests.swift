import Testing

/// A machine that was suspended while something was loaded: the wall clock and the boot clock went on, the
/// monotonic clock stood still.
@Suite(.enabled("needs a C compiler and a preloading linker") { MovedClocks.canBe })
struct SuspendTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func aSuspendCountsAndIsNoJumpOfTheClock() throws {
    let clocks = try MovedClocks(place)
    let id = try place.begin("f")
    try clocks.move(wall: 8 * 3600, boot: 8 * 3600)
    #expect(try place.loadlog("finish", id).code == 0)
    let load = try place.ask("history", "f")["loads"][0]
    #expect(try #require(load["duration"].number) >= 8 * 3600)
    #expect(load["duration_source"].text == "boot")
    #expect(load["clock_jump"].isNull)
  }
}
