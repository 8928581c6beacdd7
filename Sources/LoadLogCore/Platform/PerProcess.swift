import Synchronization

/// A value of which a forked child has one of its own: its parent's may be locked for ever, by a thread that the child
/// does not have. Itself it has no locks: it is a chain, with a link for each fork on the way to this process.
final class PerProcess<Value: Sendable>: Sendable {
  private let generation = ForkGeneration.current
  private let value: Value
  private let next = AtomicLazyReference<PerProcess>()

  /// Makes one with the value of the calling process.
  init(_ value: Value) { self.value = value }

  /// The calling process's value; nil in a child that has not asked for its own.
  var existing: Value? {
    let generation = ForkGeneration.current
    var link = self
    while link.generation != generation {
      guard let next = link.next.load() else { return nil }
      link = next
    }
    return link.value
  }

  /// The calling process's value, made if there is none yet. Of several that are made at once one is kept.
  func current(_ make: () -> Value) -> Value {
    let generation = ForkGeneration.current
    var link = self
    while link.generation != generation {
      link = link.next.load() ?? link.next.storeIfNil(PerProcess(make()))
    }
    return link.value
  }
}
