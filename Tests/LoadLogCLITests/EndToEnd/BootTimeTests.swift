import Foundation
import Testing

/// Boot clocks after a suspend, and boot clocks of other time namespaces.
@Suite struct BootTimeTests {
  private let place: Place

  init() throws { place = try Place() }

  /// While a machine is suspended, the wall clock and the boot clock continue, and the monotonic clock stops.
  @Test(.enabled("needs a C compiler and a preloading linker") { MovedClocks.canBe })
  func aSuspendCountsAndIsNoJumpOfTheClock() throws {
    let clocks = try MovedClocks(place)
    let id = try place.begin("f")
    try clocks.move(wall: 8 * 3600, boot: 8 * 3600)
    #expect(try place.loadlog("finish", id).code == 0)
    let load = try place.ask("history", "f")["loads"][0]
    #expect(try #require(load["duration"].number) >= 8 * 3600)
    #expect(load["duration_source"].text == "boot")
    #expect(load["clock_jump"].isNull)
  }

  /// The first namespace is gone when the second is made, which may get its inode.
  @Test(.enabled("no right to make time namespaces here (needs root)") { Root.canUnshareTime })
  func clocksOfTwoTimeNamespacesAreNotCompared() throws {
    let begun = try place.shell("unshare --time --boottime 100000 loadlog start f --detached")
    let id = begun.output.trimmingCharacters(in: .newlines)
    #expect(try place.shell("unshare --time --boottime 900000 loadlog finish \(id)").code == 0)
    let load = try place.ask("history", "f")["loads"][0]
    #expect(load["duration_source"].text == "wall")
    #expect(try #require(load["duration"].number) < 3600)
  }
}
