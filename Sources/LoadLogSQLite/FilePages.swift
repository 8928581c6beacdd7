package import GRDB
import GRDBSQLite

/// Pages as the file of a database has them, whatever its write-ahead log holds, read through a connection that is open:
/// another one would parse the schema first, a fifth of all that a `loadlog start` does.
///
/// Knows as much of SQLite's file format as it takes to find the last row of a table
/// (https://www.sqlite.org/fileformat2.html, 1.3.2, 1.3.4, 1.6, and 2.1 for what a number looks like). While somebody
/// writes, what it says may be torn.
package struct FilePages {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let pageSize: Int
  /// Of each page; the rest is not SQLite's.
  private let usableSize: Int

  private static let interiorOfTable: UInt8 = 5, leafOfTable: UInt8 = 13
  /// Of a table with 2^63 rows.
  private static let deepest = 20

  /// A row as it lies in a page.
  package struct Cell {
    package let row: Int64
    package let payload: ArraySlice<UInt8>

    /// Whether these bytes are in it in this order.
    package func holds(_ bytes: [UInt8]) -> Bool {
      payload.indices.dropLast(bytes.count - 1).contains { payload[$0...].starts(with: bytes) }
    }
  }

  /// What is at the end of a table.
  package enum LastRow {
    case empty
    case row(Cell)
    /// It is not whole in its page, or something is amiss.
    case unknown
  }

  /// Nil if the file has no header that can be read.
  package init?(_ database: Database) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let header = Self.read(file, at: 0, count: 100)
    else { return nil }
    self.file = file
    // 65,536 does not fit and is written as 1.
    let size = Self.number(header[16..<18])
    pageSize = size == 1 ? 1 << 16 : size
    usableSize = pageSize - Int(header[20])
    guard pageSize >= 512, usableSize >= 480 else { return nil }
  }

  /// The row of a table with the greatest number.
  package func lastRow(ofTableAt root: Int64) -> LastRow {
    var next = root
    for _ in 0..<Self.deepest {
      guard next > 0, next <= Int32.max,
        let page = Self.read(file, at: (next - 1) * Int64(pageSize), count: pageSize)
      else { return .unknown }
      // The first page begins with the file's header.
      let header = page[(next == 1 ? 100 : 0)...]
      let start = header.startIndex
      switch header[start] {
      case Self.interiorOfTable: next = Int64(Self.number(header[start + 8..<start + 12]))
      case Self.leafOfTable:
        let count = Self.number(header[start + 3..<start + 5])
        // Only a table's one page may be empty.
        guard count > 0 else { return next == root ? .empty : .unknown }
        let place = start + 8 + 2 * (count - 1)
        guard place + 2 <= usableSize,
          let cell = cell(page[..<usableSize].dropFirst(Self.number(page[place..<place + 2])))
        else { return .unknown }
        return .row(cell)
      default: return .unknown
      }
    }
    return .unknown
  }

  private func cell(_ bytes: ArraySlice<UInt8>) -> Cell? {
    var rest = bytes
    guard let size = Self.varint(&rest), let row = Self.varint(&rest), size <= usableSize - 35,
      size <= rest.count
    else { return nil }
    return Cell(row: Int64(bitPattern: row), payload: rest.prefix(Int(size)))
  }

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, at offset: Int64, count: Int
  ) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let code = file.pointee.pMethods?.pointee.xRead?(file, &bytes, Int32(count), offset)
    return code == SQLITE_OK ? bytes : nil
  }

  /// Of several bytes, the most significant first.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// Seven bits a byte, the most significant first, the eighth set if more follow; all eight of a ninth byte.
  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard let byte = bytes.popFirst() else { return nil }
      if index == 8 { return value << 8 | UInt64(byte) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
