#if Fleet
  import LoadLogSQLite

  extension ShippedTable {
    /// The statement that writes rows of a host: `$1` is the host's id, and each other value is the array of a column.
    var upsert: String {
      let names = columns.map(\.name)
      let arrays = columns.enumerated().map { "$\($0 + 2)::\($1.kind.rawValue)[]" }
      let keys = columns.filter(\.isKey).map(\.name)
      let updates = columns.filter { !$0.isKey }.map { "\($0.name) = excluded.\($0.name)" }
      return """
        INSERT INTO \(rawValue) (host, \(names.joined(separator: ", ")))
        SELECT $1::UUID, \(names.joined(separator: ", "))
        FROM unnest(\(arrays.joined(separator: ", "))) AS shipped (\(names.joined(separator: ", ")))
        ON CONFLICT (host, \(keys.joined(separator: ", "))) DO UPDATE SET \(updates.joined(separator: ", "))
        """
    }
  }
#endif
