/// A record that can be asked whether it has changed.
package protocol FollowedReading: LoadReading {
  /// A number that changes with every change that others make to the record. Only numbers of the same reader compare.
  func dataVersion() throws(LoadLogError) -> Int64
  /// The size of the record on this machine's disk, in bytes; nil if it is not there, which is the default.
  var bytesOnDisk: Int64? { get }
  /// How its feeds are listed, as advice about an unknown one. By default as those of this machine's store.
  var listsFeeds: String { get }
  /// What is said if it has no row of a load; nil, the default, if each recorded load has one.
  var noSuchLoad: (why: String, advice: String)? { get }
}

extension FollowedReading {
  package var bytesOnDisk: Int64? { nil }
  package var listsFeeds: String { "List the feeds with loadlog status." }
  package var noSuchLoad: (why: String, advice: String)? { nil }
}
