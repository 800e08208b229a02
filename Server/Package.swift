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
let certificates: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// What every feature of the server builds on.
let kernel: [Target.Dependency] = ["Web", "Kernel", "Store", "Outbound", "Core", wire, crypto, logging, httpTypes]
let engines: [Target.Dependency] = ["StorePostgreSQL", "StoreSQLite"]
let features: [Target.Dependency] =
    ["Apple", "Loyalty", "Transactions", "Operations", "Consent", "Tokens", "SignIn"] + kernel

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
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.40.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        // bcrypt, for imported passwords.
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
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
        // What platforms attest, made in software with a test root: for tests, and for apps that are tried without a phone.
        .target(name: "SoftwareAttesters", dependencies: [wire, crypto, certificates, asn1], swiftSettings: strict),
        // The files of Resources/, in the program itself.
        .target(name: "CEmbeddedFiles"),
        // Formats and rules without state that every floor may use.
        .target(name: "Core", dependencies: ["CEmbeddedFiles", wire, crypto, cryptoExtras], swiftSettings: strict),
        // The port to the database, and the schema.
        .target(name: "Store", dependencies: ["Core", wire, crypto], swiftSettings: strict),
        // The engine for several processes, on a PostgreSQL server.
        .target(name: "StorePostgreSQL", dependencies: ["Store", "Core", "CLibPQ"], swiftSettings: strict),
        .target(
            name: "StoreSQLite",
            dependencies: [
                "Store", "Core", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Outbound",
            dependencies: [
                "Core", wire, crypto, httpClient, nioCore, nioSSL,
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // What all features share: settings, keys, accounts, clients, sessions, callers, the audit log and the outbox.
        .target(
            name: "Kernel",
            dependencies: ["Store", "Core", "Outbound", "CArgon2", "CCrypt", wire, crypto, cryptoExtras, logging],
            swiftSettings: strict),
        // What endpoints and pages of every feature share, without a server: routes, requests, answers, the frame of a page.
        .target(
            name: "Web",
            dependencies: [
                "Kernel", "Store", "Core", wire, crypto, logging, httpTypes,
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: strict),
        // The gate that every sign-in passes, both ways in, and one folder for each credential: its rule, rows, check, method and
        // what its holder may change.
        .target(name: "SignIn", dependencies: ["QRCodes", certificates, asn1] + kernel, swiftSettings: strict),
        // The token endpoint, and sessions that a backend opens for guests.
        .target(name: "Tokens", dependencies: ["SignIn"] + kernel, swiftSettings: strict),
        // Consent to wallet operations (SCA).
        .target(name: "Consent", dependencies: ["SignIn"] + kernel, swiftSettings: strict),
        // Operators' commands, maintenance, and opening the server.
        .target(
            name: "Operations", dependencies: ["Consent", "Tokens", "SignIn", arguments] + kernel, swiftSettings: strict
        ),
        // Transactions signed on the phone. It builds on the checks of PINs, devices and sessions.
        .target(
            name: "Transactions", dependencies: ["Operations", "Consent", "SignIn", "QRCodes"] + kernel,
            swiftSettings: strict),
        // Sign in with Apple, as one kind of identity provider.
        .target(name: "Apple", dependencies: ["Operations", "SignIn", arguments] + kernel, swiftSettings: strict),
        // A substitute for Apple, only for the sandbox.
        .target(name: "AppleStandIn", dependencies: kernel, swiftSettings: strict),
        // The loyalty API for integrators. It uses vendors only through their port.
        .target(name: "Loyalty", dependencies: ["Operations", "Tokens", "SignIn"] + kernel, swiftSettings: strict),
        .target(
            name: "HTTP",
            dependencies: features + [
                "AppleStandIn", "QRCodes", hummingbird, hummingbirdTLS, hummingbirdHTTP2, nioCore, nioSSL, lifecycle,
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "walletauth",
            dependencies: features + engines + [
                "HTTP", "Programs", "CTimex", "CMalloc", hummingbird, arguments, nioCore, nioSSL, lifecycle, httpClient,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "wallet",
            dependencies: [
                walletAuth, .product(name: "WalletAuthLoopback", package: "swift-wallet-auth"),
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"), "QRCodes", "Programs",
                "SoftwareAttesters", wire, arguments,
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
                arguments, httpClient, nioCore, nioSSL, .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Examples/WalletBackend/Sources",
            swiftSettings: strict),
        .testTarget(
            name: "WalletBackendTests",
            dependencies: [
                "WalletBackend", .product(name: "WalletAuthVerifier", package: "swift-wallet-auth"), wire, crypto,
                hummingbird, hummingbirdTesting, nioCore, .product(name: "NIOPosix", package: "swift-nio"),
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
            name: "TestSupport", dependencies: ["SoftwareAttesters", wire, crypto, cryptoExtras, logging],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "AuthCoreTests",
            dependencies: ["SignIn", "Tokens", "Consent", "Transactions"] + kernel + [
                "SoftwareAttesters", "TestSupport", cryptoExtras,
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
            ],
            swiftSettings: strict),
        // A disk whose failures a test controls.
        .target(name: "CFaultyDisk", path: "Tests/CFaultyDisk"),
        .testTarget(
            name: "AuthStoreTests",
            dependencies: features + engines + ["CFaultyDisk", "CLibPQ", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AuthOutboundTests",
            dependencies: [
                "Outbound", "Core", "TestSupport", wire, crypto, cryptoExtras, nioCore, nioSSL,
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
            ],
            swiftSettings: strict),
        // A server with time that a test moves, and what calls it: apps, browsers, devices, shops, identity providers.
        .target(
            name: "FlowSupport",
            dependencies: features + engines + [
                "TestSupport", .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
            ],
            path: "Tests/FlowSupport",
            swiftSettings: strict),
        // The flows of each module, without HTTP. SignIn has three targets, since the compiler's time for a target grows with the square of
        // its expectations: SignInTests for pages, providers and apps, SignInCredentialsTests for passwords, passkeys, PINs of accounts,
        // second factors and recovery, and SignInDevicesTests for enrolled devices.
        .testTarget(
            name: "SignInTests",
            dependencies: ["Operations", "Tokens", "SignIn", "StorePostgreSQL"] + kernel + [
                "FlowSupport", "TestSupport", arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SignInCredentialsTests",
            dependencies: ["Operations", "Consent", "SignIn"] + kernel + ["FlowSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SignInDevicesTests",
            dependencies: ["Transactions", "Operations", "Consent", "Tokens", "SignIn"] + kernel + [
                "FlowSupport", "SoftwareAttesters", "TestSupport",
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OperationsTests", dependencies: features + ["FlowSupport", "TestSupport", arguments],
            swiftSettings: strict),
        .testTarget(
            name: "ConsentTests",
            dependencies: ["Transactions", "Operations", "Consent", "Tokens", "SignIn"] + kernel + [
                "FlowSupport", arguments,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TransactionsTests",
            dependencies: ["Transactions", "Operations", "Consent", "SignIn"] + kernel + [
                "FlowSupport", "TestSupport", .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TokensTests",
            dependencies: ["Operations", "Consent", "Tokens", "SignIn"] + kernel + ["FlowSupport", arguments],
            swiftSettings: strict),
        .testTarget(
            name: "KernelTests", dependencies: features + ["FlowSupport", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LoyaltyTests",
            dependencies: features + engines + [
                "HTTP", "TestSupport", arguments, hummingbird, hummingbirdTesting, nioCore,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppleSignInTests",
            dependencies: features + engines + ["AppleStandIn", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AuthHTTPTests",
            dependencies: features + engines + [
                "HTTP", "CFaultyDisk", "QRCodes", "TestSupport", arguments, hummingbird,
                hummingbirdTesting, nioCore, nioSSL, lifecycle, .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProgramTests",
            dependencies: features + engines + [
                "HTTP", "walletauth", "wallet", "Programs", "QRCodes", "CFaultyDisk", "TestSupport", lifecycle,
                arguments, httpClient, nioCore, nioSSL,
                .product(name: "WalletAuth", package: "swift-wallet-auth"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                .product(name: "WalletAuth", package: "swift-wallet-auth"),
                .product(name: "WalletAuthLoopback", package: "swift-wallet-auth"),
                .product(name: "WalletAuthPIN", package: "swift-wallet-auth"),
                .product(name: "WalletAuthTesting", package: "swift-wallet-auth"),
                .product(name: "WalletAuthVerifier", package: "swift-wallet-auth"), "SoftwareAttesters", "TestSupport",
                "QRCodes", wire, crypto,
                httpClient, nioCore,
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
