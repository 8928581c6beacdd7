import Foundation
import Testing

/// Changes the clocks of the programs of a place, by a library that is preloaded into them.
struct MovedClocks {
  private let offsets: URL

  /// Whether a C compiler and a linker that preloads libraries are available.
  static var canBe: Bool { Place.has("cc") && Place.hasProc }

  init(_ place: Place) throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Torture/shims/clocks.c").standardizedFileURL.path
    let library = place.folder.path + "/clocks.so"
    try #require(place.shell("cc -shared -fPIC -o \(library) \(source)").code == 0)
    offsets = place.folder.appending(path: "clock-offsets")
    place.environment["LD_PRELOAD"] = library
    place.environment["CLOCK_OFFSETS"] = offsets.path
    try Data(count: 16).write(to: offsets)
  }

  /// Makes the boot clock advance by this many milliseconds at each reading, in programs that start from now on.
  func hurry(_ place: Place, milliseconds: Int) { place.environment["CLOCK_HURRY"] = "\(milliseconds)000000" }

  /// Moves the clocks of the programs, by seconds from the true time.
  func move(wall: Int = 0, boot: Int = 0) throws {
    let numbers = [wall, boot].map { Int64($0) * 1_000_000_000 }
    // They have mapped the file, and would die if it were shorter even for a moment.
    let file = try FileHandle(forUpdating: offsets)
    try file.write(contentsOf: numbers.withUnsafeBytes { Data($0) })
    try file.close()
  }
}
