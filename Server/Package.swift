// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: Swift 6 mode, explicit existentials, internal imports, and warnings as errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let wire: Target.Dependency = .product(name: "WalletAuthWire", package: "swift-wallet-auth")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdHTTP2: Target.Dependency = .product(name: "HummingbirdHTTP2", package: "hummingbird")
let hummingbirdTesting: Target.Dependency = .product(name: "HummingbirdTesting", package: "hummingbird")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let walletAuth: Target.Dependency = .product(name: "WalletAuth", package: "swift-wallet-auth")
let cloverCompat: Target.Dependency = .product(name: "CloverCompat", package: "swift-wallet-auth")
let nextAuthCompat: Target.Dependency = .product(name: "NextAuthCompat", package: "swift-wallet-auth")
let paydiantCompat: Target.Dependency = .product(name: "PaydiantCompat", package: "swift-wallet-auth")
let paysafeCompat: Target.Dependency = .product(name: "PaysafeCompat", package: "swift-wallet-auth")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

// What the pages import of Apple's, in a few lines for other platforms.
#if canImport(Darwin)
    let appleModules: [Target.Dependency] = []
    let appleStubs: [Target] = []
#else
    let appleModules: [Target.Dependency] = ["CryptoKit", "SafariServices", "UIKit"]
    let appleStubs: [Target] = [
        .target(name: "CryptoKit", dependencies: [crypto], path: "Examples/MovedApps/Stubs/CryptoKit"),
        .target(name: "SafariServices", dependencies: ["UIKit"], path: "Examples/MovedApps/Stubs/SafariServices"),
        .target(name: "UIKit", path: "Examples/MovedApps/Stubs/UIKit"),
    ]
#endif

/// The code of the vendors' pages, as an app has it that changed its import: in Swift 6 and, from the same files, in Swift 5 mode.
let pages: [(name: String, dependencies: [Target.Dependency])] = [
    ("CloverPage", [cloverCompat]), ("NextAuthPage", [nextAuthCompat]), ("PaydiantPage", [paydiantCompat]),
    ("PaysafePage", [paysafeCompat] + appleModules),
]

let pageTargets: [Target] = pages.flatMap { name, dependencies in
    [
        .target(
            name: name, dependencies: dependencies, path: "Examples/MovedApps/\(name)",
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error)]),
        .target(
            name: "\(name)Swift5", dependencies: dependencies, path: "Examples/MovedApps/Swift5/\(name)",
            swiftSettings: [
                .swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility"),
                .treatAllWarnings(as: .error),
            ]),
    ]
}

let package = Package(
    name: "walletauth-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "walletauth", targets: ["walletauth"]),
        .executable(name: "wallet", targets: ["wallet"]),
        .executable(name: "wallet-backend", targets: ["WalletBackend"]),
        .executable(name: "moved-apps", targets: ["MovedApps"]),
    ],
    dependencies: [
        .package(name: "swift-wallet-auth", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        // The C library's state of the clock, which Swift's Glibc module lacks.
        .systemLibrary(name: "CTimex"),
        // Tunes the C library's allocator, so that it keeps less memory.
        .systemLibrary(name: "CMalloc"),
        // Hides typed secrets on a terminal and restores it after any signal.
        .target(name: "CTerminal"),
        .target(name: "QRCodes", dependencies: ["CQRencode"], swiftSettings: strict),
        // Code shared by the programs: version, command names, entry of secrets, and safe output of text that others sent.
        .target(name: "Programs", dependencies: ["CTerminal", wire, arguments], swiftSettings: strict),
        // The files of Resources/, in the program itself.
        .target(name: "CEmbeddedFiles"),
        .target(
            name: "AuthCore", dependencies: ["CEmbeddedFiles", wire, crypto, cryptoExtras], swiftSettings: strict),
        .target(name: "AuthStore", dependencies: ["AuthCore", wire, crypto], swiftSettings: strict),
        // The engine for several processes, on a PostgreSQL server.
        .target(name: "AuthStorePostgreSQL", dependencies: ["AuthStore", "AuthCore", "CLibPQ"], swiftSettings: strict),
        .target(
            name: "AuthStoreSQLite",
            dependencies: [
                "AuthStore", "AuthCore", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "AuthOutbound",
            dependencies: [
                "AuthCore", wire, crypto, httpClient, nioCore, nioSSL,
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // The floors of the flows. Each owns one level of the work and imports only floors declared before it.
        //
        // What all flows share: settings, keys, accounts, clients, hashing, and what a process remembers.
        .target(
            name: "AuthFoundation",
            dependencies: ["AuthStore", "AuthCore", "AuthOutbound", "CArgon2", wire, crypto, logging],
            swiftSettings: strict),
        // The audit log and the outbox. Flows declare their own events and messages.
        .target(
            name: "AuthEvents",
            dependencies: ["AuthFoundation", "AuthStore", "AuthCore", "AuthOutbound", wire, logging],
            swiftSettings: strict),
        // Who calls: access tokens, DPoP proofs, client authentication.
        .target(
            name: "AuthCallers",
            dependencies: ["AuthFoundation", "AuthStore", "AuthCore", wire, crypto, logging],
            swiftSettings: strict),
        // Proofs: passwords, PINs, codes, devices, passkeys, identity providers. They verify, and let no one in.
        .target(
            name: "AuthCredentials",
            dependencies: [
                "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore", "AuthCore", wire, crypto,
                logging,
            ],
            swiftSettings: strict),
        // The gate that every sign-in passes, required actions, recovery, and both ways in: hosted pages and the native API.
        .target(
            name: "AuthSignIn",
            dependencies: [
                "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore",
                "AuthCore", wire, crypto, logging,
            ],
            swiftSettings: strict),
        // The token endpoint, and sessions that a backend opens for guests.
        .target(
            name: "AuthTokens",
            dependencies: [
                "AuthSignIn", "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore", "AuthCore",
                wire, crypto, logging,
            ],
            swiftSettings: strict),
        // What people change on their own account, in an app or on the account's page.
        .target(
            name: "AuthAccount",
            dependencies: [
                "AuthSignIn", "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore", "AuthCore",
                wire, logging,
            ],
            swiftSettings: strict),
        // Consent to wallet operations (SCA).
        .target(
            name: "AuthConsent",
            dependencies: [
                "AuthSignIn", "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore", "AuthCore",
                wire,
            ],
            swiftSettings: strict),
        // Operators' commands, and maintenance.
        .target(
            name: "AuthAdministration",
            dependencies: [
                "AuthAccount", "AuthConsent", "AuthTokens", "AuthSignIn", "AuthCredentials", "AuthEvents",
                "AuthFoundation", "AuthStore", "AuthCore", wire, crypto, logging, arguments,
            ],
            swiftSettings: strict),
        // Opens the server and lists its flows.
        .target(
            name: "AuthFlows",
            dependencies: [
                "AuthAdministration", "AuthAccount", "AuthConsent", "AuthTokens", "AuthSignIn", "AuthCredentials",
                "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore", "AuthCore", wire, logging,
            ],
            swiftSettings: strict),
        // Transactions signed on the phone. It builds on the checks of PINs, devices and sessions.
        .target(
            name: "AuthTransactions",
            dependencies: [
                "AuthAdministration", "AuthConsent", "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation",
                "AuthStore", "AuthCore", wire,
            ],
            swiftSettings: strict),
        // A substitute for Apple, only for the sandbox.
        .target(
            name: "AppleStandIn", dependencies: ["AuthCore", wire, crypto], swiftSettings: strict),
        // Sign in with Apple, as one kind of identity provider.
        .target(
            name: "AppleSignIn",
            dependencies: [
                "AuthFlows", "AuthAdministration", "AuthAccount", "AuthSignIn", "AuthCredentials", "AuthEvents",
                "AuthFoundation", "AuthStore", "AuthCore", wire, crypto, logging,
            ],
            swiftSettings: strict),
        // The loyalty API for integrators. It builds on sign-ins and sessions, and uses vendors only through their port.
        .target(
            name: "Loyalty",
            dependencies: [
                "AuthAdministration", "AuthAccount", "AuthTokens", "AuthSignIn", "AuthCredentials", "AuthCallers",
                "AuthEvents", "AuthFoundation", "AuthStore", "AuthCore", wire, logging,
            ], swiftSettings: strict),
        .target(
            name: "AuthHTTP",
            dependencies: [
                "AppleSignIn", "AppleStandIn", "Loyalty", "AuthTransactions", "AuthFlows", "AuthAccount", "AuthConsent",
                "AuthTokens", "AuthSignIn", "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation",
                "AuthStore", "AuthCore",
                "QRCodes", wire, crypto, logging, hummingbird,
                hummingbirdTLS, hummingbirdHTTP2,
                nioCore, nioSSL, lifecycle,
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "walletauth",
            dependencies: [
                "AuthHTTP", "AppleSignIn", "Loyalty", "AuthTransactions", "AuthFlows", "AuthAdministration",
                "AuthCredentials", "AuthEvents", "AuthFoundation", "AuthOutbound", "AuthStore",
                "AuthStorePostgreSQL", "AuthStoreSQLite",
                "AuthCore", "Programs", "CTimex", "CMalloc",
                wire, crypto,
                logging,
                hummingbird, arguments, nioCore, nioSSL, lifecycle,
                httpClient,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "wallet",
            dependencies: [
                walletAuth, .product(name: "WalletAuthLoopback", package: "swift-wallet-auth"),
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"), "QRCodes", "Programs", wire, arguments,
                httpClient, nioCore, nioSSL,
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // An example for backends. It is in Examples/, where readers look for it, and built here, so that its dependencies are
        // built only once (docs/decisions/0027-example-backend.md).
        .executableTarget(
            name: "WalletBackend",
            dependencies: [
                .product(name: "WalletAuthVerifier", package: "swift-wallet-auth"), wire, crypto, hummingbird, logging,
                arguments, nioCore, .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Examples/WalletBackend/Sources",
            swiftSettings: strict),
        .testTarget(
            name: "WalletBackendTests",
            dependencies: [
                "WalletBackend", .product(name: "WalletAuthVerifier", package: "swift-wallet-auth"), wire, crypto,
                hummingbird, hummingbirdTesting, nioCore,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Examples/WalletBackend/Tests",
            swiftSettings: strict),
        // Four apps that moved here from other vendors: see Examples/MovedApps.
        .executableTarget(
            name: "MovedApps",
            dependencies: [
                "CloverPage", "CloverPageSwift5", "NextAuthPage", "NextAuthPageSwift5", "PaydiantPage",
                "PaydiantPageSwift5", "PaysafePage", "PaysafePageSwift5", "Programs", cloverCompat, nextAuthCompat,
                paydiantCompat, paysafeCompat, walletAuth,
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"), wire, arguments,
            ],
            path: "Examples/MovedApps/Program",
            swiftSettings: strict),
        .testTarget(name: "QRCodesTests", dependencies: ["QRCodes", "CQRencode"], swiftSettings: strict),
        // What several test targets need: ports, PostgreSQL servers, folders that are removed, recorded logs, software passkeys.
        .target(
            name: "TestSupport", dependencies: [wire, crypto, cryptoExtras, logging], path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "AuthCoreTests",
            dependencies: [
                "AuthCore", "TestSupport", wire, crypto, cryptoExtras,
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
            ],
            swiftSettings: strict),
        // A disk whose failures a test controls.
        .target(name: "CFaultyDisk", path: "Tests/CFaultyDisk"),
        .testTarget(
            name: "AuthStoreTests",
            dependencies: [
                "AuthStore", "AuthStorePostgreSQL", "AuthStoreSQLite", "AuthCore", "CFaultyDisk", "CLibPQ",
                "TestSupport", wire,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AuthOutboundTests",
            dependencies: [
                "AuthOutbound", "AuthCore", "TestSupport", wire, crypto, nioCore, nioSSL,
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AuthFlowsTests",
            dependencies: [
                "AppleSignIn", "AuthTransactions", "AuthFlows", "AuthAdministration", "AuthConsent", "AuthAccount",
                "AuthTokens", "AuthSignIn", "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation",
                "AuthOutbound",
                "AuthStore", "AuthStorePostgreSQL", "AuthStoreSQLite", "AuthCore", "TestSupport",
                wire,
                crypto,
                logging, .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LoyaltyTests",
            dependencies: [
                "Loyalty", "AuthHTTP", "AuthFlows", "AuthAdministration", "AuthSignIn", "AuthCredentials",
                "AuthEvents", "AuthFoundation", "AuthStore", "AuthStorePostgreSQL", "AuthStoreSQLite", "AuthCore",
                "TestSupport", wire, crypto,
                logging, hummingbird, hummingbirdTesting, nioCore,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppleSignInTests",
            dependencies: [
                "AppleSignIn", "AppleStandIn", "AuthFlows", "AuthAdministration", "AuthSignIn", "AuthCredentials",
                "AuthFoundation", "AuthStore", "AuthStoreSQLite", "AuthCore", "TestSupport", wire, crypto,
                logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AuthHTTPTests",
            dependencies: [
                "AuthHTTP", "AppleSignIn", "AuthTransactions", "AuthFlows", "AuthAdministration", "AuthConsent",
                "AuthSignIn",
                "AuthCredentials", "AuthCallers", "AuthEvents", "AuthFoundation", "AuthStore", "AuthStoreSQLite",
                "AuthCore",
                "CFaultyDisk",
                "QRCodes", "TestSupport",
                wire,
                crypto, logging,
                hummingbird, hummingbirdTesting, nioCore, nioSSL, lifecycle,
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "walletauth", "wallet", "Programs", "QRCodes", "AuthFlows", "AuthAdministration", "AuthEvents",
                "AuthFoundation", "AuthHTTP", "AuthStore", "AuthStorePostgreSQL", "AuthStoreSQLite",
                "AuthCore", "CFaultyDisk", "TestSupport", wire, logging, lifecycle,
                arguments, httpClient, nioCore, nioSSL,
                .product(name: "WalletAuth", package: "swift-wallet-auth"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                .product(name: "WalletAuth", package: "swift-wallet-auth"),
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
                .product(name: "WalletAuthTesting", package: "swift-wallet-auth"),
                .product(name: "WalletAuthVerifier", package: "swift-wallet-auth"), "TestSupport",
                wire, crypto, httpClient, nioCore,
                "CloverPage", "NextAuthPage", "PaydiantPage", "PaysafePage", cloverCompat, nextAuthCompat,
                paydiantCompat,
                paysafeCompat,
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            exclude: ["Peers"],
            swiftSettings: strict),
    ] + pageTargets + appleStubs,
    swiftLanguageModes: [.v6]
)
