/// Values for the page's template. All texts are plain; the template escapes them.
struct PageModel {
  /// Symbol, style class and word that express the same status.
  struct Status {
    let style: String
    let glyph: String
    let word: String
  }

  /// Name of a feed, and the address of more about it, if there is any.
  struct Link {
    let name: String
    let target: String?
  }

  /// Number of feeds with a status.
  struct Badge {
    let status: Status
    let count: String
  }

  /// Imbalances by call site.
  struct Unbalanced {
    struct Row {
      let count: String
      let kind: String
      let feed: Link
      let callSite: String
      let last: String
    }

    let heading: String
    let rows: [Row]
    let more: String?
  }

  /// Reasons for the marks of feeds.
  struct Attention {
    struct Row {
      let status: Status
      let feed: Link
      let reason: String
      let callSite: String
    }

    let rows: [Row]
    let more: String?
  }

  /// Numbers of feeds by freshness.
  struct FreshnessBar {
    struct Line {
      let style: String
      let word: String
      let count: String
      /// Percentage of all feeds.
      let share: String
      let meaning: String?
    }

    let heading: String
    let lines: [Line]
  }

  /// Table of the feeds in full.
  struct Feeds {
    struct Head {
      let title: String
      let isNumber: Bool
    }

    struct Row {
      let status: Status
      let feed: Link
      let updated: String
      let habit: String?
      let bar: String?
      let barStyle: String
      let now: String
      /// Texts of the numeric columns.
      let numbers: [String]
      let unbalanced: String
      let trend: String?
      let trendWords: String?
    }

    struct Total {
      let now: String
      let numbers: [String]
      let unbalanced: String
    }

    let heading: String
    /// Words for the feeds that are not in the table, if there are any.
    let others: String?
    let isSearchable: Bool
    let isLive: Bool
    let heads: [Head]
    let trendTitle: String
    let rows: [Row]
    let total: Total?
  }

  /// Feeds with their charts.
  struct Charted {
    struct Feed {
      struct Figure {
        let label: String
        let value: String
      }

      struct Point {
        let name: String
        let loads: String
        let failed: String
        let median: String
        let p95: String
      }

      let anchor: String
      let status: Status
      let name: String
      let figures: [Figure]
      let strip: Chart
      /// Texts below the ends of the strip.
      let ends: [String]
      let charts: [Chart]
      let remark: String?
      let failures: Failures?
      /// The charts' numbers; empty if the page does not repeat them.
      let points: [Point]
      let hasPoints: Bool
    }

    struct Failure {
      let time: String
      let reason: String
      let load: String
      let output: Output?
    }

    /// The end of what a command wrote.
    struct Output {
      let heading: String
      let lines: [String]
    }

    struct Failures {
      let heading: String
      let rows: [Failure]
    }

    let lead: String
    let feeds: [Feed]
    let firstHead: String
  }

  /// Short table of feeds without charts.
  struct Others {
    struct Group {
      let badge: Badge
      /// Texts of the columns.
      let rows: [[String]]
    }

    let heading: String
    let heads: [String]
    let groups: [Group]
  }

  /// The newest loads of the page's only feed.
  struct Loads {
    struct Row {
      let started: String
      let took: String
      let status: Status
      let remark: String
      let id: String
    }

    let heading: String
    let rows: [Row]
  }

  /// Words that a server looks for in the names of feeds.
  struct Search {
    let words: String
    /// What was found, if words were given.
    let found: String?
  }

  /// The outages of feeds by month.
  struct Outages {
    /// Texts of the columns.
    let rows: [[String]]
    /// Lines below them.
    let more: [String]
  }

  let style = PageTemplate.style
  let styleDigest = PageTemplate.styleDigest
  let script = PageTemplate.script
  let scriptDigest = PageTemplate.scriptDigest
  /// The verb that has made the page.
  let verb: String
  /// Whether a server keeps the page up to date.
  let isLive: Bool
  let title: String
  /// Whether the page is about one feed.
  let hasOneFeed: Bool
  let expectation: String?
  let search: Search?
  let store: String
  let generated: String
  let generatedUTC: String
  let headline: String
  /// What to know about the numbers.
  let note: String?
  /// What is wrong with the hosts of a fleet.
  let hosts: [String]
  let emptyHint: String?
  let badges: [Badge]
  let unbalanced: Unbalanced?
  let attention: Attention?
  let activity: Chart?
  let freshness: FreshnessBar?
  let feeds: Feeds?
  let charted: Charted?
  let loads: Loads?
  let others: Others?
  let outages: Outages?
  let zone: String
}
