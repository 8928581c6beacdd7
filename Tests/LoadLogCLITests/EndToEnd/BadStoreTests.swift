import Foundation
import Testing

/// Paths without a store, or where no store can be: each verb reports them in one line and leaves them unchanged.
@Suite struct BadStoreTests {
  /// A file at the store's path that is no usable store.
  struct Ruin: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The script that makes it, in a folder where `good.db` is a store and `$S` is the path of the file.
    let script: String
    let code: Int32
    let says: String
    /// Exit code and message of a read, if they differ from those of a write.
    var reading: (code: Int32, says: String)?
    var path = "store/loads.db"
    var needsUser = false

    init(
      _ what: String, _ script: String, code: Int32 = 3, says: String,
      reading: (code: Int32, says: String)? = nil
    ) {
      testDescription = what
      self.script = script
      self.code = code
      self.says = says
      self.reading = reading
    }

    func at(_ path: String) -> Self {
      var copy = self
      copy.path = path
      return copy
    }

    func asAnotherUser() -> Self {
      var copy = self
      copy.needsUser = true
      return copy
    }
  }

  private static let foreignLog = "chmod 1777 store; touch $S-wal; chmod 666 $S-wal; chown 64321 $S-wal"

  private static let ruins = [
    Ruin("an empty path", "true", says: "it is empty. Name a file.").at(""),
    Ruin("a folder", "mkdir $S", says: "it is a folder"),
    Ruin("a device", "true", says: "not a regular file").at("/dev/null"),
    Ruin("a full device", "true", says: "not a regular file").at("/dev/full"),
    Ruin("a pipe", "mkfifo $S", says: "not a regular file"),
    Ruin("a loop of links", "ln -s loads.db $S", says: "symbolic links"),
    Ruin("a hard link", "cp good.db $S; ln $S store/other", says: "2 hard links"),
    Ruin("an empty file", ": > $S", says: "it is empty, not a LoadLog store"),
    Ruin("a text", "seq 9999 > $S", says: "not a SQLite database"),
    Ruin("a short text", "echo hello > $S", says: "not a SQLite database"),
    Ruin("a store cut in its header", "head -c 50 good.db > $S", code: 6, says: "damaged"),
    Ruin("a store cut in the middle", "head -c 9000 good.db > $S", code: 6, says: "damaged"),
    Ruin("another program's database", "sqlite3 $S 'CREATE TABLE t (a)'", says: "another application"),
    Ruin(
      "another application_id", "cp good.db $S; sqlite3 $S 'PRAGMA application_id = 77'",
      says: "another application"),
    Ruin(
      "a newer store", "cp good.db $S; sqlite3 $S 'PRAGMA user_version = 99'", says: "Update LoadLog"),
    Ruin("a file as a folder", "touch store/file", says: "Not a directory").at("store/file/loads.db"),
    Ruin("a device as a folder", "true", says: "Not a directory").at("/dev/null/deep/loads.db"),
    Ruin("a log without its store", "cp good.db $S-wal", says: "only its write-ahead log is there"),
    Ruin("a pipe as its log", "cp good.db $S; mkfifo $S-wal", says: "loads.db-wal is not a regular file"),
    Ruin("a folder as its index", "cp good.db $S; mkdir $S-shm", says: "loads.db-shm is not a regular file"),
    Ruin("a link as its log", "cp good.db $S; ln -s x $S-wal", says: "loads.db-wal is not a regular file"),
    Ruin(
      "another user's log", "cp good.db $S; chown 65534 $S; \(foreignLog)", says: "belongs to user 64321"
    ).asAnotherUser(),
    Ruin("another user's log, placed there before", foreignLog, says: "belongs to user 64321")
      .asAnotherUser(),
    Ruin("a name that is too long", "true", says: "too long")
      .at("store/" + String(repeating: "n", count: 300)),
    Ruin(
      "a folder that any user may write to", "chmod 777 store", says: "any user may write",
      reading: (3, "nothing is there")),
    Ruin(
      "another user's store", "cp good.db $S; chmod 600 $S", says: "its folder is not writable",
      reading: (3, "it belongs to root. Ask root")
    )
    .asAnotherUser(),
    Ruin(
      "a store of one's own without rights", "cp good.db $S; chmod 0 $S; chown 65534 store $S",
      says: "its mode does not let you read and write it. Run chmod u+rw on it."
    ).asAnotherUser(),
    Ruin(
      "a folder that may not be written to", "chmod 555 store", says: "not writable",
      reading: (3, "nothing is there")
    ).asAnotherUser(),
    Ruin("a folder that may not be entered", "cp good.db $S; chmod 700 store", says: "store")
      .asAnotherUser(),
  ].filter { Place.hasFullDevice || $0.path != "/dev/full" }

  private static let reading = ["status", "doctor", "finish 1234abcd"]
  private static let writing = ["push f", "run f --require-record -- echo ran"]

  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: ruins, reading + writing)
  func isNamedAndLeftAlone(ruin: Ruin, line: String) throws {
    guard !ruin.needsUser || Root.isHere else { return print("not tested: needs root") }
    let path = ruin.path.hasPrefix("/") || ruin.path == "" ? ruin.path : place.folder.path + "/" + ruin.path
    let user = ruin.needsUser ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : ""
    try place.prepare(ruin.script)
    let before = try StoreFiles(of: place)
    let answer = try place.shell("\(user)loadlog \(Self.inserting("--db '\(path)'", into: line))")
    let isReading = Self.reading.contains(line)
    let expected = (isReading ? ruin.reading : nil) ?? (ruin.code, ruin.says)
    #expect(answer.code == expected.0, "\(answer.errors)")
    #expect(answer.errors.contains(expected.1), "\(answer.errors)")
    #expect(answer.isOneComplaint, "\(answer.errors.debugDescription)")
    #expect(answer.output == "")
    #expect(try StoreFiles(of: place) == before)
  }

  @Test(arguments: ruins)
  func aCommandRunsDespiteAnUnusableStore(ruin: Ruin) throws {
    guard !ruin.needsUser || Root.isHere else { return print("not tested: needs root") }
    let path = ruin.path.hasPrefix("/") || ruin.path == "" ? ruin.path : place.folder.path + "/" + ruin.path
    let user = ruin.needsUser ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : ""
    try place.prepare(ruin.script)
    let answer = try place.shell("\(user)loadlog run f --db '\(path)' -- sh -c 'echo ran; exit 7'")
    #expect(answer.code == 7)
    #expect(answer.output == "ran\n")
    #expect(answer.isOneComplaint, "\(answer.errors.debugDescription)")
    #expect(answer.errors.hasPrefix("loadlog: not recorded: "))
  }

  @Test(
    arguments: reading + [
      "history", "unbalanced", "unbalanced --ack --all", "unbalanced --ack abcd", "show 1234abcd",
      "last-updated f",
      "report", "export", "doctor --repair", "prune --older-than 1d", "reset f",
    ])
  func aMissingStoreIsNotMade(line: String) throws {
    let answer = try place.loadlog(line.split(separator: " ").map(String.init))
    #expect(answer.code == 3)
    #expect(answer.isOneComplaint)
    #expect(answer.errors.contains(place.store))
    if !line.hasPrefix("doctor") { #expect(answer.errors.contains("loadlog run FEED -- COMMAND")) }
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/store"))
  }

  @Test(.enabled("needs root to act as another user") { Root.isHere && Place.has("setpriv") })
  func aLogThatMayNotBeWrittenIsNamed() throws {
    try place.prepare("cp good.db $S; touch $S-wal; chmod 400 $S-wal; chown 65534 store $S $S-wal")
    let answer = try place.shell("setpriv --reuid 65534 --regid 65534 --clear-groups loadlog push f")
    #expect(answer.code == 3 && answer.output == "")
    let cause = "the mode of \(place.store)-wal does not let you read and write it. Run chmod u+rw on it.\n"
    #expect(answer.errors == "loadlog: cannot use store \"\(place.store)\": \(cause)")
  }

  @Test(.enabled("needs root to act as another user") { Root.isHere && Place.has("setpriv") })
  func theLogIsReadWhereNothingMayBeWritten() throws {
    let folder = place.folder.path + "/store"
    let user = "setpriv --reuid 65534 --regid 65534 --clear-groups"
    func ask() throws -> Finished {
      try place.shell("chmod 755 \(folder); chmod 644 \(folder)/*; \(user) loadlog status --json")
    }
    try place.loadlog("push", "f")
    try place.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    try place.shell("rm -f \(place.store)-shm \(place.store)-wal")
    let before = try StoreFiles(of: place)
    #expect(try Answer(ask().output)["totals"]["loads"].int == 1)
    #expect(try StoreFiles(of: place) == before)
    try place.loadlog("push", "f")
    try place.shell("rm -f \(place.store)-shm")
    let refused = try ask()
    #expect(refused.code == 3 && refused.isOneComplaint, "\(refused.errors)")
    #expect(refused.errors.contains("Copy the store with its -wal file"), "\(refused.errors)")
  }

  #if os(Linux)
    @Test(.enabled("there is no C compiler") { Place.has("cc") }, arguments: reading + writing)
    func aStoreOnANetworkIsRefused(line: String) throws {
      try place.prepare("cp good.db $S")
      let network = try place.write(
        """
        #include <sys/vfs.h>
        int statfs(const char *path, struct statfs *found) {
          *found = (struct statfs){.f_type = 0x6969};
          return path == 0;
        }
        """, to: "network.c")
      #expect(try place.shell("cc -shared -fPIC -o \(network).so \(network)").code == 0)
      let before = try StoreFiles(of: place)
      let answer = try place.shell("LD_PRELOAD=\(network).so exec loadlog \(line)")
      #expect(answer.code == 3 && answer.isOneComplaint, "\(answer.errors)")
      #expect(answer.errors.contains("network file system (NFS)"), "\(answer.errors)")
      #expect(try StoreFiles(of: place) == before)
    }
  #endif

  @Test func aStoreIsPrivateUnlessItsFolderIsAGroups() throws {
    try place.loadlog("push", "f")
    #expect(try place.mode(of: place.store) == "600" && place.mode(of: place.folder.path + "/store") == "700")
    let shared = place.folder.path + "/shared"
    let text = "mkdir \(shared); chmod 2770 \(shared); loadlog push f --db \(shared)/l"
    #expect(try place.shell(text).output == "1\n")
    #expect(try place.mode(of: shared + "/l") == "660")
  }

  @Test(.enabled("needs root and setpriv") { Root.isHere && Place.has("setpriv") })
  func aStoreInAFolderOfAGroupIsTheGroups() throws {
    let shared = place.folder.path + "/shared"
    let text = "mkdir \(shared); chmod 2770 \(shared); loadlog push f --db \(shared)/l"
    #expect(try place.shell(text).output == "1\n")
    let member = "setpriv --reuid 64321 --regid 64320 --clear-groups loadlog push f --db \(shared)/l"
    let both =
      "chgrp -R 64320 \(shared); chmod 755 \(place.folder.path); umask 077; \(member); loadlog push f --db \(shared)/l"
    #expect(try place.shell(both) == Finished(code: 0, output: "2\n3\n", errors: ""))
  }

  @Test(.enabled("needs root and setpriv") { Root.isHere && Place.has("setpriv") })
  func filesThatRootCreatesBelongToTheStoresOwner() throws {
    let user = "setpriv --reuid 64321 --regid 64321 --clear-groups loadlog push f"
    let text = """
      cd \(place.folder.path); chmod 755 .; mkdir store; chown 64321 store; \(user); rm store/*-gate; loadlog push f
      loadlog run g -- sh -c 'stat -c %u store/*'; \(user)
      """
    #expect(
      try place.shell(text)
        == Finished(
          code: 0, output: "1\n2\n" + String(repeating: "64321\n", count: 5) + "3\n", errors: ""))
  }

  @Test(arguments: ["~/l.db", "link/../l.db", "l/", "new/../new/l.db"])
  func whatIsWrittenIsReadAgain(path: String) throws {
    let text = """
      cd \(place.folder.path); mkdir -p deep/er '~'; ln -s deep/er link
      loadlog push f --db '\(path)'; loadlog pop f --db '\(path)'
      loadlog last-updated f --db '\(path)'; loadlog doctor --repair --db '\(path)' > repaired && \
      loadlog prune --older-than 1d --db '\(path)' > pruned && loadlog export --db '\(path)' | \
      loadlog import - --db '\(path)'
      """
    let answer = try place.shell(text)
    #expect(answer.errors == "")
    #expect(answer.output == "1\n0\nnever\nimported 0 loads; skipped 1, rejected 0\n")
    #expect(try place.shell("ls \(place.folder.path)/home").output == "")
  }

  @Test(arguments: ["l.db/", "link/", "link//"])
  func aSlashAtTheEndChangesNothing(path: String) throws {
    let answer = try place.shell(
      """
      cd \(place.folder.path); loadlog push f --db l.db; ln -s l.db link; loadlog push f --db \(path)
      loadlog pop f --db l.db; loadlog last-updated f --db \(path); ls | grep -c gate
      """)
    #expect(answer == Finished(code: 0, output: "1\n2\n1\nnever\n1\n", errors: ""))
  }

  /// Pages of zeros: SQLite cannot even read the schema.
  @Test func doctorSaysWhatToDoAboutDamage() throws {
    let answer = try place.shell(
      """
      loadlog push f; loadlog doctor -q --repair
      head -c 32768 /dev/zero | tr '\\0' x | dd of=$LOADLOG_DB bs=4096 seek=1 conv=notrunc 2>&1 | grep -c copied
      loadlog doctor
      """)
    #expect(answer.code == 6 && answer.output.contains("✗ integrity: "), "\(answer)")
    #expect(
      answer.output.contains("loadlog recover") && !answer.output.contains("loadlog doctor"), "\(answer)")
  }

  @Test(arguments: ["status", "push f", "doctor --repair"])
  func aFolderThatIsGoneIsNamed(line: String) throws {
    let answer = try place.shell(
      "cd \(place.folder.path); mkdir gone; cd gone; rmdir ../gone; loadlog \(line) --db l.db")
    #expect(answer.code == 3 && answer.isOneComplaint, "\(answer.errors)")
    #expect(answer.errors.contains("the current folder has been deleted"))
  }

  @Test(arguments: ["LOADLOG_DB", "XDG_STATE_HOME", "HOME"], ["status", "push f"])
  func aNameThatIsNoTextIsNotRepaired(variable: String, line: String) throws {
    let answer = try place.shell(
      """
      cd \(place.folder.path); mkdir empty; cd empty; unset LOADLOG_DB XDG_STATE_HOME
      export \(variable)="$PWD"/$'l\\xff'; loadlog \(line); code=$?; ls; exit $code
      """)
    #expect(answer.code == 3 && answer.isOneComplaint && answer.output == "", "\(answer.errors)")
    #expect(answer.errors.contains("$\(variable) ") && answer.errors.contains("not valid UTF-8"))
  }

  @Test(
    arguments: ["report -o", "export -o", "export --format sqlite -o"],
    ["$S", "$S-wal", "$S-gate", "store/link", "other.db", "other.db-wal"])
  func noStoreIsWrittenOver(line: String, target: String) throws {
    try place.prepare("ln -s loads.db store/link; loadlog push f > /dev/null; loadlog push f --db other.db")
    let before = (try StoreFiles(of: place), try place.shell("cat \(place.folder.path)/other.db*").output)
    let answer = try place.shell("cd \(place.folder.path); S=store/loads.db; loadlog \(line) \(target)")
    #expect(answer.code == 2 && answer.isOneComplaint, "\(answer.errors)")
    #expect(try StoreFiles(of: place) == before.0)
    #expect(try place.shell("cat \(place.folder.path)/other.db*").output == before.1)
  }

  @Test func theStoreIsWhereTheEnvironmentSays() throws {
    place.environment["LOADLOG_DB"] = nil
    try place.loadlog("push", "f")
    #expect(FileManager.default.fileExists(atPath: place.folder.path + "/home/state/loadlog/loadlog.db"))
    place.environment["XDG_STATE_HOME"] = nil
    try place.loadlog("push", "f")
    #expect(
      FileManager.default.fileExists(atPath: place.folder.path + "/home/.local/state/loadlog/loadlog.db"))
    place.environment["LOADLOG_DB"] = ""
    let answer = try place.loadlog("push", "f")
    #expect(answer.code == 3 && answer.isOneComplaint, "\(answer.errors)")
  }

  /// The flag before a command that follows dashes.
  private static func inserting(_ flag: String, into line: String) -> String {
    let parts = line.components(separatedBy: " -- ")
    return ([parts[0] + " " + flag] + parts.dropFirst()).joined(separator: " -- ")
  }
}

extension Place {
  /// Makes a store `good.db` that needs no log, and runs a script in the folder.
  fileprivate func prepare(_ script: String) throws {
    let make = """
      set -e; cd '\(folder.path)'; chmod 755 . ; mkdir store; S=store/loads.db
      loadlog push f --db good.db >/dev/null; sqlite3 good.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
      \(script)
      """
    let made = try shell(make)
    try #require(made.code == 0 && made.errors == "", "\(made.errors)")
  }
}
