import AuthFoundation
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension MasterKeySource {
    /// Reads the key. In the sandbox, creates it if it does not exist yet.
    ///
    /// - Parameter database: if it already exists, no key is created, since a new one would not open it.
    /// - Throws: `Refusal` that explains the fault, never with the key.
    func read(for database: DatabaseLocation) async throws(Refusal) -> MasterKey {
        switch self {
        case .command(let command):
            return try Self.key(from: await CommandOutput.of(command), origin: "the master key command")
        case .generated(let path) where FileStatus(path: path) == nil:
            guard FileStatus(path: database.path) == nil else {
                throw Refusal(
                    "the database \(database.path) exists, but its master key \(path) does not: give the key that it "
                        + "was created with, using \(Settings.masterKeyFile.flag), put the key's file back, or "
                        + "remove the database to start over")
            }
            return try Self.generate(at: path)
        default:
            return try readWithoutCommand()
        }
    }

    /// Reads a key from a file or from the environment.
    func readWithoutCommand() throws(Refusal) -> MasterKey {
        switch self {
        case .file(let path), .generated(let path):
            let text: String
            do {
                text = try ReadableFile.text(path, upTo: 4096)
            } catch {
                throw Refusal("the master key's file \(path) \(error.reason)")
            }
            return try Self.key(from: text, origin: "the master key's file \(path)")
        case .value(let text):
            return try Self.key(from: text.reveal(), origin: Settings.masterKey.environmentVariable)
        case .missing, .command:
            throw Refusal("no master key is configured; give \(Settings.masterKeyFile.flag)")
        }
    }

    /// Decodes the key: 32 bytes in hexadecimal, base64 or base64url.
    ///
    /// - Parameters:
    ///   - text: the text; surrounding whitespace is ignored.
    ///   - origin: the source of the text, for messages.
    static func key(from text: String, origin: String) throws(Refusal) -> MasterKey {
        let trimmed = text.filter { !$0.isWhitespace }
        guard let bytes = hexadecimal(trimmed) ?? base64(trimmed), let key = MasterKey(bytes: bytes) else {
            throw Refusal("\(origin) does not contain 32 bytes in base64, base64url or hexadecimal")
        }
        // 32 random bytes have fewer than 16 different values once in 10^20 times. This is a typed pattern.
        guard Set(bytes).count >= 16 else {
            throw Refusal("\(origin) contains a key that is not random")
        }
        return key
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func base64(_ text: String) -> [UInt8]? {
        var padded = String(
            text.map { character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        while padded.utf8.count % 4 != 0 {
            padded.append("=")
        }
        return Data(base64Encoded: padded).map { [UInt8]($0) }
    }

    /// Creates a key file with mode 0600. If two processes start at once, both use the same key.
    private static func generate(at path: String) throws(Refusal) -> MasterKey {
        let text = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() } + "\n"
        do {
            try DurableFile.create(path, with: Data(text.utf8))
        } catch {
            throw Refusal("the master key cannot be written to \(path): \(error)")
        }
        return try MasterKeySource.file(path).readWithoutCommand()
    }
}
