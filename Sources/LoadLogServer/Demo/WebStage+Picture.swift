import Foundation
import LoadLogCLI
import LoadLogPresentation
import LoadLogReports

/// The state of the indicators as JSON: their own values, and the frames that `OverlayLayout` gives them.
extension WebStage {
  /// The size of each screen, in points.
  private var screen: CGSize {
    isTurned ? CGSize(width: 320, height: 240) : CGSize(width: 280, height: 320)
  }

  /// The size of the panel that the overlay covers, in points: the other half of the screen stays usable.
  var panel: CGSize {
    isTurned
      ? CGSize(width: screen.width / 2, height: screen.height)
      : CGSize(width: screen.width, height: screen.height / 2)
  }

  /// Returns everything that the page draws.
  ///
  /// - Parameter changed: when it changed; nil if it did not.
  func picture(changed: Date?) -> JSONValue {
    [
      "changed": changed.map { .number($0.timeIntervalSince1970 * 1000) } ?? .null,
      "isTurned": .bool(isTurned), "screen": Self.size(screen), "panel": Self.size(panel),
      "network": network, "overlay": overlay, "veil": veil, "views": views, "pull": pull,
      "topics": Self.count(topics), "articles": Self.count(articles), "pictures": Self.count(pictures),
      "status": .string(status),
    ]
  }

  private var network: JSONValue {
    let network = indicators.network
    return Self.visibility(of: network).appending([
      "isAnimating": .bool(network.isAnimating), "count": Self.count(network.count),
      "depth": Self.count(network.depth),
    ])
  }

  private var overlay: JSONValue {
    let overlay = indicators.overlay
    let frames = OverlayLayout(bounds: overlay.size ?? panel).activityOverlay()
    return Self.visibility(of: overlay).appending([
      "isAnimating": .bool(overlay.isAnimating), "isLoading": .bool(overlay.isLoading),
      "isAttached": .bool(overlay.isAttached), "label": .string(overlay.label),
      "frames": [
        "container": Self.frame(frames.container), "label": Self.frame(frames.label),
        "spinner": Self.frame(frames.spinner),
      ],
    ])
  }

  private var veil: JSONValue {
    let veil = indicators.veil
    return Self.visibility(of: veil).appending([
      "isAnimating": .bool(veil.isAnimating), "isLoading": .bool(veil.isLoading),
      "blocksInteraction": .bool(veil.blocksInteraction), "message": .text(veil.message),
    ])
  }

  private var views: JSONValue {
    let views = indicators.views
    return Self.visibility(of: views).appending([
      "isAnimating": .bool(views.isAnimating), "blocksInteraction": .bool(views.blocksInteraction),
      "message": .text(views.message),
      "covers": .array(views.covers.map { ["tag": .string($0.tag), "message": .text($0.message)] }),
    ])
  }

  private var pull: JSONValue {
    let pull = indicators.pull
    let distance = (pull.progress + pull.overpull) * pull.options.threshold
    // A list that is released far from an inset goes back as it does after a load.
    let time = pull.insetTime > .zero ? pull.insetTime : pull.options.insetOutTime
    let frames = OverlayLayout(bounds: screen).pullHeader()
    return [
      "state": .string("\(pull.state)"), "arrow": .string("\(pull.arrow)"),
      "arrowTime": Self.time(pull.arrowTime), "isAnimating": .bool(pull.isAnimating),
      "progress": .number(pull.progress), "overpull": .number(pull.overpull), "inset": .number(pull.inset),
      "offset": .number(max(distance, pull.inset)), "offsetTime": Self.time(isDragging ? .zero : time),
      "statusText": .string(pull.statusText), "lastUpdatedText": .text(pull.lastUpdatedText),
      "cue": .text(pull.cue.map { "\($0.kind)" }), "cues": Self.count(pull.cue.map { $0.number + 1 } ?? 0),
      "abortedPulls": Self.count(pull.abortedPulls),
      "frames": [
        "arrow": Self.frame(frames.arrow), "spinner": Self.frame(frames.spinner),
        "status": Self.frame(frames.status), "lastUpdated": Self.frame(frames.lastUpdated),
      ],
    ]
  }
}

extension WebStage {
  private static func visibility(of indicator: some LoadingIndicator) -> JSONValue {
    [
      "isVisible": .bool(indicator.isVisible), "opacity": .number(indicator.opacity),
      "fadeTime": time(indicator.fadeTime),
    ]
  }

  /// A duration in milliseconds.
  private static func time(_ duration: Duration) -> JSONValue { .number(duration / .milliseconds(1)) }

  private static func count(_ count: Int) -> JSONValue { .integer(Int64(count)) }

  private static func size(_ size: CGSize) -> JSONValue {
    ["width": .number(size.width), "height": .number(size.height)]
  }

  private static func frame(_ frame: CGRect) -> JSONValue {
    let origin: JSONValue = ["x": .number(frame.origin.x), "y": .number(frame.origin.y)]
    return origin.appending(size(frame.size))
  }
}
