/// Suggests an existing name for a mistyped one.
package enum SimilarName {
  /// Returns the known name that is nearest to `name`; nil if none is near.
  ///
  /// The distance counts omitted, added, replaced and swapped characters (optimal string alignment) and
  /// ignores case. It may be at most a third of the name's length. A known name that starts or ends with
  /// `name`, such as "backup/db" for "backup", is near, too.
  package static func of(_ name: String, among known: [String]) -> String? {
    let wanted = Array(name.lowercased().prefix(Feed.maximumLength))
    let allowed = max(1, wanted.count / 3)
    let near = known.compactMap { candidate -> (name: String, distance: Int)? in
      let letters = Array(candidate.lowercased())
      if wanted.count >= 3, letters.starts(with: wanted) || letters.reversed().starts(with: wanted.reversed())
      {
        return (candidate, 1)
      }
      guard abs(letters.count - wanted.count) <= allowed else { return nil }
      let distance = distance(wanted, letters)
      return distance <= allowed ? (candidate, distance) : nil
    }
    return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }

  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var next = [row + 1]
      for (column, otherLetter) in other.enumerated() {
        let replaced = last[column] + (letter == otherLetter ? 0 : 1)
        var best = min(replaced, last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, letter == other[column - 1], otherLetter == one[row - 1] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        next.append(best)
      }
      (beforeLast, last) = (last, next)
    }
    return last[other.count]
  }
}
