/// Finds the name of this process's time zone, which stays right when clocks change.
package enum LocalZoneName {
  /// The name, such as `Europe/Berlin`: that of `$TZ`, or else of the machine; `UTC` if there is none.
  ///
  /// `$TZ` can also hold rules instead of a name, such as `CET-1CEST`, which is returned as it is.
  package static var current: String {
    if let own = EnvironmentVariable.value("TZ") {
      let name = own.hasPrefix(":") ? String(own.dropFirst()) : own
      return name.isEmpty ? "UTC" : zone(in: name) ?? name
    }
    let link = SystemFile.link("/etc/localtime").flatMap(zone)
    let line = SystemFile.line("/etc/timezone")
    return [link, line].compactMap(\.self).first { !$0.isEmpty } ?? "UTC"
  }

  /// The zone of a path such as `/usr/share/zoneinfo/Europe/Berlin`; nil if it is no such path.
  private static func zone(in path: String) -> String? {
    guard let folder = path.firstRange(of: "zoneinfo/") else { return nil }
    return String(path[folder.upperBound...])
  }
}
