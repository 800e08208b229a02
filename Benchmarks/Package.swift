// swift-tools-version: 6.2
import PackageDescription

/// Baselines for the server's benchmarks, built as the server is: same packages and settings, in release mode.
///
/// A package of its own, so that users of the SDK or the server do not build it.
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
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        // The programs are dependencies here, so that one build makes both the measured code and its baseline.
        .executableTarget(
            name: "constant-answer",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "walletauth", package: "walletauth-server"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "constant-post",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
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
