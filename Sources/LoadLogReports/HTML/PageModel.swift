/// What the page's template asks for. All texts are plain; the template escapes them.
struct PageModel {
  /// A sign, a colour that repeats it, and a word that says the same.
  struct Status {
    let style: String
    let glyph: String
    let word: String
  }

  /// How many feeds have a status.
  struct Badge {
    let status: Status
    let count: String
  }

  /// The imbalances, by call site.
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

  /// Why feeds are marked.
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

  /// How fresh the feeds are, all together.
  struct FreshnessBar {
    struct Line {
      let status: Status
      let count: String
      /// The share of all feeds, of 100.
      let share: String
      let meaning: String
    }

    let lines: [Line]
  }

  /// The table of feeds.
  struct Feeds {
    struct Head {
      let title: String
      let isNumber: Bool
    }

    struct Row {
      let status: Status
      /// The name in the page of the feed's charts, if it has any.
      let chart: String?
      let name: String
      let updated: String
      let habit: String?
      let bar: String?
      let barStyle: String
      let now: String
      /// The numbers, from the loads on.
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

  /// The busiest feeds and their charts.
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
