import Foundation
@testable import LoadLogReports
import TestProcesses
import Testing

@Suite struct StyleTests {
  /// Colours by name: the first block of variables is the light theme, the second the dark one, the third is
  /// for print.
  private static let themes = PageTemplate.style.matches(of: /:root \{([^}]*)\}/).map { block in
    Dictionary(
      block.1.matches(of: /--([a-z]+): #([0-9a-f]{6});/).map { (String($0.1), String($0.2)) }
    ) { first, _ in first }
  }

  private func luminance(_ color: String) -> Double {
    let channels = stride(from: 0, to: 6, by: 2).map { offset in
      let value = Double(UInt8(color.dropFirst(offset).prefix(2), radix: 16) ?? 0) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
  }

  /// Contrast ratio as defined by WCAG 2.2.
  private func contrast(_ one: String, _ other: String) -> Double {
    let pair = [luminance(one), luminance(other)].sorted()
    return (pair[1] + 0.05) / (pair[0] + 0.05)
  }

  @Test(arguments: 0..<3) func coloursHaveEnoughContrast(theme: Int) throws {
    #expect(Self.themes.count == 3)
    let colors = Self.themes[theme]
    for ground in ["page", "card", "tint"] {
      let ground = try #require(colors[ground])
      for name in ["ink", "quiet", "good", "bad", "alarm", "active"] {
        let ratio = contrast(try #require(colors[name]), ground)
        #expect(ratio >= 4.5, "\(name): \(ratio)")
      }
      for name in ["series", "bar", "mark", "none"] {
        let ratio = contrast(try #require(colors[name]), ground)
        #expect(ratio >= 3, "\(name): \(ratio)")
      }
    }
  }

  @Test(arguments: [
    (PageTemplate.style, PageTemplate.styleDigest), (PageTemplate.script, PageTemplate.scriptDigest),
  ])
  func thePolicyHasTheDigestsOfStyleAndScript(text: String, digest: String) throws {
    let program =
      "import base64, hashlib, sys; d = hashlib.sha256(sys.stdin.buffer.read()).digest(); "
      + "print('sha256-' + base64.b64encode(d).decode())"
    let python = try Child(["/usr/bin/env", "python3", "-c", program])
    try python.write(String(text.dropLast()))
    try python.finish()
    let found = try python.rest().trimmingCharacters(in: .newlines)
    #expect(found == digest, "copy the digest into PageTemplate.swift")
  }
}
