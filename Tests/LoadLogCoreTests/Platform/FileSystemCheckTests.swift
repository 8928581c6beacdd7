import Foundation
import LoadLogCore
import Testing

@Suite struct FileSystemCheckTests {
  @Test(
    arguments: [
      (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFFFF_FFFF_FF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"),
      (0x0102_1997, "9p"), (0x00C3_6400, "Ceph"),
    ] as [(UInt64, String)])
  func refusesNetworks(magic: UInt64, name: String) {
    #expect(FileSystemCheck.name(ofNetworkType: magic) == name)
  }

  @Test(
    arguments: [
      ("ext4", 0xEF53), ("btrfs", 0x9123_683E), ("xfs", 0x5846_5342), ("tmpfs", 0x0102_1994),
      ("overlayfs", 0x794C_7630), ("zfs", 0x2FC1_2FC1), ("fuse", 0x6573_5546), ("f2fs", 0xF2F5_2010),
    ] as [(String, UInt64)])
  func takesDisks(name: String, magic: UInt64) {
    #expect(FileSystemCheck.name(ofNetworkType: magic) == nil)
  }

  @Test(arguments: ["/proc", "/nowhere/at/all", ""]) func findsNoNetworkHere(_ path: String) {
    #expect(FileSystemCheck.networkFileSystemName(at: path) == nil)
  }

  @Test func anIdIsTheFilesAndNotThePaths() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/file"
    try Data().write(to: URL(filePath: path))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: path)
    let id = try #require(FileID(path: path))
    #expect(FileID(path: folder.path + "/link") == id)
    #expect(FileID(path: folder.path + "/link", followingLinks: false) != id)
    let handle = try #require(FileHandle(forReadingAtPath: path))
    #expect(FileID(descriptor: handle.fileDescriptor) == id)
    #expect(FileID(path: folder.path + "/other") == nil)
    #expect(FileID(path: "") == nil)
    #expect(FileID(descriptor: -1) == nil)
  }
}
