/// The version of LoadLog.
package enum LoadLogVersion {
  /// The version of this package, by Semantic Versioning.
  package static let current = "0.1.0"
}
