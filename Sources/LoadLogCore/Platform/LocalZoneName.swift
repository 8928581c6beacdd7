/// Finds the name of this process's time zone, which stays right when clocks change.
package enum LocalZoneName {
  /// The name, such as `Europe/Berlin`: that of `$TZ`, or else of the machine; `UTC` if there is none.
  ///
  /// `$TZ` can also hold rules instead of a name, such as `CET-1CEST`, which is returned as it is.
  package static var current: String {
    if let own = EnvironmentVariable.value("TZ") {
      let name = own.hasPrefix(":") ? String(own.dropFirst()) : own
      if name != file { return name.isEmpty ? "UTC" : zone(in: name) ?? name }
    }
    let link = SystemFile.link(file).flatMap(zone)
    let line = SystemFile.line("/etc/timezone")
    return [link, line].compactMap(\.self).first { !$0.isEmpty } ?? "UTC"
  }

  /// The rules of the machine's time zone: a link to those of its name. `$TZ` may name it, too.
  private static let file = "/etc/localtime"

  /// The zone of a path such as `/usr/share/zoneinfo/Europe/Berlin`; nil if it is no such path.
  private static func zone(in path: String) -> String? {
    guard let folder = path.firstRange(of: "zoneinfo/") else { return nil }
    return String(path[folder.upperBound...])
  }
}
