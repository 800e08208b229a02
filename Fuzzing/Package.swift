// swift-tools-version: 6.2
import PackageDescription

/// Fuzz targets for the readers of QR codes and payloads. `scripts/fuzz` builds and runs them: without `--sanitize=fuzzer`
/// the programs have no `main`.
///
/// A package of its own, so that nobody builds it who only uses the SDK or runs the server.
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
    // Each has the properties of the SDK's tests by a symbolic link.
    targets: ["fuzz-transaction-link", "fuzz-transaction-payload"].map {
        Target.executableTarget(
            name: $0,
            dependencies: [.product(name: "WalletAuthWire", package: "swift-wallet-auth")],
            swiftSettings: strict)
    },
    swiftLanguageModes: [.v6]
)
