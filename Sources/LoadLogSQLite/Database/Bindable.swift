import GRDBSQLite
import LoadLogCore

/// A value that a parameter of a statement can have.
protocol Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer)
}

extension Int64: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    sqlite3_bind_int64(statement, parameter, self)
  }
}

extension Int: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    Int64(self).bind(to: parameter, of: statement)
  }
}

/// It is 1 or 0.
extension Bool: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    (self ? 1 : 0).bind(to: parameter, of: statement)
  }
}

/// Its length is bound, too, so that a NUL character does not end it.
extension String: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    var text = self
    text.withUTF8 { bytes in
      _ = sqlite3_bind_text64(
        statement, parameter, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
        sqlite3_uint64(bytes.count), copied, UInt8(SQLITE_UTF8))
    }
  }
}

/// It is a blob.
extension [UInt8]: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    withUnsafeBytes { bytes in
      _ = sqlite3_bind_blob64(statement, parameter, bytes.baseAddress, sqlite3_uint64(bytes.count), copied)
    }
  }
}

/// It is a blob of 16 bytes.
extension SessionID: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    withBytes { bytes in
      _ = sqlite3_bind_blob64(statement, parameter, bytes.baseAddress, sqlite3_uint64(bytes.count), copied)
    }
  }
}

/// Nil is NULL.
extension Optional: Bindable where Wrapped: Bindable {
  func bind(to parameter: Int32, of statement: OpaquePointer) {
    guard let value = self else {
      sqlite3_bind_null(statement, parameter)
      return
    }
    value.bind(to: parameter, of: statement)
  }
}

/// SQLITE_TRANSIENT: SQLite takes a copy.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
