// swift-tools-version: 6.2
import PackageDescription

/// Fuzz targets for the parsers of QR codes and payloads. `scripts/fuzz` builds and runs them: without
/// `--sanitize=fuzzer` the programs have no `main`.
///
/// A package of its own, so that users of the SDK or the server do not build it.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "walletauth-fuzzing",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "swift-wallet-auth", path: "..")],
    // A symbolic link gives each target the properties that the SDK's tests check.
    targets: ["fuzz-transaction-link", "fuzz-transaction-payload"].map {
        Target.executableTarget(
            name: $0,
            dependencies: [.product(name: "WalletAuthWire", package: "swift-wallet-auth")],
            swiftSettings: strict)
    },
    swiftLanguageModes: [.v6]
)
