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

// libFuzzer is wanted by what is fuzzed alone, and Swift's linker on Linux has none of its flags. FUZZ=1 adds the address
// sanitizer, FUZZ=fuzzer doesn't.
let fuzz = ProcessInfo.processInfo.environment["FUZZ"]
let sanitizers = "-sanitize=" + (fuzz == "1" ? "fuzzer,address" : fuzz ?? "")
// Only what is fuzzed is linked: libFuzzer looks at the counters of all the code that is, after each input.
let fuzzers: [Target] =
    fuzz == nil
    ? []
    : [
        .target(name: "Fuzzing", swiftSettings: settings + [.unsafeFlags([sanitizers])]),
        .target(
            name: "ImportParts", dependencies: [.product(name: "Persisting", package: "Persisting")],
            swiftSettings: settings + [.unsafeFlags([sanitizers])]),
    ]
        + [
            ("FuzzText", ["SQLiteKit"]), ("FuzzRows", ["SQLiteKit", "Persisting"]),
            ("FuzzFormats", ["SQLiteKit", "Persisting"]), ("FuzzImports", ["SQLiteKit", "Persisting"]),
            ("FuzzChangesets", ["SQLiteKit"]), ("FuzzMessages", ["SQLiteKit", "Persisting", "DqliteKit"]),
        ].map { name, products in
            .executableTarget(
                name: name,
                dependencies: products.map { .product(name: $0, package: "Persisting") }
                    + (products.contains("Persisting") ? ["Fuzzing", "ImportParts"] : ["Fuzzing"]),
                swiftSettings: settings + [.unsafeFlags([sanitizers])],
                linkerSettings: [.unsafeFlags([sanitizers, "-use-ld=lld"])])
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
