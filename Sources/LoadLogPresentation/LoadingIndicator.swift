/// An indicator with an ``IndicatorVisibility`` that a view can bind to. Its properties are observable.
@MainActor
public protocol LoadingIndicator: AnyObject {
  /// The indicator's visibility.
  var visibility: IndicatorVisibility { get }
}

extension LoadingIndicator {
  /// Whether the indicator is on screen, including while it fades.
  public var isVisible: Bool { visibility.isVisible }

  /// The indicator's opacity; while it fades, the opacity at the end of the fade.
  public var opacity: Double { visibility.opacity }

  /// Duration of the change to ``opacity``; zero if it takes effect immediately.
  public var fadeTime: Duration { visibility.fadeTime }

  /// Whether the indicator may be visible. Setting `false` hides it immediately; loads are still counted and
  /// recorded. Setting `true` shows it immediately if something is loading.
  public var isEnabled: Bool {
    get { visibility.isEnabled }
    set { visibility.isEnabled = newValue }
  }

  /// Number of shows that ended within their grace time.
  public var suppressedShows: Int { visibility.suppressedShows }

  /// Total time for which the indicator has been visible, including the current show.
  public var visibleTime: Duration { visibility.visibleTime }

  /// Called when the indicator becomes visible.
  public var onShown: (@MainActor () -> Void)? {
    get { visibility.onShown }
    set { visibility.onShown = newValue }
  }

  /// Called when the indicator becomes hidden, and once for a show that ended within its grace time.
  public var onHidden: (@MainActor () -> Void)? {
    get { visibility.onHidden }
    set { visibility.onHidden = newValue }
  }
}
