#if Fleet
  import LoadLogCore
  import LoadLogSQLite

  /// Arrays as PostgreSQL reads them: `{1,NULL,"two, \"three\""}`.
  enum PostgresArray {
    static func text(_ numbers: [Int64]) -> String {
      "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }

    static func text(_ ids: some Sequence<SessionID>) -> String {
      text(of: ids.map { [.uuid($0)] }[...], column: 0)
    }

    static func text(_ texts: some Sequence<String>) -> String {
      text(of: texts.map { [.text($0)] }[...], column: 0)
    }

    /// The array of a column's values in rows.
    static func text(of rows: ArraySlice<[ShippedValue]>, column: Int) -> String {
      // A character at a time would take longer than reading the rows.
      var array = Array("{".utf8)
      for row in rows {
        if array.count > 1 { array.append(UInt8(ascii: ",")) }
        append(row[column], to: &array)
      }
      array.append(UInt8(ascii: "}"))
      return String(decoding: array, as: UTF8.self)
    }

    private static func append(_ value: ShippedValue, to array: inout [UInt8]) {
      switch value {
      case .null: array += "NULL".utf8
      case .integer(let number): array += String(number).utf8
      case .uuid(let id): array += id.description.utf8
      case .text(let text): append(quoted: text, to: &array)
      case .bytes(let bytes):
        array += #""\\x"#.utf8
        PostgresBytes.append(hexadecimal: bytes, to: &array)
        array.append(UInt8(ascii: "\""))
      }
    }

    private static func append(quoted text: String, to array: inout [UInt8]) {
      array.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { array.append(UInt8(ascii: "\\")) }
        array.append(byte)
      }
      array.append(UInt8(ascii: "\""))
    }
  }
#endif
