internal import CLoadLogShims

/// The identity of a file, independent of its name: device and inode.
///
/// If two readings of a path differ, the path now names another file. On Linux statx(2) reads the identity without
/// forcing a network or overlay file system to refresh it.
package struct FileID: Sendable, Hashable {
  /// The device that the file is on.
  package let device: UInt64
  /// The file's number on the device.
  package let inode: UInt64

  /// The inode as a store keeps it: the same 64 bits, signed.
  package var storedInode: Int64 { Int64(truncatingIfNeeded: inode) }

  /// Reads the identity of the file at a path, without opening it; nil if there is no file or it cannot be examined.
  ///
  /// - Parameters:
  ///   - path: where the file is.
  ///   - followingLinks: false to examine a symbolic link at the end of the path itself.
  package init?(path: String, followingLinks: Bool = true) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    guard loadlog_file_id(path, followingLinks ? 1 : 0, &device, &inode) == 0 else { return nil }
    self.device = device
    self.inode = inode
  }

  /// Reads the identity of an open file; nil if the descriptor is not open.
  package init?(descriptor: Int32) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    guard loadlog_descriptor_id(descriptor, &device, &inode) == 0 else { return nil }
    self.device = device
    self.inode = inode
  }
}
