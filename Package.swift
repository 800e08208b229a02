// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: Swift 6 mode, explicit existentials, internal imports, and warnings as errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// On Apple platforms, an app's privacy report includes the SDK's manifest. Elsewhere a resource would only add
// Foundation's bundles to the build.
#if canImport(Darwin)
    let privacyManifest: [Resource] = [.copy("Resources/PrivacyInfo.xcprivacy")]
    let resourcesOfOtherPlatforms: [String] = []
#else
    let privacyManifest: [Resource] = []
    let resourcesOfOtherPlatforms = ["Resources"]
#endif

let package = Package(
    name: "swift-wallet-auth",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "WalletAuth", targets: ["WalletAuth"]),
        // Separate from WalletAuth, because CryptoExtras adds BoringSSL to an app.
        .library(name: "WalletAuthPIN", targets: ["WalletAuthPIN"]),
        // An observable session, and SwiftUI's button and sheets for it. On other platforms it has the models alone.
        .library(name: "WalletAuthUI", targets: ["WalletAuthUI"]),
        // The desktop's browser for programs on Linux; empty on other platforms. Separate from WalletAuth, because it is a server.
        .library(name: "WalletAuthLoopback", targets: ["WalletAuthLoopback"]),
        .library(name: "WalletAuthTesting", targets: ["WalletAuthTesting"]),
        // For backends. It depends on neither the app's SDK nor a server framework.
        .library(name: "WalletAuthVerifier", targets: ["WalletAuthVerifier"]),
        .library(name: "WalletAuthWire", targets: ["WalletAuthWire"]),
        // Each has the names of another vendor's SDK, so that an app moves here by changing its import.
        .library(name: "CloverCompat", targets: ["CloverCompat"]),
        .library(name: "NextAuthCompat", targets: ["NextAuthCompat"]),
        .library(name: "PaydiantCompat", targets: ["PaydiantCompat"]),
        .library(name: "PaysafeCompat", targets: ["PaysafeCompat"]),
    ],
    dependencies: [
        // Up to the next minor version, because WalletAuthPIN uses P384._VOPRF, which swift-crypto underscores. Allow a new
        // minor version once the tests of WPIN-1 pass with it.
        .package(url: "https://github.com/apple/swift-crypto.git", "4.5.2"..<"4.6.0")
    ],
    targets: [
        .target(
            name: "WalletAuthWire",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        // Not a product: all of it is `package`, for WalletAuth and WalletAuthVerifier to share.
        .target(name: "WalletAuthTransport", dependencies: ["WalletAuthWire"], swiftSettings: strict),
        // The files of Resources/Texts, in the app's program.
        .target(name: "CWalletAuthTexts"),
        .target(
            name: "WalletAuth",
            dependencies: [
                "CWalletAuthTexts", "WalletAuthTransport", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: resourcesOfOtherPlatforms,
            resources: privacyManifest,
            swiftSettings: strict),
        .target(
            name: "WalletAuthPIN",
            dependencies: [
                "WalletAuth", "WalletAuthTransport", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "WalletAuthUI", dependencies: ["WalletAuth", "WalletAuthWire"], swiftSettings: strict),
        .target(
            name: "WalletAuthLoopback",
            dependencies: [
                "WalletAuth", "WalletAuthTransport", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "WalletAuthTesting",
            dependencies: [
                "WalletAuth", "WalletAuthTransport", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "WalletAuthVerifier",
            dependencies: [
                "WalletAuthTransport", "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // Not a product: what the four modules below share.
        .target(name: "CompatCalls", dependencies: ["WalletAuthTransport"], swiftSettings: strict),
        .target(
            name: "CloverCompat", dependencies: ["CompatCalls", "WalletAuth", "WalletAuthTransport", "WalletAuthWire"],
            swiftSettings: strict),
        .target(
            name: "NextAuthCompat",
            dependencies: ["CompatCalls", "WalletAuth", "WalletAuthPIN", "WalletAuthTransport", "WalletAuthWire"],
            swiftSettings: strict),
        .target(
            name: "PaydiantCompat",
            dependencies: ["CompatCalls", "WalletAuth", "WalletAuthPIN", "WalletAuthTransport", "WalletAuthWire"],
            swiftSettings: strict),
        .target(
            name: "PaysafeCompat",
            dependencies: ["CompatCalls", "WalletAuth", "WalletAuthPIN", "WalletAuthTransport", "WalletAuthWire"],
            swiftSettings: strict),
        .testTarget(
            name: "CompatTests",
            dependencies: [
                "CompatCalls", "CloverCompat", "NextAuthCompat", "PaydiantCompat", "PaysafeCompat", "WalletAuth",
                "WalletAuthPIN", "WalletAuthTesting", "WalletAuthTransport", "WalletAuthWire",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthWireTests",
            dependencies: ["WalletAuthWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthTests",
            dependencies: [
                "WalletAuth", "WalletAuthLoopback", "WalletAuthTesting", "WalletAuthTransport", "WalletAuthUI",
                "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthPINTests",
            dependencies: [
                "WalletAuth", "WalletAuthPIN", "WalletAuthTesting", "WalletAuthTransport", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthVerifierTests",
            dependencies: [
                "WalletAuthTransport", "WalletAuthVerifier", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // Compiles the samples of the articles, the README and the iOS page, and runs some of them.
        .testTarget(
            name: "ArticleTests",
            dependencies: [
                "CloverCompat", "NextAuthCompat", "PaydiantCompat", "PaysafeCompat", "WalletAuth", "WalletAuthLoopback",
                "WalletAuthPIN", "WalletAuthTesting", "WalletAuthUI", "WalletAuthVerifier", "WalletAuthWire",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
