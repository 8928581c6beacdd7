// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// A server that answers a constant, and what measures the fleet. A package of its own, so that the other benchmarks need no
/// Hummingbird; it depends on LoadLog so that one build with the same flags makes `loadlog-net` too.
let package = Package(
  name: "Constant",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LoadLog", path: "../../..", traits: ["Server", "Fleet"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "constant",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "loadlog-net", package: "LoadLog"),
      ],
      path: "Sources", swiftSettings: settings),
    .executableTarget(
      name: "rounds",
      dependencies: [
        .product(name: "LoadLog", package: "LoadLog"), .product(name: "LoadLogFleet", package: "LoadLog"),
      ],
      path: "Rounds", swiftSettings: settings),
  ])
