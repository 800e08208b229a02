// swift-tools-version: 6.2
import PackageDescription

/// The limits that the server is held against, built the way the server is: same packages, same settings, release.
///
/// A package of its own, so that nobody builds it who only uses the SDK or runs the server.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "walletauth-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-wallet-auth", path: ".."),
        .package(name: "walletauth-server", path: "../Server"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        // One build makes what is measured and what it is measured against: the programs are dependencies here.
        .executableTarget(
            name: "constant-answer",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "walletauth", package: "walletauth-server"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "crypto-cost",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .systemLibrary(name: "CArgon2Limit", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .executableTarget(name: "password-cost", dependencies: ["CArgon2Limit"], swiftSettings: strict),
        .executableTarget(
            name: "sdk-token",
            dependencies: [
                .product(name: "WalletAuth", package: "swift-wallet-auth"),
                .product(name: "WalletAuthTesting", package: "swift-wallet-auth"),
                .product(name: "WalletAuthWire", package: "swift-wallet-auth"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
