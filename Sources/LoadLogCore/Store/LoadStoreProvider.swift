/// Opens stores of one kind at one place.
///
/// A provider can wrap another one, for instance to count what a store is asked:
///
///     let provider = LoadStoreProvider.sqlite(at: url).wrapping { CountingStore($0) }
public struct LoadStoreProvider: Sendable {
  /// Opens the store for one owner; called again after a failure.
  public typealias Opener = @Sendable () throws(LoadLogError) -> any LoadStore

  /// The store's file, for errors; nil if it has none.
  public let path: String?
  /// Given an owner and the time at which it begins, returns what opens the store for it.
  public let opener: @Sendable (Owner, LoadInstant) -> Opener

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - path: the store's file, for errors; nil if it has none.
  ///   - opener: given an owner and the time at which it begins, returns what opens the store for it.
  public init(path: String? = nil, opener: @escaping @Sendable (Owner, LoadInstant) -> Opener) {
    self.path = path
    self.opener = opener
  }

  /// A provider of this one's stores, each in a wrapper.
  ///
  /// - Parameter wrap: called each time that a store was opened; what it returns is used in the store's place.
  public func wrapping(
    _ wrap: @escaping @Sendable (any LoadStore) throws(LoadLogError) -> any LoadStore
  ) -> LoadStoreProvider {
    LoadStoreProvider(path: path) { [opener] owner, opened in
      let open = opener(owner, opened)
      return { () throws(LoadLogError) in try wrap(try open()) }
    }
  }
}
