extension FixedWidthInteger where Self: UnsignedInteger {
  /// All hexadecimal digits of the number, in lower case.
  package var hexDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: bitWidth / 4 - digits.utf8.count) + digits
  }
}
