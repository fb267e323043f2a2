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

// With FUZZ=1 the fuzzers run under libFuzzer and the address sanitizer, with FUZZ=fuzzer under libFuzzer alone.
// Swift's linker on Linux has none of their flags. Without FUZZ they read the inputs that they are given.
let fuzz = ProcessInfo.processInfo.environment["FUZZ"]
let sanitizer = fuzz.map { "-sanitize=" + ($0 == "1" ? "fuzzer,address" : $0) }
let fuzzSettings = settings + (sanitizer.map { [.unsafeFlags([$0]), .define("FUZZ")] } ?? [])
// Each links what it reads and no more: libFuzzer looks at the counters of all the code after each input.
let fuzzers: [Target] =
    [
        .target(name: "Fuzzing", swiftSettings: fuzzSettings),
        .target(
            name: "ImportParts", dependencies: [.product(name: "Persisting", package: "Persisting")],
            swiftSettings: fuzzSettings),
    ]
    + [
        ("FuzzText", ["SQLiteKit"]), ("FuzzChangesets", ["SQLiteKit"]), ("FuzzRows", ["SQLiteKit", "Persisting"]),
        ("FuzzFormats", ["SQLiteKit", "Persisting"]), ("FuzzImports", ["SQLiteKit", "Persisting"]),
        ("FuzzFiles", ["SQLiteKit", "Persisting", "PersistingDiagnostics"]),
        ("FuzzMessages", ["SQLiteKit", "Persisting", "DqliteKit"]),
    ].map { name, products in
        .executableTarget(
            name: name,
            dependencies: products.map { .product(name: $0, package: "Persisting") }
                + (products.contains("Persisting") ? ["Fuzzing", "ImportParts"] : ["Fuzzing"]),
            swiftSettings: fuzzSettings,
            linkerSettings: sanitizer.map { [.unsafeFlags([$0, "-use-ld=lld"])] })
    }

// Prints the classes of other programs' databases, and compares what they read, once `Scripts/others-files` has printed
// them.
let persisting: [Target.Dependency] = ["Persisting", "PersistingDiagnostics", "SQLiteKit"].map {
    .product(name: $0, package: "Persisting")
}
let others: [Target] =
    (["PrintModels"] + (ProcessInfo.processInfo.environment["COMPARE_FILES"] == nil ? [] : ["CompareFiles"])).map {
        .executableTarget(name: $0, dependencies: persisting, path: "OthersFiles/\($0)", swiftSettings: settings)
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
    ] + fuzzers + others,
    swiftLanguageModes: [.v6])
