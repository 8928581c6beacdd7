// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// Fuzzing targets for libFuzzer, in a separate package so that other builds do not use its sanitizers.
///
/// `./dev torture fuzz --long` builds it with the address sanitizer, coverage counters and the compiler's
/// libFuzzer.
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
