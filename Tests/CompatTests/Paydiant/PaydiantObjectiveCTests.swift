import Foundation
import Testing

/// Objective-C does not link with Swift on Linux. Its code can be type-checked, and its names be compared.
@Suite("Paydiant's page in Objective-C", .covers("their own names, by a changed import"))
struct PaydiantObjectiveCTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let module = root.appending(path: "Sources/PaydiantCompat")
    private static let folder = root.appending(path: "Tests/PaydiantObjectiveC")
    private static let names = root.appending(path: "Examples/MovedApps/PaydiantObjectiveC")

    private static let foundation = "/usr/include/GNUstep"
    private static let hasFoundation = FileManager.default.fileExists(atPath: foundation + "/Foundation/Foundation.h")
    private static let isInCI = ProcessInfo.processInfo.environment["CI"] != nil

    /// Where GCC keeps the runtime's headers, which GNUstep's include.
    private static func runtimeHeaders() -> String? {
        let gcc = URL(filePath: "/usr/lib/gcc")
        let found = FileManager.default.enumerator(at: gcc, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.first { $0.path.hasSuffix("/include/objc/objc.h") }
        return found?.deletingLastPathComponent().deletingLastPathComponent().path
    }

    private func run(_ command: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [command] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    @Test(
        "It compiles against the module's header, and with another selector it does not",
        .enabled(
            if: hasFoundation || isInCI,
            "GNUstep's headers are missing: scripts/install-system-packages test installs them"))
    func page() throws {
        let runtime = try #require(Self.runtimeHeaders(), "GCC's headers of Objective-C are missing (libobjc-dev)")
        func compile(_ file: URL) throws -> (status: Int32, output: String) {
            try run(
                "clang",
                [
                    "-fsyntax-only", "-fobjc-runtime=gcc", "-fblocks", "-Wall", "-Werror",
                    "-I", Self.folder.path, "-I", Self.folder.appending(path: "GNUstep").path,
                    "-I", Self.names.path, "-isystem", Self.foundation,
                    "-idirafter", runtime, file.path,
                ])
        }
        let page = Self.folder.appending(path: "Page.m")
        let result = try compile(page)
        #expect(result.status == 0, "\(result.output)")
        let other = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).m")
        defer { try? FileManager.default.removeItem(at: other) }
        try text(page).replacing("loginByPIN:", with: "loginByPin:").write(to: other, atomically: true, encoding: .utf8)
        let refused = try compile(other)
        #expect(refused.status != 0 && refused.output.contains("loginByPin:"))
    }

    @Test("The lines for Apple's platforms type-check against a stub of their root class")
    func applesLines() throws {
        let result = try run(
            "swiftc",
            [
                "-typecheck", "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault",
                "-module-name", "PaydiantCompat", "-I",
                Self.folder.appending(path: "Apple").path, "-Xfrontend", "-enable-objc-interop", "-Xcc",
                "-fobjc-runtime=macosx", Self.folder.appending(path: "Apple/StandIns.swift").path,
                Self.module.appending(path: "PDAuthenticationDelegate.swift").path,
                Self.module.appending(path: "PDRequests.swift").path,
            ])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test("The header has the selectors of the Swift names, and all of the page's")
    func selectors() throws {
        let header = try text(Self.folder.appending(path: "PaydiantCompat-Swift.h"))
        var inHeader: Set<String> = []
        for line in header.split(separator: "\n") where line.hasPrefix("- (") && !line.contains("(instancetype)") {
            let pieces = line.matches(of: /(\w+):\(/).map { String($0.output.1) + ":" }
            if pieces.isEmpty, let name = line.firstMatch(of: /\)(\w+);/) {
                inHeader.insert(String(name.output.1))
            } else {
                inHeader.insert(pieces.joined())
            }
        }
        var inSwift: Set<String> = []
        let coordinators = ["PDAthenticationCoordinator", "PDDeviceCoordinator", "PDUserEnrollmentCoordinator"]
        for file in coordinators + ["PDAuthenticationDelegate"] {
            let source = try text(Self.module.appending(path: file + ".swift"))
            let keyword = file == "PDAuthenticationDelegate" ? "@objc optional func " : "public func "
            for declaration in source.components(separatedBy: keyword).dropFirst() {
                inSwift.insert(try #require(Self.selector(of: declaration)))
            }
        }
        #expect(inHeader == inSwift)
        let printed: Set<String> = [
            "loginByUsernamePassword:password:", "loginByPIN:", "loginByNonce:", "loginByFederatedIdentity:",
            "isAuthroizationTokenExist", "isAuthorizationTokenExist", "generateDeviceAuthenticationTokenForUsername:",
            "loginWithDeviceAuthenticationToken", "expireDeviceAuthenticationToken", "logout", "registerWithMFA:",
            "authenticationDidSucceed", "authenticationDidSucceed:withAdditionalAttributes:",
            "authenticationDidSucceed:", "mfaQuestionDidPrompt:", "authenticationDidFail:",
            "authenticationInvocationDidFail:", "finishedLogout",
        ]
        #expect(printed.subtracting(inHeader).isEmpty)
    }

    /// The selector that Swift derives from a function's name and labels.
    private static func selector(of declaration: String) -> String? {
        guard let open = declaration.firstIndex(of: "(") else { return nil }
        var depth = 0
        var parameters: [String] = [""]
        for character in declaration[open...] {
            if character == ")" { depth -= 1 }
            if depth == 0, character == ")" { break }
            if depth == 1, character == "," {
                parameters.append("")
            } else if depth > 0 {
                parameters[parameters.count - 1].append(character)
            }
            if character == "(" { depth += 1 }
        }
        let labels = parameters.compactMap { $0.split { !$0.isLetter && $0 != "_" }.first.map(String.init) }
        let name = String(declaration[..<open])
        guard let first = labels.first else { return name }
        let capitalized = first.prefix(1).uppercased() + first.dropFirst()
        let isPreposition = ["by", "for", "with"].contains { first.hasPrefix($0) }
        let start = first == "_" ? name : isPreposition ? name + capitalized : name + "With" + capitalized
        return ([start] + labels.dropFirst()).map { $0 + ":" }.joined()
    }

    @Test("The names that Swift does not export are in the header that an app copies")
    func names() throws {
        let header = try text(Self.names.appending(path: "PaydiantNames.h"))
        let files = try FileManager.default.contentsOfDirectory(at: Self.module, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        let sources = try files.map(text).joined(separator: "\n")
        let domains = sources.matches(of: /public let (kUser\w+) = "(\w+)"/).map { ($0.output.1, $0.output.2) }
        #expect(domains.count == 10)
        for (name, value) in domains { #expect(header.contains("NSString *const \(name) = @\"\(value)\";")) }
        let inSwift = Set(sources.matches(of: /public typealias (\w+Block) =/).map { String($0.output.1) })
        let inHeader = Set(header.matches(of: /typedef void \(\^(\w+)\)/).map { String($0.output.1) })
        #expect(inSwift == inHeader)
    }
}
