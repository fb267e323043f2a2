// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A package of its own, so that the library it is compared with never reaches a user.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Persisting", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CBenchmarkSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBenchmarkSQLite",
                .product(name: "DqliteKit", package: "Persisting"),
                .product(name: "Persisting", package: "Persisting"),
                .product(name: "SQLiteKit", package: "Persisting"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6])
