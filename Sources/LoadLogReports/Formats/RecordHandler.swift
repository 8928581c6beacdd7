import LoadLogCore
import LoadLogJSON

/// Makes loads of a format's records.
protocol RecordHandler: JSONRecordHandler where Failure == ImportFault {
  /// What was found since they were last taken.
  var items: [ImportedItem] { get set }
  /// Rejects a record.
  mutating func reject(_ fault: ImportFault)
  /// Ends the file, which was read up to a position, with or without a fault.
  mutating func finish(at position: FilePosition)
}

extension RecordHandler {
  mutating func reject(_ fault: ImportFault) { items.append(.rejected(fault)) }
  mutating func reject(_ fault: JSONFault) { reject(ImportFault(fault)) }
  mutating func finish(at position: FilePosition) {}
}

extension JSONRecordReader where Handler: RecordHandler {
  /// Moves what was found to the end of a list.
  mutating func give(to items: inout [ImportedItem]) {
    if items.isEmpty {
      swap(&items, &handler.items)
    } else {
      items += handler.items
      handler.items.removeAll(keepingCapacity: true)
    }
  }
}

extension FilePosition {
  init(_ position: JSONPosition) {
    self.init(offset: position.offset, line: position.line, column: position.column)
  }
}

extension ImportFault {
  init(_ fault: JSONFault) { self.init(at: FilePosition(fault.position), fault.cause) }
}
