// swift-tools-version: 6.2
import PackageDescription

// Type-checks the Apple adapters on Linux, in Swift 6 mode, against stub modules that declare the frameworks' few symbols
// in use: `swift build --package-path Tests/AppleStubs`. Declarations come from Apple's documentation, isolation and
// availability included. `swift test` runs the adapters' own decisions (what is asked of the keychain, what its answers
// mean, who learns when a page closes) against stubs that a test scripts. How Apple's frameworks behave it cannot prove.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "AppleStubs",
    targets: [
        .target(name: "Security", swiftSettings: strict),
        .target(name: "LocalAuthentication", swiftSettings: strict),
        .target(name: "AuthenticationServices", swiftSettings: strict),
        .target(name: "DeviceCheck", swiftSettings: strict),
        .target(name: "CryptoKit", dependencies: ["Security", "LocalAuthentication"], swiftSettings: strict),
        // For the views of WalletAuthUI and for Examples/WalletApp, which scripts/check-apple compiles over the whole SDK.
        .target(name: "SwiftUI", swiftSettings: strict),
        .target(name: "AppIntents", swiftSettings: strict),
        .target(name: "WidgetKit", dependencies: ["AppIntents", "SwiftUI"], swiftSettings: strict),
        // The adapters, their ports, and what they share with backends, by symbolic links to the SDK's own files.
        .target(name: "WalletAuthTransport", swiftSettings: strict),
        .target(
            name: "AppleAdapters",
            dependencies: [
                "WalletAuthTransport", "Security", "LocalAuthentication", "AuthenticationServices", "CryptoKit",
                "DeviceCheck",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppleAdapterTests",
            dependencies: [
                "AppleAdapters", "WalletAuthTransport", "Security", "LocalAuthentication", "AuthenticationServices",
                "DeviceCheck",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
