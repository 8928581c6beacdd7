// swift-tools-version: 6.2
import PackageDescription

let loadLog = Context.environment["LOADLOG_REPOSITORY"] ?? ""

/// An app's package that asks for no trait. Tests/Scripts/consumer.py resolves and tests it.
let package = Package(
  name: "Consumer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: loadLog, branch: "main", traits: [])],
  targets: [
    .testTarget(
      name: "ConsumerTests",
      dependencies: [
        .product(name: "LoadLog", package: "loadlog"),
        .product(name: "LoadLogPresentation", package: "loadlog"),
        .product(name: "LoadLogTestSupport", package: "loadlog"),
      ])
  ])
