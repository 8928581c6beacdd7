import LoadLog
import LoadLogPresentation

extension Demo {
  /// Three downloads at once, and one pop too many.
  func showNetworkActivity() async throws {
    let pictures = ["harbour.jpg", "lighthouse.jpg", "ferry.jpg"]
    var states = ["", "", ""]
    try stage.open(1, "network activity", "on while anything is loading; push and pop only count") {
      [network] frames, tick in
      let rows = zip(pictures, states).map { $1.isEmpty ? $0 : "\($0)  \($1)" }
      return frames.lines(NetworkActivityFrame(network, title: "Pictures", content: rows), tick: tick)
    }
    try await pause(0.3)
    try stage.say("push for each download")
    for index in pictures.indices {
      try await start(network.feed) { network.push() }
      states[index] = "loading"
      try await pause(0.3)
    }
    try stage.say("pop when one is done; the pop may carry a verdict")
    for (index, outcome) in [(2, Verdict.succeeded), (1, .succeeded), (0, .ended)] {
      try await finish(network.feed, outcome.state) { network.pop(outcome) }
      states[index] = "done"
      try await pause(0.3)
    }
    try stage.say("one pop too many: the count stays 0, and the record keeps the line that did it")
    network.pop()
    try await pause(0.7)
  }
}
