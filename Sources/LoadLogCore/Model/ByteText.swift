import Foundation

/// Sizes as people read them.
package enum ByteText {
  /// "512 bytes", "12.3 MB".
  package static func text(_ bytes: Int64) -> String {
    var amount = Double(bytes)
    var unit = "bytes"
    for larger in ["kB", "MB", "GB", "TB"] where amount >= 1000 {
      amount /= 1000
      unit = larger
    }
    return unit == "bytes" ? "\(bytes) bytes" : String(format: "%.1f ", amount) + unit
  }
}
