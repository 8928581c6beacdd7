// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// What libFuzzer drives; a package of its own, so that no other build sees its sanitizers.
///
/// `./dev torture fuzz --long` builds it: with the address sanitizer, with counters of what is covered, and with the
/// compiler's own libFuzzer.
let package = Package(
  name: "LoadLogFuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LoadLog", path: "../..")],
  targets: [
    .target(name: "CFuzzer"),
    .executableTarget(
      name: "LoadLogFuzz",
      dependencies: [
        "CFuzzer",
        .product(name: "LoadLog", package: "LoadLog"),
        .product(name: "LoadLogReports", package: "LoadLog"),
      ],
      swiftSettings: settings),
  ])
