import Foundation
import LoadLog
import LoadLogServer
import Testing

/// Which addresses a webhook may have, and where a redirect may lead.
@Suite struct WebhookAddressTests {
  private func address(_ text: String, plain: Bool = false) throws(LoadLogError) -> WebhookAddress {
    try WebhookAddress(text, option: "--webhook", allowsPlainHTTP: plain)
  }

  @Test(
    arguments: [
      ("https://example.org/t0ken?k=v", "https://example.org"),
      ("HTTPS://Example.Org:443/", "https://example.org"),
      ("https://example.org:8443/", "https://example.org:8443"),
      ("http://127.0.0.1:80/x", "http://127.0.0.1"), ("http://localhost:9/x#y", "http://localhost:9"),
      ("http://[::1]:9/x", "http://[::1]:9"), (" https://u:p@example.org/\n", "https://example.org"),
    ])
  func onlyItsOriginIsShown(_ text: String, _ origin: String) throws {
    #expect(try address(text).origin == origin)
  }

  @Test func aUserBecomesAHeader() throws {
    let address = try address("https://us%40er:p%3Aw@example.org/a?b={{x y}}#c")
    #expect(address.url.absoluteString == "https://example.org/a?b=%7B%7Bx%20y%7D%7D")
    #expect(address.authorization == "Basic dXNAZXI6cDp3")
    #expect(try self.address("https://example.org").authorization == nil)
  }

  @Test(
    arguments: [
      "", "x", "t0ken.example", "ftp://example.org/", "https:///t0ken", "https://", "file:///t0ken",
      "https://example.org:0/t0ken", "https://example.org:65536/t0ken", "https://example.org:-1/t0ken",
    ]
  )
  func whatIsNoAddressIsRefused(text: String) {
    let error = #expect(throws: LoadLogError.self) { try address(text, plain: true) }
    #expect(error?.code == .invalidInput && error?.description.contains("t0ken") == false)
  }

  @Test(
    arguments: [
      "http://example.org/", "http://127.0.0.1.example.org/", "http://localhost@example.org/",
      "http://10.0.0.1/",
      "http://127.0.0.1@example.org/", "http://localhost.example.org/", "http://[::2]/",
    ])
  func plainHTTPStaysOnThisMachineUnlessAllowed(text: String) throws {
    let error = #expect(throws: LoadLogError.self) { try address(text) }
    #expect(error?.code == .invalidInput && error?.description.contains("example") == false)
    _ = try address(text, plain: true)
  }

  @Test(
    arguments: [
      ("/b", "https://example.org/b"), ("b?c", "https://example.org/a/b?c"),
      ("//EXAMPLE.org/b", "https://EXAMPLE.org/b"),
      ("https://example.org:443/b", "https://example.org:443/b"),
      ("http://example.org/b", nil), ("https://example.org:444/b", nil), ("//evil.test/b", nil),
      ("https://example.org@evil.test/", nil), ("https://example.org.evil.test/", nil), ("https:///b", nil),
      ("file:///etc/passwd", nil), ("//[", nil),
    ] as [(String, String?)])
  func aRedirectStaysAtItsOrigin(_ location: String, _ target: String?) throws {
    let redirected = try address("https://u:p@example.org/a/x").redirected(to: location)
    #expect(redirected?.url.absoluteString == target)
    #expect(redirected?.authorization == (target == nil ? nil : "Basic dTpw"))
  }
}
