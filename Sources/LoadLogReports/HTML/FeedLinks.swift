import Foundation
import LoadLogCore

/// Where the names of feeds lead: to their charts on the same page, or to a page of a server.
struct FeedLinks {
  /// Whether a server has a page for each feed.
  let isLive: Bool
  private let anchors: [Feed: String]

  init(_ contents: ReportContents, isLive: Bool) {
    self.isLive = isLive
    anchors = isLive ? [:] : ChartedSection.anchors(contents)
  }

  /// The address of more about a feed; nil if there is none.
  func target(_ feed: Feed) -> String? {
    guard isLive else { return anchors[feed].map { "#\($0)" } }
    // In an address these mean a folder, even with their dots escaped.
    guard feed.name != ".", feed.name != ".." else { return nil }
    return feed.name.addingPercentEncoding(withAllowedCharacters: Self.plain).map { "/feeds/\($0)" }
  }

  /// What needs no escape in a part of a path.
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~")
}
