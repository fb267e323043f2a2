// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"]))

let package = Package(
    name: "Persisting",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SQLiteKit", targets: ["SQLiteKit"]),
        .library(name: "Persisting", targets: ["Persisting"]),
        .library(name: "PersistingDiagnostics", targets: ["PersistingDiagnostics"]),
        .library(name: "PersistingObservability", targets: ["PersistingObservability"]),
        .library(name: "DqliteKit", targets: ["DqliteKit"]),
        .library(name: "PersistingTool", targets: ["PersistingTool"]),
        .executable(name: "persisting", targets: ["PersistingCommand"]),
    ],
    traits: [
        .trait(name: "Tool", description: "Commands for schemas and files, which need swift-argument-parser."),
        .trait(name: "Observability", description: "PersistingObservability: logs, metrics and spans of statements."),
    ],
    dependencies: [
        // Each is for one trait alone. Without it, it is neither fetched nor resolved.
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
    ],
    targets: [
        .systemLibrary(
            name: "CSystemSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .target(name: "SQLiteKit", dependencies: ["CSystemSQLite"], swiftSettings: settings),
        .target(name: "Persisting", dependencies: ["SQLiteKit"], swiftSettings: settings),
        .target(
            name: "PersistingDiagnostics", dependencies: ["Persisting", "SQLiteKit"], swiftSettings: settings),
        .target(
            name: "PersistingObservability",
            dependencies: [
                "PersistingDiagnostics", "SQLiteKit",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Observability"])),
            ],
            swiftSettings: settings),
        .target(name: "DqliteKit", dependencies: ["Persisting", "SQLiteKit"], swiftSettings: settings),
        .target(
            name: "PersistingTool",
            dependencies: ["Persisting", "PersistingDiagnostics", "SQLiteKit", argumentParser],
            swiftSettings: settings),
        .executableTarget(
            name: "PersistingCommand",
            dependencies: ["Persisting", "PersistingDiagnostics", "PersistingTool", "SQLiteKit", argumentParser],
            swiftSettings: settings),
        .executableTarget(
            name: "AlbumTool", dependencies: ["Persisting", "PersistingTool"], path: "Examples/AlbumTool",
            swiftSettings: settings),
        .executableTarget(
            name: "Album", dependencies: ["Persisting"], path: "Examples/Album", swiftSettings: settings),
        .executableTarget(
            name: "Cluster", dependencies: ["DqliteKit"], path: "Examples/Cluster", swiftSettings: settings),
        .executableTarget(
            name: "Watch", dependencies: ["Persisting"], path: "Examples/Watch", swiftSettings: settings),
        // Of no product: what makes calls fail, and tables of random rows, for the tests.
        .target(name: "CFaults", path: "Torture/Sources/CFaults", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "Faults", dependencies: ["CFaults"], path: "Torture/Sources/Faults", swiftSettings: settings),
        .target(
            name: "RandomTables", dependencies: ["Persisting", "SQLiteKit"], path: "Torture/Sources/RandomTables",
            swiftSettings: settings),
        .target(name: "NodeProcesses", path: "Torture/Sources/NodeProcesses", swiftSettings: settings),
        .testTarget(
            name: "SQLiteKitTests", dependencies: ["SQLiteKit", "Faults", "NodeProcesses"], swiftSettings: settings),
        .testTarget(
            name: "PersistingTests",
            dependencies: [
                "DqliteKit", "Persisting", "PersistingDiagnostics", "Faults", "NodeProcesses", "RandomTables",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MainActorTests", dependencies: ["Persisting"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "DqliteKitTests", dependencies: ["DqliteKit", "Persisting", "SQLiteKit", "NodeProcesses", "Cluster"],
            swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["DqliteKit", "Persisting", "PersistingDiagnostics", "SQLiteKit"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6])
