#if os(macOS) || targetEnvironment(macCatalyst)
  import LoadLogLibC
#elseif !canImport(Darwin)
  internal import CLoadLogShims
#endif

/// Detects file systems that cannot hold a store, because several machines share them.
///
/// A write-ahead log needs shared memory, which the machines do not have (sqlite.org/wal.html), and flock may exclude
/// only processes of one machine. On Linux, user-space file systems (FUSE) are accepted: their type does not distinguish a
/// disk from a network.
package enum FileSystemCheck {
  /// The name of the network file system that a file or folder is on; nil if it is on a local one, does not exist, or
  /// cannot be examined.
  package static func networkFileSystemName(at path: String) -> String? {
    #if os(macOS) || targetEnvironment(macCatalyst)
      var found = statfs()
      guard statfs(path, &found) == 0 else { return nil }
      if found.f_flags & UInt32(MNT_LOCAL) != 0 { return nil }
      return withUnsafeBytes(of: found.f_fstypename) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
    #elseif canImport(Darwin)
      // Other devices have local ones only, and an app would have to say why it calls statfs(2).
      return nil
    #else
      var type: UInt64 = 0
      guard loadlog_file_system_type(path, &type) == 0 else { return nil }
      return name(ofNetworkType: type)
    #endif
  }

  /// The name of a network file system by the number that statfs(2) gives as its type on Linux; nil for a
  /// local one. Only the lower 32 bits count: the upper ones are a sign on some machines.
  ///
  /// Numbers from linux/magic.h, or from the file system's own sources where they are not there.
  package static func name(ofNetworkType magic: UInt64) -> String? {
    switch magic & 0xFFFF_FFFF {
    case 0x6969: "NFS"
    case 0x517B: "SMB"
    case 0xFF53_4D42: "CIFS"
    case 0xFE53_4D42: "SMB2"
    case 0x5346_414F, 0x6B41_4653: "AFS"
    case 0x00C3_6400: "Ceph"
    case 0x7375_7245: "Coda"
    case 0x564C: "NCP"
    case 0x0102_1997: "9p"
    case 0x0BD0_0BD0: "Lustre"
    case 0x0116_1970: "GFS2"
    case 0x7461_636F: "OCFS2"
    case 0x2003_0528: "OrangeFS"
    case 0x4750_4653: "GPFS"
    case 0x1983_0326: "BeeGFS"
    case 0xAAD7_AAEA: "PanFS"
    case 0x786F_4256: "VirtualBox shared folder"
    case 0xBACB_ACBC: "VMware shared folder"
    case 0x7C7C_6673: "Parallels shared folder"
    default: nil
    }
  }
}
