// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that the library's tests need neither the trait nor what it fetches.
let package = Package(
    name: "Observability",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Persisting", path: "../..", traits: ["Observability"]),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
    ],
    targets: [
        .testTarget(
            name: "PersistingObservabilityTests",
            dependencies: [
                .product(name: "Persisting", package: "Persisting"),
                .product(name: "PersistingObservability", package: "Persisting"),
                .product(name: "SQLiteKit", package: "Persisting"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ])
    ],
    swiftLanguageModes: [.v6])
