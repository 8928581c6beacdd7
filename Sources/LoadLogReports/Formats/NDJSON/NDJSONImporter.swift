import LoadLogCore
import LoadLogJSON
import LoadLogLibC

/// Importer of LoadLog's own format. An invalid line is rejected, and reading continues with the next one. Lines with
/// events of a later version are skipped and counted.
struct NDJSONImporter: LoadImporter {
  private var tokenizer = JSONTokenizer()
  private var reader = JSONRecordReader(NDJSONHandler())
  /// Whether the rest of the line is skipped because the line was rejected.
  private var isSkipping = false
  /// Whether the file ended inside a line.
  private(set) var isFaulty = false
  private(set) var bytesRead = 0

  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem]) {
    bytesRead += bytes.count
    var rest = bytes.assumingMemoryBound(to: UInt8.self)[...]
    while let start = rest.baseAddress(in: bytes) {
      let end = memchr(start, 0x0A, rest.count).map { bytes.offset(of: $0) }
      read(piece: UnsafeBufferPointer(rebasing: rest[..<(end ?? rest.endIndex)]))
      guard let end else { break }
      endLine()
      rest = rest[(end + 1)...]
    }
    reader.give(to: &items)
  }

  mutating func finish(into items: inout [ImportedItem]) {
    do throws(JSONFault) {
      if !isSkipping { try tokenizer.finish(into: &reader) }
      if bytesRead == 0 { throw JSONFault(at: .start, "the file is empty") }
    } catch {
      reader.give(to: &items)
      items.append(.fault(ImportFault(error)))
      isFaulty = true
    }
    reader.give(to: &items)
    if let skipped = reader.handler.skipped { items.append(skipped) }
    if reader.handler.ignored.count > 0 { items.append(.ignored(reader.handler.ignored)) }
  }

  private mutating func read(piece: UnsafeBufferPointer<UInt8>) {
    do throws(JSONFault) {
      if isSkipping {
        tokenizer.skip(piece.count)
      } else {
        try tokenizer.read(piece, into: &reader)
      }
    } catch {
      reject(error)
      tokenizer.skip(piece.count)
    }
  }

  private mutating func endLine() {
    if !isSkipping {
      do throws(JSONFault) {
        try tokenizer.finish(into: &reader)
      } catch {
        reject(error)
      }
    }
    tokenizer.skipLineEnd()
    isSkipping = false
  }

  private mutating func reject(_ fault: JSONFault) {
    reader.handler.reject(fault)
    reader.reset()
    isSkipping = true
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  fileprivate func baseAddress(in bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    isEmpty ? nil : bytes.baseAddress.map { $0 + startIndex }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func offset(of pointer: UnsafeMutableRawPointer) -> Int {
    baseAddress.map { UnsafeRawPointer(pointer) - $0 } ?? 0
  }
}

/// Builds record lines from objects.
struct NDJSONHandler: RecordHandler {
  static let plan = JSONPlan(
    .record(
      0,
      JSONShape.Members(
        RecordField.allCases.map { field in
          let isList = field == .succeededBuckets || field == .otherBuckets
          return (key: field.name, shape: isList ? .list(field) : .field(field))
        })))

  var items: [ImportedItem] = []
  private var feeds = FeedPool()
  /// Number of the last rejected line, so that no line is rejected twice.
  private var rejectedLine = 0
  /// Unknown keys of the accepted lines, and those of the line being read.
  private(set) var ignored = IgnoredKeys()
  private var pendingKeys = IgnoredKeys()
  /// Unknown events of skipped lines, counted like keys.
  private var unknownEvents = IgnoredKeys()

  mutating func begin(_ kind: Int) { pendingKeys = IgnoredKeys() }

  mutating func ignore(key: UnsafeBufferPointer<UInt8>) {
    pendingKeys.add(Self.cut(String(decoding: key, as: UTF8.self)))
  }

  /// Cuts the name of an unknown key or event, which may be long.
  private static func cut(_ name: String) -> String { String(name.prefix(40)) }

  /// Lines whose events this version does not know; nil if there are none.
  var skipped: ImportedItem? {
    guard unknownEvents.count > 0 else { return nil }
    let names = unknownEvents.names + (unknownEvents.hasMoreNames ? ["others"] : [])
    return .skipped(
      cause: "lines with unknown events (\(names.joined(separator: ", ")))", count: unknownEvents.count)
  }

  mutating func end(_ kind: Int, _ record: JSONRecord) {
    do throws(ImportFault) {
      guard let line = try RecordLine(record, feeds: &feeds) else {
        return unknownEvents.add(Self.cut(record.string(RecordField.event) ?? ""))
      }
      if pendingKeys.count > 0 { ignored.merge(pendingKeys) }
      items.append(
        .line(PositionedLine(line: line, identity: identity(of: line, record), position: record.filePosition))
      )
    } catch {
      var fault = error
      if record.string(RecordField.event) == "start" { fault.start = try? record.id(.id) }
      reject(fault)
    }
  }

  mutating func reject(_ fault: ImportFault) {
    guard fault.position.line != rejectedLine else { return }
    rejectedLine = fault.position.line
    items.append(.rejected(fault))
  }

  private func identity(of line: RecordLine, _ record: JSONRecord) -> LoadIdentity? {
    switch line {
    case .start(let start):
      if let id = start.id { return .id(id) }
    case .unmatched(let unmatched): return .id(unmatched.id)
    case .push, .pop: break
    case .finish, .reset, .owner, .feed, .acknowledged, .expectation, .flip, .output, .sealedDay: return nil
    }
    return .fields(
      record.hash(
        .ndjson,
        [RecordField.event, .at, .feed, .id, .message, .tag, .callSite, .verdict, .reason, .owner]))
  }
}
