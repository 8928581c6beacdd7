// swift-tools-version: 6.2
import PackageDescription

/// Plain programs that measure LoadLog; a package of its own, so that users never resolve what it needs.
let package = Package(
  name: "LoadLogBenchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "make-store", targets: ["MakeStore"])],
  dependencies: [.package(name: "LoadLog", path: "..")],
  targets: [
    .executableTarget(
      name: "MakeStore", dependencies: [.product(name: "LoadLog", package: "LoadLog")],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ])
