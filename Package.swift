// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, explicit existentials, private imports, and no warning left standing.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// An app for an Apple platform shows the SDK's privacy manifest in its report. Elsewhere a resource would only bring
// Foundation's bundles into the build.
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
        // Apart from WalletAuth, because CryptoExtras brings BoringSSL into an app.
        .library(name: "WalletAuthPIN", targets: ["WalletAuthPIN"]),
        .library(name: "WalletAuthTesting", targets: ["WalletAuthTesting"]),
        // For backends: it depends on no app's code and on no server framework.
        .library(name: "WalletAuthVerifier", targets: ["WalletAuthVerifier"]),
        .library(name: "WalletAuthWire", targets: ["WalletAuthWire"]),
    ],
    dependencies: [
        // Up to the next minor version: WalletAuthPIN uses P384._VOPRF, which swift-crypto underscores. A new minor version is
        // let in when the tests of WPIN-1 pass with it.
        .package(url: "https://github.com/apple/swift-crypto.git", "4.5.2"..<"4.6.0")
    ],
    targets: [
        .target(
            name: "WalletAuthWire",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(
            name: "WalletAuth",
            dependencies: ["WalletAuthWire", .product(name: "Crypto", package: "swift-crypto")],
            exclude: resourcesOfOtherPlatforms,
            resources: privacyManifest,
            swiftSettings: strict),
        .target(
            name: "WalletAuthPIN",
            dependencies: [
                "WalletAuth", "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "WalletAuthTesting",
            dependencies: ["WalletAuth", "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(
            name: "WalletAuthVerifier",
            dependencies: [
                "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthWireTests",
            dependencies: ["WalletAuthWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthTests",
            dependencies: [
                "WalletAuth", "WalletAuthTesting", "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthPINTests",
            dependencies: [
                "WalletAuth", "WalletAuthPIN", "WalletAuthTesting", "WalletAuthWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WalletAuthVerifierTests",
            dependencies: [
                "WalletAuthVerifier", "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // The samples of the articles, the README and the iOS page, compiled and in part run.
        .testTarget(
            name: "ArticleTests",
            dependencies: [
                "WalletAuth", "WalletAuthPIN", "WalletAuthTesting", "WalletAuthVerifier", "WalletAuthWire",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
