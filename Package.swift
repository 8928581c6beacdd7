// swift-tools-version: 6.2
import PackageDescription

// With a trait, a target gets the product of a package; without it, SwiftPM does not even resolve the package. Add a trait in
// three places: `traits`, its packages in `dependencies`, and `product(…, if:)` in the targets that need them.

/// A product that a target uses only with a trait, and the code around it `#if` the trait.
func product(_ name: String, _ package: String, if trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// One set of rules for every target.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

// Apple's stores ask what an app's libraries use of the system. On other systems the file would only need a bundle.
#if canImport(Darwin)
  let (privacy, notHere): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
  let (privacy, notHere): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
  name: "LoadLog",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "LoadLog", targets: ["LoadLog"]),
    .library(name: "LoadLogCore", targets: ["LoadLogCore"]),
    .library(name: "LoadLogReports", targets: ["LoadLogReports"]),
    .library(name: "LoadLogPresentation", targets: ["LoadLogPresentation"]),
    .library(name: "LoadLogTracing", targets: ["LoadLogTracing"]),
    .library(name: "LoadLogFleet", targets: ["LoadLogFleet"]),
    .library(name: "LoadLogTestSupport", targets: ["LoadLogTestSupport"]),
    .executable(name: "loadlog", targets: ["LoadLogProgram"]),
    .executable(name: "loadlog-net", targets: ["LoadLogNetProgram"]),
  ],
  traits: [
    .default(enabledTraits: ["CommandLine"]),
    .trait(
      name: "CommandLine",
      description: "Build loadlog; adds swift-argument-parser.",
      enabledTraits: ["Reports"]),
    .trait(name: "Reports", description: "Build the HTML report into LoadLogReports; adds swift-mustache."),
    .trait(
      name: "Server",
      description:
        "Build the HTTP server and webhooks into loadlog-net; adds Hummingbird and AsyncHTTPClient.",
      enabledTraits: ["CommandLine"]),
    .trait(
      name: "Tracing",
      description: "Build the tracer into LoadLogTracing; adds swift-distributed-tracing."),
    .trait(name: "Fleet", description: "Let hosts ship to a PostgreSQL database; needs libpq 14 or newer."),
  ],
  dependencies: [
    // All that an app resolves that asks for no trait.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    // CommandLine
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // Reports
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.0.0"),
    // Tracing
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    // Server
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.20.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
  ],
  targets: [
    .target(name: "CLoadLogShims"),
    .target(name: "LoadLogLibC", swiftSettings: settings),
    .target(name: "LoadLogJSON", swiftSettings: settings),
    .target(
      name: "LoadLogCore",
      dependencies: [
        "CLoadLogShims", "LoadLogLibC",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ],
      exclude: notHere,
      resources: privacy,
      swiftSettings: settings),
    .target(
      name: "SQLiteMigrations",
      path: "Migrations/SQLite",
      resources: [.embedInCode("sql")],
      swiftSettings: settings),
    .target(
      name: "LoadLogSQLite",
      dependencies: [
        "CLoadLogShims", "LoadLogCore", "LoadLogLibC", "LoadLogText", "SQLiteMigrations",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .target(
      name: "LoadLog",
      dependencies: ["LoadLogCore", "LoadLogSQLite", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .target(
      name: "PostgresMigrations",
      path: "Migrations/Postgres",
      resources: [.embedInCode("sql")],
      swiftSettings: settings),
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "LoadLogFleet",
      dependencies: [
        .target(name: "CPostgres", condition: .when(traits: ["Fleet"])), "LoadLogCore", "LoadLogLibC",
        "LoadLogSQLite", "LoadLogText", "PostgresMigrations",
      ],
      swiftSettings: settings),
    .target(name: "LoadLogText", swiftSettings: settings),
    .target(
      name: "LoadLogReports",
      dependencies: [
        "LoadLogCore", "LoadLogJSON", "LoadLogLibC", "LoadLogText",
        product("Mustache", "swift-mustache", if: "Reports"),
      ],
      resources: [.embedInCode("HTML/Resources")],
      swiftSettings: settings),
    .target(
      name: "LoadLogPresentation",
      dependencies: ["LoadLogCore", "LoadLogText"],
      swiftSettings: settings),
    .target(
      name: "LoadLogTracing",
      dependencies: [
        "LoadLogCore",
        product("Tracing", "swift-distributed-tracing", if: "Tracing"),
      ],
      swiftSettings: settings),
    .target(
      name: "LoadLogTestSupport",
      dependencies: ["LoadLogCore", "LoadLogLibC", "LoadLogSQLite", "LoadLog"],
      swiftSettings: settings),
    .executableTarget(name: "LoadLogProgram", dependencies: ["LoadLogCLI"]),
    .target(name: "CLoadLogCLI", dependencies: ["CLoadLogShims"]),
    .target(
      name: "LoadLogCLI",
      dependencies: [
        "CLoadLogCLI", "CLoadLogShims", "LoadLog", "LoadLogPresentation", "LoadLogReports", "LoadLogText",
        product("ArgumentParser", "swift-argument-parser", if: "CommandLine"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogNetProgram",
      dependencies: [
        "LoadLog", "LoadLogCLI", "LoadLogFleet", "LoadLogSQLite", "LoadLogServer",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .systemLibrary(name: "CZlib"),
    .target(
      name: "LoadLogServer",
      dependencies: [
        .target(name: "CZlib", condition: .when(traits: ["Server"])), "CLoadLogShims", "LoadLog",
        "LoadLogCLI", "LoadLogCore", "LoadLogPresentation", "LoadLogReports", "LoadLogText",
        product("AsyncHTTPClient", "async-http-client", if: "Server"),
        product("Crypto", "swift-crypto", if: "Server"),
        product("HTTPTypes", "swift-http-types", if: "Server"),
        product("Hummingbird", "hummingbird", if: "Server"),
        product("HummingbirdCore", "hummingbird", if: "Server"),
        product("NIOCore", "swift-nio", if: "Server"),
        product("NIOHTTPTypes", "swift-nio-extras", if: "Server"),
        product("NIOHTTP1", "swift-nio", if: "Server"),
        product("NIOPosix", "swift-nio", if: "Server"),
        product("NIOSSL", "swift-nio-ssl", if: "Server"),
        product("ServiceLifecycle", "swift-service-lifecycle", if: "Server"),
        product("UnixSignals", "swift-service-lifecycle", if: "Server"),
        .product(name: "Logging", package: "swift-log"),
      ],
      resources: [.embedInCode("Demo/Resources")],
      swiftSettings: settings),
    .target(
      name: "TestProcesses",
      dependencies: ["LoadLogLibC"],
      path: "Tests/Support",
      swiftSettings: settings),
    .target(
      name: "Oracle",
      dependencies: ["LoadLog", "LoadLogTestSupport", "TestProcesses"],
      path: "Tests/Oracle",
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogCoreTests",
      dependencies: ["LoadLogCore", "LoadLogLibC", "LoadLogSQLite", "LoadLogTestSupport", "TestProcesses"],
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogSQLiteTests",
      dependencies: [
        "LoadLogLibC", "LoadLogReports", "LoadLogSQLite", "LoadLogTestSupport", "SQLiteMigrations",
        "TestProcesses",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["Exchange/Fixtures", "Releases/Snapshots"],
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogTests",
      dependencies: [
        "LoadLog", "LoadLogTestSupport", "Oracle", "TestProcesses",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogFleetTests",
      dependencies: [
        "LoadLog", "LoadLogFleet", "LoadLogSQLite", "LoadLogTestSupport", "Oracle", "PostgresMigrations",
        "TestProcesses",
        product("ServiceLifecycle", "swift-service-lifecycle", if: "Server"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogFormatsFixture",
      dependencies: ["LoadLogCore", "LoadLogReports", "LoadLogSQLite"],
      path: "Tests/Fixtures/Formats",
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogTextTests",
      dependencies: ["LoadLogText"],
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogJSONTests",
      dependencies: ["LoadLogJSON", "TestProcesses"],
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogReportsTests",
      dependencies: [
        "LoadLogFormatsFixture", "LoadLogJSON", "LoadLogReports", "LoadLogTestSupport", "ReportExamples",
        "TestProcesses",
      ],
      exclude: ["Formats/Snapshots", "HTML/Snapshots", "Snapshots"],
      swiftSettings: settings),
    .target(
      name: "ReportExamples",
      dependencies: ["LoadLogReports", "LoadLogSQLite", "LoadLogTestSupport"],
      path: "Tests/ReportExamples",
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogReportFixture",
      dependencies: ["LoadLogReports", "ReportExamples"],
      path: "Tests/Fixtures/ReportPages",
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogPresentationTests",
      dependencies: [
        "LoadLog", "LoadLogPresentation", "LoadLogTestSupport", "LoadLogText",
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Snapshots"],
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogServerTests",
      dependencies: ["LoadLog", "LoadLogCLI", "LoadLogServer", "LoadLogTestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogStressFixture",
      dependencies: ["LoadLog"],
      path: "Tests/Fixtures/Stress",
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogTortureFixture",
      dependencies: ["LoadLog"],
      path: "Tests/Fixtures/Torture",
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogHostFixture",
      dependencies: ["LoadLog"],
      path: "Tests/Fixtures/Host",
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogTracingFixture",
      dependencies: [
        "LoadLog", "LoadLogTracing",
        product("Hummingbird", "hummingbird", if: "Server"),
        product("Tracing", "swift-distributed-tracing", if: "Tracing"),
      ],
      path: "Tests/Fixtures/Tracing",
      swiftSettings: settings),
    .executableTarget(
      name: "LoadLogBadInputFixture",
      dependencies: ["LoadLog", "LoadLogReports"],
      path: "Tests/Fixtures/BadInput",
      swiftSettings: settings),
    .testTarget(
      name: "LoadLogCLITests",
      dependencies: [
        "LoadLogCLI", "LoadLogPresentation", "LoadLogReports", "LoadLogStressFixture", "LoadLogTestSupport",
        "LoadLogText", "TestProcesses",
      ],
      exclude: ["Snapshots"],
      swiftSettings: settings),
  ]
)
