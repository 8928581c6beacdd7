import Foundation

/// Formats a number of bytes for people.
package enum ByteText {
  /// Formats a size with one decimal and a decimal unit: "1 byte", "512 bytes", "12.3 MB".
  package static func text(_ bytes: Int64) -> String {
    guard bytes != 1 else { return "1 byte" }
    var amount = Double(bytes)
    var unit = "bytes"
    for larger in ["kB", "MB", "GB", "TB"] where amount >= (unit == "bytes" ? 1000 : 999.95) {
      amount /= 1000
      unit = larger
    }
    return unit == "bytes" ? "\(bytes) bytes" : String(format: "%.1f ", amount) + unit
  }
}
