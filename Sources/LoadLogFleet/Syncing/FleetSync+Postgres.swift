#if Fleet
  public import Foundation
  public import LoadLogCore
  import LoadLogSQLite

  extension FleetSync {
    /// Which loads are shipped as rows. Dates, counts, call sites, expectations and flips always are.
    public enum Loads: String, Sendable {
      /// Every load.
      case all
      /// Loads that run, failed, or are unbalanced.
      case unusual
      /// No loads.
      case none
    }

    /// What a store ships. What is nil stays as the store remembers it from its last sync.
    public struct Options: Sendable {
      /// The name of the host; at first that of the machine.
      public var name: String?
      /// Which loads are shipped as rows; at first ``FleetSync/Loads/unusual``.
      public var loads: Loads?
      /// Whether messages of loads are shipped; at first they are not.
      public var shipsMessages: Bool?
      /// For how long the host counts as alive after a round; nil for ``FleetSync/defaultLease``, or three times the
      /// interval of ``FleetSync/run(every:onRound:)`` if that is more. It must be longer than that interval.
      public var lease: Duration?
      /// Whether the address may lead over the network without a proof of the server's name.
      public var allowsInsecureTransport = false

      /// Creates options that keep what the store remembers.
      public init() {}
    }

    /// Creates a sync for a store, which must exist when the first round begins. Nothing is connected yet.
    ///
    /// - Parameters:
    ///   - url: the store's file.
    ///   - address: a PostgreSQL URL without a password, such as
    ///     `postgresql://writer@db.example.org/loadlog?sslrootcert=/etc/ssl/ca.pem`; nil for `$LOADLOG_FLEET`, or the file
    ///     `loadlog/fleet` in `$XDG_CONFIG_HOME` or `~/.config`.
    ///   - options: what is shipped.
    /// - Throws: `invalidInput` or `fleetUnusable` if the address is malformed, missing, or not safe; `storeUnusable`
    ///   for a URL that is not a file URL.
    public convenience init(
      storeAt url: URL, to address: String? = nil, options: Options = Options()
    ) throws(LoadLogError) {
      let address = try FleetAddress.find(address, allowsInsecureTransport: options.allowsInsecureTransport)
      var settings = StoreOutbox.Settings()
      settings.name = options.name
      settings.loads = options.loads.flatMap { ShippedLoads(rawValue: $0.rawValue) }
      settings.withMessages = options.shipsMessages
      self.init(storeAt: try GivenPath.path(of: url), settings: settings, lease: options.lease) {
        PostgresDestination(address)
      }
    }
  }
#endif
