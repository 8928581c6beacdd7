#if Fleet
  import LoadLogCore
  import LoadLogSQLite

  /// Arrays as PostgreSQL reads them: `{1,NULL,"two, \"three\""}`.
  enum PostgresArray {
    static func text(_ numbers: [Int64]) -> String {
      "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }

    /// The array of a column's values in rows.
    static func text(of rows: ArraySlice<[ShippedValue]>, column: Int) -> String {
      var array = "{"
      for row in rows {
        if array.utf8.count > 1 { array += "," }
        append(row[column], to: &array)
      }
      return array + "}"
    }

    private static func append(_ value: ShippedValue, to array: inout String) {
      switch value {
      case .null: array += "NULL"
      case .integer(let number): array += String(number)
      case .uuid(let id): array += id.description
      case .text(let text): append(quoted: text, to: &array)
      case .bytes(let bytes): append(quoted: "\\x\(PostgresBytes.hexadecimal(bytes))", to: &array)
      }
    }

    private static func append(quoted text: String, to array: inout String) {
      array += "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\":
          array += "\\"
          array.unicodeScalars.append(scalar)
        default: array.unicodeScalars.append(scalar)
        }
      }
      array += "\""
    }
  }
#endif
