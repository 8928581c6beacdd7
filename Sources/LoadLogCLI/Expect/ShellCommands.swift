/// The simple commands of a shell command line, each as its words: quotes and backslashes are resolved, variables and
/// substitutions stay as they are.
struct ShellCommands {
  private(set) var commands: [[String]] = [[]]

  init(_ line: some StringProtocol) {
    var word: String?
    var quote: Character?
    var rest = line.makeIterator()
    while let character = rest.next() {
      switch (quote, character) {
      case (nil, "'"), (nil, "\""):
        quote = character
        word = word ?? ""
      case (let open?, _) where character == open: quote = nil
      case (nil, "\\"): word = (word ?? "") + (rest.next().map(String.init) ?? "")
      case ("\"", "\\"):
        let next = rest.next().map(String.init) ?? ""
        word = (word ?? "") + ("$`\"\\".contains(next) ? next : "\\" + next)
      case (nil, " "), (nil, "\t"): end(&word)
      case (nil, "#") where word == nil: return
      case (nil, ";"), (nil, "|"), (nil, "&"), (nil, "("), (nil, ")"), (nil, "<"), (nil, ">"):
        end(&word)
        commands.append([])
      default: word = (word ?? "") + String(character)
      }
    }
    end(&word)
  }

  private mutating func end(_ word: inout String?) {
    if let word { commands[commands.count - 1].append(word) }
    word = nil
  }
}
