/// Values for the page's template. All texts are plain; the template escapes them.
struct PageModel {
  /// Symbol, style class and word that express the same status.
  struct Status {
    let style: String
    let glyph: String
    let word: String
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
      let feed: String
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
      let feed: String
      let reason: String
      let callSite: String
    }

    let rows: [Row]
    let more: String?
  }

  /// Numbers of feeds by freshness.
  struct FreshnessBar {
    struct Line {
      let status: Status
      let count: String
      /// Percentage of all feeds.
      let share: String
      let meaning: String
    }

    let lines: [Line]
  }

  /// Table of feeds.
  struct Feeds {
    struct Head {
      let title: String
      let isNumber: Bool
    }

    struct Row {
      let status: Status
      /// Anchor of the feed's charts, if it has any.
      let chart: String?
      let name: String
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

    let heads: [Head]
    let trendTitle: String
    let rows: [Row]
    let total: Total?
  }

  /// Busiest feeds with their charts.
  struct Busy {
    struct Feed {
      struct Figure {
        let label: String
        let value: String
      }

      struct Day {
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
      let charts: [Chart]
      let remark: String?
      let days: [Day]
    }

    let heading: String
    let lead: String
    let feeds: [Feed]
  }

  let style = PageTemplate.style
  let styleDigest = PageTemplate.styleDigest
  let script = PageTemplate.script
  let scriptDigest = PageTemplate.scriptDigest
  let store: String
  let generated: String
  let generatedUTC: String
  let headline: String
  /// What to know about the numbers.
  let note: String?
  let emptyHint: String?
  let badges: [Badge]
  let unbalanced: Unbalanced?
  let attention: Attention?
  let activity: Chart?
  let freshness: FreshnessBar?
  let feeds: Feeds?
  let busy: Busy?
  let zone: String
}
