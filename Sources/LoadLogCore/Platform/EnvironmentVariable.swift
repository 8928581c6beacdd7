import LoadLogLibC

/// Reads one environment variable without making a dictionary of all of them.
package enum EnvironmentVariable {
  /// The value of a variable, repaired where it is not UTF-8; nil if it is not set.
  ///
  /// Callable on any thread, but not while another one calls setenv(3).
  package static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Whether the value of a variable is not UTF-8. Swift would repair it, and two different names could become equal.
  package static func isGarbled(_ name: String) -> Bool {
    getenv(name).map { String(validatingCString: $0) == nil } ?? false
  }
}
