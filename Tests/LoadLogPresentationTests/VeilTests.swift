import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

@MainActor @Suite struct VeilTests {
  @Test func loads() {}
}
