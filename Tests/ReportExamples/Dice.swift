import Foundation

/// Random number generator that returns the same numbers in every run.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// Returns the next number of SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number in 0..<1.
  mutating func share() -> Double { Double.random(in: 0..<1, using: &self) }

  /// Returns a number with a log-normal distribution around a median.
  mutating func spread(around median: Double, _ sigma: Double) -> Double {
    let radius = (-2 * log(1 - share())).squareRoot()
    return median * exp(sigma * radius * cos(2 * .pi * share()))
  }

  /// Returns an integer with the given mean.
  mutating func count(_ mean: Double) -> Int {
    Int(max(0, mean + (share() + share() + share() - 1.5) * 1.6 * mean.squareRoot() + share()))
  }
}
