import Foundation
import LoadLogPresentation
import Testing

@Suite struct OverlayLayoutTests {
  private static let portrait = CGSize(width: 320, height: 480)
  private static let landscape = CGSize(width: 480, height: 320)
  private static let spinner = CGSize(width: 36, height: 36)

  /// Measures a text in a monospaced font: 8 points for each character, 20 for each line.
  private static func size(of text: String) -> OverlayLayout.TextSize {
    { limit in
      let perLine = max(1, Int(min(limit, 8 * CGFloat(text.count)) / 8))
      let lines = (text.count + perLine - 1) / perLine
      return CGSize(width: 8 * min(perLine, text.count), height: 20 * lines)
    }
  }

  private static func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> CGRect {
    CGRect(x: x, y: y, width: width, height: height)
  }

  @Test(arguments: [
    (portrait, rect(105, 225, 110, 30)), (landscape, rect(185, 145, 110, 30)),
    (CGSize(width: 160, height: 480), rect(25, 225, 110, 30)),
  ])
  func overlayIsCentredInItsPanel(panel: CGSize, container: CGRect) {
    let frames = OverlayLayout(bounds: panel).activityOverlay()
    #expect(frames.container == container)
    #expect(frames.label == Self.rect(0, 3, 70, 25))
    #expect(frames.spinner == Self.rect(80, 0, 30, 30))
  }

  @Test(arguments: [
    (portrait, rect(70, 187, 180, 106)), (landscape, rect(150, 107, 180, 106)),
  ])
  func boxOfTheVeilFitsAShortMessage(screen: CGSize, box: CGRect) {
    let frames = OverlayLayout(bounds: screen).veil(
      spinner: Self.spinner, text: { _ in CGSize(width: 160, height: 40) })
    #expect(frames.box == box)
    #expect(frames.text == Self.rect(10, 10, 160, 40))
    #expect(frames.spinner == Self.rect(72, 60, 36, 36))
    #expect(OverlayLayout.VeilFrames.cornerRadius == 10)
  }

  @Test(arguments: [portrait, landscape])
  func longMessageWrapsAt240Points(screen: CGSize) {
    let message = String(repeating: "x", count: 75)
    let frames = OverlayLayout(bounds: screen).veil(spinner: Self.spinner, text: Self.size(of: message))
    #expect(frames.text == Self.rect(10, 10, 240, 60))
    #expect(frames.box.size == CGSize(width: 260, height: 60 + 36 + 30))
    #expect(frames.spinner == Self.rect(112, 80, 36, 36))
    #expect(frames.box.midX == screen.width / 2 && frames.box.midY == screen.height / 2)
  }

  @Test(arguments: [portrait, landscape])
  func spinnerStaysVisibleBelowAnEndlessMessage(screen: CGSize) {
    let message = String(repeating: "x", count: 3000)
    let frames = OverlayLayout(bounds: screen).veil(spinner: Self.spinner, text: Self.size(of: message))
    #expect(frames.box.minY == 0 && frames.box.height == screen.height)
    #expect(frames.text.maxY + 10 == frames.spinner.minY)
    #expect(frames.spinner.maxY + 10 == frames.box.height)
  }

  @Test func messageWrapsEarlierInNarrowBounds() {
    let message = String(repeating: "x", count: 60)
    let frames = OverlayLayout(bounds: CGSize(width: 180, height: 400))
      .veil(spinner: Self.spinner, text: Self.size(of: message))
    #expect(frames.text.size == CGSize(width: 160, height: 60))
    #expect(frames.box.minX == 0 && frames.box.width == 180)
  }

  @Test func boxOfAVeilWithoutAMessageFitsItsSpinner() {
    let frames = OverlayLayout(bounds: Self.portrait).veil(spinner: Self.spinner, text: { _ in .zero })
    #expect(frames.box == Self.rect(132, 207, 56, 66))
    #expect(frames.spinner == Self.rect(10, 20, 36, 36))
  }

  @Test(arguments: [
    (portrait, 240.0), (landscape, 160.0),
  ])
  func loadingViewIsCentredAsAGroup(screen: CGSize, middle: Double) {
    var limits: [CGFloat] = []
    let frames = OverlayLayout(bounds: screen).loadingView(spinner: CGSize(width: 20, height: 20)) { limit in
      limits.append(limit)
      return CGSize(width: 101, height: 18)
    }
    let start = (screen.width - 20 - 15 - 101) / 2
    #expect(frames.spinner == Self.rect(start, middle - 10, 20, 20))
    #expect(frames.label == Self.rect(start + 35, middle - 9, 101, 18))
    #expect(frames.spinner.minX == screen.width - frames.label.maxX)
    #expect(limits == [.infinity])
  }

  @Test func messageOfALoadingViewStaysOnOneLine() {
    let frames = OverlayLayout(bounds: Self.portrait).loadingView(
      spinner: Self.spinner, text: Self.size(of: String(repeating: "x", count: 300)))
    #expect(frames.spinner.minX == 0)
    #expect(frames.label == Self.rect(51, 230, 269, 20))
  }
}
