import LoadLogLibC

/// One variable of the environment, read without making a dictionary of all of them.
package enum EnvironmentVariable {
  /// Its value, repaired where it is not UTF-8; nil if it is not set.
  ///
  /// Callable on any thread, but not while another one calls setenv(3).
  package static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Whether its value is not UTF-8: Swift would repair it, and two names become one.
  package static func isGarbled(_ name: String) -> Bool {
    getenv(name).map { String(validatingCString: $0) == nil } ?? false
  }
}
