import Foundation

/// What a user does on the page of the demo.
enum DemoGesture: Sendable, Equatable {
  /// A button was pressed.
  case tap(Button)
  /// The list was dragged, to some distance in points below its normal position.
  case drag(to: Double)
  /// The list was released.
  case release
  /// The screens were turned.
  case rotate

  /// The buttons of the page. Most make one call; three are inside of a screen that an indicator may cover.
  enum Button: String, Decodable, Sendable {
    case push, pop, reset
    case show, hide, disappear, appear
    case veil, remove
    case startOne, stopOne, startTwo, stopTwo
    case finish, fail
    case topic, article, picture
  }

  private struct Text: Decodable {
    let gesture: String
    let button: Button?
    let distance: Double?
  }

  /// Reads `{"gesture": "tap", "button": "push"}`, `{"gesture": "drag", "distance": 66}`, `release` and `rotate`; nil for
  /// anything else.
  init?(_ json: some Sequence<UInt8>) {
    guard let text = try? JSONDecoder().decode(Text.self, from: Data(json)) else { return nil }
    switch (text.gesture, text.button, text.distance) {
    case ("tap", let button?, nil): self = .tap(button)
    case ("drag", nil, let distance?): self = .drag(to: distance)
    case ("release", nil, nil): self = .release
    case ("rotate", nil, nil): self = .rotate
    default: return nil
    }
  }
}
