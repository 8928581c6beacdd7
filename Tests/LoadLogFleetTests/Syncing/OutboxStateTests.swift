import LoadLogCore
@testable import LoadLogSQLite
import Testing

/// What follows from what the fleet's database says.
@Suite struct OutboxStateTests {
  private func position(_ rev: Int64) -> ShippedPosition { ShippedPosition(token: SessionID(), rev: rev) }

  private func attempt(_ next: ShippedPosition, on base: ShippedPosition?) -> OutboxAttempt {
    OutboxAttempt(
      next: next, base: base?.token, progress: OutboxProgress(through: next.rev * 10, scanned: nil))
  }

  @Test func aNewHostShips() {
    #expect(OutboxState(base: nil, attempts: []).resolution(of: nil) == .ship)
  }

  @Test func nothingArrivedSinceTheBase() {
    let base = position(4)
    let state = OutboxState(base: base, attempts: [attempt(position(5), on: base)])
    #expect(state.resolution(of: base) == .ship)
  }

  @Test func aBatchArrivedWhoseAnswerWasLost() {
    let base = position(4)
    let attempts = [attempt(position(5), on: base), attempt(position(5), on: base)]
    let state = OutboxState(base: base, attempts: attempts)
    #expect(state.resolution(of: attempts[0].next) == .confirm(attempts[0]))
    #expect(state.resolution(of: attempts[1].next) == .confirm(attempts[1]))
  }

  @Test func theFirstBatchArrivedWhoseAnswerWasLost() {
    let first = attempt(position(1), on: nil)
    #expect(OutboxState(base: nil, attempts: [first]).resolution(of: first.next) == .confirm(first))
  }

  @Test func theDatabaseWasRestored() {
    let (old, base) = (position(3), position(4))
    let known = attempt(old, on: position(2))
    let state = OutboxState(base: base, attempts: [known, attempt(base, on: old)])
    #expect(state.resolution(of: old) == .rewind(known))
  }

  @Test func theDatabaseWasRestoredFromAForgottenTime() {
    let old = position(3)
    #expect(OutboxState(base: position(4), attempts: []).resolution(of: old) == .startOver(on: old))
  }

  @Test func theDatabaseIsNew() {
    #expect(OutboxState(base: position(4), attempts: []).resolution(of: nil) == .startOver(on: nil))
  }

  @Test func anotherCopyOfTheStoreHasShipped() {
    #expect(OutboxState(base: position(4), attempts: []).resolution(of: position(5)) == .refuse)
    #expect(OutboxState(base: position(4), attempts: []).resolution(of: position(4)) == .refuse)
    #expect(OutboxState(base: nil, attempts: []).resolution(of: position(1)) == .refuse)
  }
}
