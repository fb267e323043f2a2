// swift-tools-version: 6.2

import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// libFuzzer is wanted by what is fuzzed alone, and Swift's linker on Linux has none of its flags.
let fuzzing = ["-sanitize=fuzzer,address", "-use-ld=lld"]
let fuzzers: [Target] =
    ProcessInfo.processInfo.environment["FUZZ"] == nil
    ? []
    : [
        .target(
            name: "Fuzzing", swiftSettings: settings + [.unsafeFlags(["-sanitize=fuzzer,address"])])
    ]
        + ["FuzzImports", "FuzzFormats", "FuzzChangesets", "FuzzMessages"].map { name in
            .executableTarget(
                name: name,
                dependencies: [
                    "Fuzzing", .product(name: "DqliteKit", package: "Persisting"),
                    .product(name: "Persisting", package: "Persisting"),
                    .product(name: "SQLiteKit", package: "Persisting"),
                ],
                swiftSettings: settings + [.unsafeFlags(["-sanitize=fuzzer,address"])],
                linkerSettings: [.unsafeFlags(fuzzing)])
        }

// A package of its own, so that what breaks disks and memory never reaches a user.
let package = Package(
    name: "Torture",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Persisting", path: "..")],
    targets: [
        .target(name: "CFaults", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "Faults", dependencies: ["CFaults"], swiftSettings: settings),
        .target(
            name: "RandomTables",
            dependencies: [
                .product(name: "Persisting", package: "Persisting"),
                .product(name: "SQLiteKit", package: "Persisting"),
            ],
            swiftSettings: settings),
        .target(name: "NodeProcesses", swiftSettings: settings),
        .executableTarget(
            name: "Torture",
            dependencies: [
                "Faults", "NodeProcesses", "RandomTables",
                .product(name: "DqliteKit", package: "Persisting"),
                .product(name: "Persisting", package: "Persisting"),
                .product(name: "SQLiteKit", package: "Persisting"),
            ],
            swiftSettings: settings),
    ] + fuzzers,
    swiftLanguageModes: [.v6])
