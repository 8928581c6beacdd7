import LoadLogCore
import LoadLogJSON

/// Reads JSON documents of one format, one or several in a row.
///
/// This is part of an importer and not one itself: a call through a protocol reaches a generic type unspecialised, which
/// is many times slower.
struct JSONDocuments<Handler: RecordHandler>: Sendable {
  private var tokenizer = JSONTokenizer()
  private var reader: JSONRecordReader<Handler>
  private(set) var isFaulty = false
  private(set) var bytesRead = 0
  /// The fault of a file without the part that the format requires.
  private let lacking: String
  /// Whether a document that is a list may end without its bracket.
  private let mayStayOpen: Bool

  var handler: Handler { reader.handler }

  init(_ handler: Handler, lacking: String, mayStayOpen: Bool = false) {
    reader = JSONRecordReader(handler)
    self.lacking = lacking
    self.mayStayOpen = mayStayOpen
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer, into items: inout [ImportedItem]) {
    bytesRead += bytes.count
    guard !isFaulty else { return }
    var fault: ImportFault?
    do throws(JSONFault) {
      try tokenizer.read(bytes.assumingMemoryBound(to: UInt8.self), into: &reader)
    } catch {
      fault = ImportFault(error)
    }
    reader.give(to: &items)
    if let fault = fault ?? reader.failure { fail(fault, &items) }
  }

  mutating func finish(into items: inout [ImportedItem]) {
    if !isFaulty {
      do throws(JSONFault) {
        if !(mayStayOpen && tokenizer.isBetweenElements) { try tokenizer.finish(into: &reader) }
        guard bytesRead > 0 else { throw JSONFault(at: .start, "the file is empty") }
        guard reader.hasRequired else { throw JSONFault(at: tokenizer.position, lacking) }
      } catch {
        fail(ImportFault(error), &items)
      }
    }
    reader.handler.finish(at: FilePosition(tokenizer.position))
    reader.give(to: &items)
  }

  private mutating func fail(_ fault: ImportFault, _ items: inout [ImportedItem]) {
    items.append(.fault(fault))
    isFaulty = true
  }
}
