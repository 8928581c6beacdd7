import Foundation
import LoadLogPresentation
import Testing

#if canImport(CoreGraphics)
  import CoreGraphics
#endif

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
    #expect(frames.cornerRadius == 0)
  }

  @Test(arguments: [
    (portrait, false, rect(105, 202.5, 110, 75), 0), (landscape, true, rect(185, 105, 110, 110), 17.5),
    (CGSize(width: 320, height: 90), true, rect(105, 7.5, 110, 75), 0),
  ])
  func columnIsABoxWithTheSpinnerAboveTheLabel(panel: CGSize, isSquare: Bool, container: CGRect, top: Double)
  {
    let frames = OverlayLayout(bounds: panel, hasSquareBoxes: isSquare).activityOverlay(.column)
    #expect(frames.container == container && frames.cornerRadius == 8)
    #expect(frames.spinner == Self.rect(40, top + 8, 30, 30))
    #expect(frames.label == Self.rect(8, top + 42, 94, 25))
    let row = OverlayLayout(bounds: panel, hasSquareBoxes: isSquare).activityOverlay()
    #expect(row == OverlayLayout(bounds: panel).activityOverlay(), "a row is not a box")
  }

  @Test(arguments: [
    (CGSize(width: 160, height: 40), rect(70, 150, 180, 180), rect(10, 47, 160, 40), rect(72, 97, 36, 36)),
    (CGSize(width: 60, height: 100), rect(77, 157, 166, 166), rect(53, 10, 60, 100), rect(65, 120, 36, 36)),
  ])
  func boxOfAVeilCanBeSquare(text: CGSize, box: CGRect, message: CGRect, spinner: CGRect) {
    let layout = OverlayLayout(bounds: Self.portrait, hasSquareBoxes: true)
    let frames = layout.veil(spinner: Self.spinner, text: { _ in text })
    #expect(frames.box == box && frames.text == message && frames.spinner == spinner)
    // A square of 180 points does not fit.
    let low = OverlayLayout(bounds: CGSize(width: 320, height: 120), hasSquareBoxes: true)
    let wide = low.veil(spinner: Self.spinner, text: { _ in CGSize(width: 160, height: 40) })
    #expect(
      wide
        == OverlayLayout(bounds: low.bounds).veil(
          spinner: Self.spinner, text: { _ in CGSize(width: 160, height: 40) }))
  }

  @Test func headerOfAPulledListIsAboveTheList() {
    let frames = OverlayLayout(bounds: Self.portrait).pullHeader()
    #expect(frames.arrow == Self.rect(25, -65, 30, 55))
    #expect(frames.spinner == Self.rect(25, -38, 20, 20))
    #expect(frames.status == Self.rect(0, -48, 320, 20))
    #expect(frames.lastUpdated == Self.rect(0, -30, 320, 20))
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
