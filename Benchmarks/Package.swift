// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
let loadLog = Target.Dependency.product(name: "LoadLog", package: "LoadLog")

/// Programs that measure LoadLog. A separate package, so that users never resolve its dependencies.
let package = Package(
  name: "LoadLogBenchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "make-store", targets: ["MakeStore"]),
    .executable(name: "measure", targets: ["Measure"]),
    .executable(name: "grdb-writer", targets: ["GRDBWriter"]),
    .executable(name: "empty", targets: ["Empty"]),
  ],
  dependencies: [
    .package(name: "LoadLog", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(name: "MakeStore", dependencies: [loadLog], swiftSettings: settings),
    // Depends on the command line tool so that one build with the same flags makes both.
    .executableTarget(
      name: "Measure", dependencies: [loadLog, .product(name: "loadlog", package: "LoadLog")],
      swiftSettings: settings),
    .executableTarget(name: "Empty", swiftSettings: settings),
    .executableTarget(
      name: "GRDBWriter", dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
      path: "Peers/GRDBWriter", swiftSettings: settings),
  ])
