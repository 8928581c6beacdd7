/// What the four indicators with a ``Visibility`` have in common; a view binds to it. Everything is observable.
@MainActor
public protocol LoadingIndicator: AnyObject {
  /// Whether it is visible, and since when.
  var visibility: Visibility { get }
}

extension LoadingIndicator {
  /// It is on screen, fading or not.
  public var isVisible: Bool { visibility.isVisible }

  /// The opacity towards which it fades, or which it has.
  public var opacity: Double { visibility.opacity }

  /// Over what time the opacity gets there.
  public var fadeTime: Duration { visibility.fadeTime }

  /// False hides it at once; loads are counted and recorded all the same. True shows it at once if something
  /// loads.
  public var isEnabled: Bool {
    get { visibility.isEnabled }
    set { visibility.isEnabled = newValue }
  }

  /// How many shows ended within their grace time.
  public var suppressedShows: Int { visibility.suppressedShows }

  /// How long it has been visible in all, the time that it is visible now included.
  public var visibleTime: Duration { visibility.visibleTime }

  /// Called when it becomes visible.
  public var onShown: (@MainActor () -> Void)? {
    get { visibility.onShown }
    set { visibility.onShown = newValue }
  }

  /// Called when it is hidden again, and once for a show that ended within its grace time.
  public var onHidden: (@MainActor () -> Void)? {
    get { visibility.onHidden }
    set { visibility.onHidden = newValue }
  }
}
