// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, explicit existentials, private imports, and no warning left standing.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "swift-wallet-auth",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "WalletAuth", targets: ["WalletAuth"]),
        .library(name: "WalletAuthTesting", targets: ["WalletAuthTesting"]),
        .library(name: "WalletAuthWire", targets: ["WalletAuthWire"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2")
    ],
    targets: [
        .target(
            name: "WalletAuthWire",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(
            name: "WalletAuth",
            dependencies: ["WalletAuthWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(
            name: "WalletAuthTesting",
            dependencies: ["WalletAuth", "WalletAuthWire", .product(name: "Crypto", package: "swift-crypto")],
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
    ],
    swiftLanguageModes: [.v6]
)
