import LoadLogCore

/// Reads JSON documents of one format, one or several in a row.
///
/// It is no importer itself but part of one: calls through a protocol reach a generic type only unspecialised, which is
/// many times slower.
struct JSONDocuments<Handler: JSONRecordHandler>: Sendable {
  private var tokenizer = JSONTokenizer()
  private var reader: JSONRecordReader<Handler>
  private(set) var isFaulty = false
  private(set) var bytesRead = 0
  /// What a file of another format lacks, in words.
  private let lacking: String
  /// A document that is a list may end without its bracket.
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
    do throws(ImportFault) {
      try tokenizer.read(bytes.assumingMemoryBound(to: UInt8.self), into: &reader)
      if let fault = reader.fault { throw fault }
    } catch {
      reader.give(to: &items)
      fail(error, &items)
    }
    reader.give(to: &items)
  }

  mutating func finish(into items: inout [ImportedItem]) {
    if !isFaulty {
      do throws(ImportFault) {
        if !(mayStayOpen && tokenizer.isBetweenElements) { try tokenizer.finish(into: &reader) }
        guard bytesRead > 0 else { throw ImportFault(at: .start, "the file is empty") }
        guard reader.hasRequired else { throw ImportFault(at: tokenizer.position, lacking) }
      } catch {
        fail(error, &items)
      }
    }
    reader.handler.finish(at: tokenizer.position)
    reader.give(to: &items)
  }

  private mutating func fail(_ fault: ImportFault, _ items: inout [ImportedItem]) {
    items.append(.fault(fault))
    isFaulty = true
  }
}
