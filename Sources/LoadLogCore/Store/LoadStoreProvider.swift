/// Opens stores of one kind at one place.
public struct LoadStoreProvider: Sendable {
  /// Opens the store for one owner; may be called again after a failure.
  public typealias Opener = @Sendable () throws(LoadLogError) -> any LoadStore

  /// The store's file, for errors; nil if it has none.
  package let path: String?
  package let opener: @Sendable (Owner, LoadInstant) -> Opener

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - path: the store's file, to be named by errors; nil if it has none.
  ///   - opener: given an owner and the time at which it begins, gives what opens the store for it.
  public init(path: String? = nil, opener: @escaping @Sendable (Owner, LoadInstant) -> Opener) {
    self.path = path
    self.opener = opener
  }
}
