import Foundation
import LoadLogCore
import LoadLogJSON

extension RunFacts {
  /// Reads the facts of a finish; nil if it has none.
  init?(_ record: JSONRecord) throws(ImportFault) {
    guard let attempt = try record.attempt() else { return nil }
    func amount(_ field: RecordField) throws(ImportFault) -> Int64? {
      record.kind(field) == nil ? nil : try record.tally(field)
    }
    self.init(
      attempt: Int(attempt), isRetried: try record.flag(.retried), userTime: try amount(.userNs),
      systemTime: try amount(.systemNs), maxMemory: try amount(.maxMemory))
  }

  /// Appends the members to those of a finish.
  func append(to bytes: inout [UInt8]) {
    bytes.append("attempt", number: Int64(attempt))
    bytes.append("retried", ifTrue: isRetried)
    bytes.append("user_ns", ifAny: userTime)
    bytes.append("system_ns", ifAny: systemTime)
    bytes.append("max_memory", ifAny: maxMemory)
  }
}

extension JSONRecord {
  /// Reads the number of an attempt; nil if it is missing.
  func attempt() throws(ImportFault) -> Int64? {
    guard let attempt = try integer(.attempt) else { return nil }
    guard attempt > 0 else { throw fault(RecordField.attempt, "is not positive") }
    return attempt
  }
}

extension OutputLine {
  /// Reads a line from its JSON object.
  init(_ record: JSONRecord) throws(ImportFault) {
    self.init(
      id: try record.required(try record.id(.id), of: .id),
      total: try record.required(try record.integer(.total), of: .total),
      kept: try record.required(try record.integer(.kept), of: .kept), offset: try record.tally(.offset),
      bytes: try Self.bytes(record))
    guard kept <= total, kept <= KeptOutput.most else {
      throw record.fault(RecordField.kept, "is too large")
    }
    guard Int64(bytes.count) <= kept.subtractingClamping(offset) else {
      throw record.fault(RecordField.kept, "is less than what the line contains")
    }
  }

  private static func bytes(_ record: JSONRecord) throws(ImportFault) -> [UInt8] {
    let field = record.kind(RecordField.base64) == nil ? RecordField.text : .base64
    guard record.kind(field) == .string else { throw record.fault("text is missing") }
    guard !record.isCut(field) else { throw record.fault("\(field.name) is too long") }
    let bytes = record.withBytes(field) { $0.map { Array($0) } ?? [] }
    guard field == .base64 else { return bytes }
    guard let decoded = Data(base64Encoded: Data(bytes)) else {
      throw record.fault("base64 is invalid")
    }
    return Array(decoded)
  }

  /// Appends the members of the line's JSON object.
  func append(to bytes: inout [UInt8]) {
    bytes.append("event", text: "output")
    bytes.append("id", id: id)
    bytes.append("total", number: total)
    bytes.append("kept", number: kept)
    if offset != 0 { bytes.append("offset", number: offset) }
    if !self.bytes.contains(0), let text = String(validating: self.bytes, as: UTF8.self) {
      bytes.append("text", text: text)
    } else {
      bytes.append("base64", text: Data(self.bytes).base64EncodedString())
    }
  }
}
