/// Opens stores of one kind at one place.
public struct LoadStoreProvider: Sendable {
  /// Opens the store for one owner; may be called again after a failure.
  public typealias Opener = @Sendable () throws(LoadLogError) -> any LoadStore

  package let opener: @Sendable (Owner, LoadInstant) -> Opener

  /// Makes a provider.
  ///
  /// - Parameter opener: given an owner and the time at which it begins, gives what opens the store for it.
  public init(opener: @escaping @Sendable (Owner, LoadInstant) -> Opener) { self.opener = opener }
}
