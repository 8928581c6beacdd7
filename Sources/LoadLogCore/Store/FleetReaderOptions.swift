/// Which hosts questions to a fleet are about, how their feeds are named, and how long an answer may take.
package struct FleetReaderOptions: Sendable, Hashable {
  /// Patterns, one of which must match the name of a host. Empty for all hosts that are not retired; a retired host
  /// must be named in full, and no host in use may have its name. Of several retired ones the last to sync answers.
  package var hosts: [FeedPattern]
  /// Whether feeds are named `HOST/FEED`. Otherwise feeds of the same name are one feed.
  package var byHost: Bool
  /// How long the database may take for a question, but not for an export; nil for the usual time for each statement.
  /// Connecting is a part of it, but a host that does not answer is given up only after 2 s, or after this time if it
  /// is longer. A connection that took all of the time is kept for the next question.
  package var deadline: Duration?

  /// Creates options; by default all hosts, whose feeds are added up.
  package init(hosts: [FeedPattern] = [], byHost: Bool = false, deadline: Duration? = nil) {
    self.hosts = hosts
    self.byHost = byHost
    self.deadline = deadline
  }
}
