import ArgumentParser
import Foundation
import LoadLog
import LoadLogCore
import LoadLogReports

/// `output`: prints what the command of a load wrote.
struct OutputVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "output",
    abstract: "Print the end of what the command of a load wrote.",
    discussion: """
      loadlog run --keep-output keeps it: standard output and standard error, in the order in which they came. A pipe or \
      file gets the bytes as they are; on a terminal control characters are shown, not obeyed.

      With --follow it prints what a running command writes, about once per second, until the load has ended.

      Example:

        loadlog output 41b6c1e | tail -n 20
        loadlog output 41b6c1e --follow
      """)

  @Argument(help: ArgumentHelp("The load's id, or its last digits.", valueName: "id"))
  var id: String

  @Flag(name: .shortAndLong, help: "Print what the command writes until the load has ended.")
  var follow = false

  @OptionGroup var store: StoreOptions

  func run() throws {
    let reader = try store.reader()
    var load = try reader.load(matching: IDTail(id))
    let isTerminal = Terminal().isTerminal
    var printed: Int64 = 0
    while true {
      let output = try reader.output(of: load.id)
      let isRunning = load.shownState == .running || load.shownState == .unknown
      guard let output else { throw nothing(of: load) }
      let bytes = output.bytes.suffix(Int(clamping: output.total - printed))
      // A terminal gets whole characters and ends of lines: the rest may come next.
      let waiting = isTerminal && follow && isRunning ? Self.unfinished(bytes) : 0
      if let missing = missing(output, after: printed) { Output.note(missing) }
      try print(bytes.dropLast(waiting), isTerminal: isTerminal)
      printed = output.total - Int64(waiting)
      guard follow, isRunning else { return }
      poll(nil, 0, Self.pause)
      // The state first: what the command writes before its end is in the store by then.
      load = try reader.load(matching: IDTail(load.id.description))
    }
  }

  /// Milliseconds between two checks of a load that is followed.
  private static let pause: Int32 = 500

  /// How many bytes at the end begin a character in UTF-8 whose rest is missing, or maybe the end of a line.
  private static func unfinished(_ bytes: ArraySlice<UInt8>) -> Int {
    if bytes.last == UInt8(ascii: "\r") { return 1 }
    // No character has more than four bytes, of which only the first is not 10xxxxxx: it begins with a 1 for each byte.
    guard let first = bytes.suffix(3).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
    let present = bytes.endIndex - first
    return (~bytes[first]).leadingZeroBitCount > present ? present : 0
  }

  private func print(_ bytes: ArraySlice<UInt8>, isTerminal: Bool) throws {
    guard isTerminal else { return try Output.write(bytes: Array(bytes)) }
    try Output.write(KeptOutput.lines(of: bytes).map(VisibleText.line).joined(separator: "\n"))
  }

  /// "3.2 MB before this were not kept"; nil if nothing is missing between what was printed and what was kept.
  private func missing(_ output: KeptOutput, after printed: Int64) -> String? {
    let missing = output.missing - printed
    guard missing > 0, !store.quiet else { return nil }
    return "\(ByteText.text(missing)) before this were not kept"
  }

  private func nothing(of load: LoadingSession) -> LoadLogError {
    LoadLogError(
      .notFound, what: "output of load", value: load.id.tail, why: "none was kept",
      advice: "loadlog run --keep-output keeps it.")
  }
}
