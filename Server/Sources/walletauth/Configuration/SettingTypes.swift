import Core
import HTTP
import Kernel
import Logging
import Outbound
import Store
import StorePostgreSQL
import WalletAuthWire

/// The parser of each type of setting.
enum SettingTypes {
    static func text(_ text: String) throws(InvalidValue) -> String {
        guard !text.isEmpty, text.utf8.count <= 4096, !text.contains("\0") else {
            throw InvalidValue("text of 1 to 4096 bytes")
        }
        return text
    }

    static func port(_ text: String) throws(InvalidValue) -> Int {
        guard let port = Int(text), (0...65535).contains(port) else {
            throw InvalidValue("a port from 0 to 65535 (0 picks any free one)")
        }
        return port
    }

    /// A host name, an address, or an IPv6 address in brackets, with a port. In lower case, by which `localhost` is known for what it is.
    static func listenAddress(_ text: String) throws(InvalidValue) -> ListenAddress {
        let colon = text.lastIndex(of: ":") ?? text.startIndex
        var host = text[..<colon].lowercased()
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard let port = Int(text[colon...].dropFirst()), (1...65535).contains(port), !host.isEmpty,
            host.contains(":") == isBracketed
        else { throw InvalidValue("an address and a port, such as 127.0.0.1:8701, 10.0.0.5:8701 or [::1]:8701") }
        return ListenAddress(host: host, port: port)
    }

    /// A URL without a path. Its own is that of the issuer.
    static func origin(_ text: String) throws(InvalidValue) -> Issuer {
        guard let origin = try? Issuer(text), origin.pathPrefix.isEmpty, origin.url(path: "") == text else {
            throw InvalidValue("a URL without a path, such as https://id.example.com:8443")
        }
        return origin
    }

    static func integer(_ range: ClosedRange<Int>) -> @Sendable (String) throws(InvalidValue) -> Int {
        { text throws(InvalidValue) in
            guard let number = Int(text), range.contains(number) else {
                throw InvalidValue("a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// A duration with its unit: `250ms`, `10s`, `5m`, `12h`, `90d`.
    static func duration(_ range: ClosedRange<Duration>) -> @Sendable (String) throws(InvalidValue) -> Duration {
        { text throws(InvalidValue) in
            guard let duration = Duration(typed: text), range.contains(duration) else {
                throw InvalidValue(
                    "a duration with its unit, such as 30s, 5m, 12h or 90d, from \(range.lowerBound.asSetting) to"
                        + " \(range.upperBound.asSetting)"
                )
            }
            return duration
        }
    }

    static func issuer(_ text: String) throws(InvalidValue) -> Issuer {
        do {
            return try Issuer(text)
        } catch {
            throw InvalidValue("a URL without query or fragment, such as https://id.example.com (it \(error.reason))")
        }
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _: Value.Type
    ) -> @Sendable (String) throws(InvalidValue) -> Value {
        { text throws(InvalidValue) in
            guard let value = Value(rawValue: text) else {
                throw InvalidValue("one of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return value
        }
    }

    static func logLevel(_ text: String) throws(InvalidValue) -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            throw InvalidValue("one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return level
    }

    static func database(_ text: String) throws(InvalidValue) -> DatabaseLocation {
        if DatabaseLocation.schemes.contains(where: { text.hasPrefix($0) }) {
            do {
                try PostgreSQLDatabase.validate(text)
            } catch {
                let hint = misspelledParameter(of: text).map {
                    "\($0.typed) is not a parameter: did you mean \($0.meant)?"
                }
                throw InvalidValue(
                    "postgresql://USER@HOST/DATABASE with libpq's parameters (\(hint ?? error.reason))")
            }
            guard DatabaseLocation.namesDatabase(text) else {
                throw InvalidValue("postgresql://USER@HOST/DATABASE (it names no database)")
            }
            return DatabaseLocation(postgreSQL: SecretText(text), folder: Settings.postgreSQLFolder.defaultValue)
        }
        guard text.hasPrefix("sqlite:") else {
            throw InvalidValue(
                "sqlite:PATH, for example sqlite:/var/lib/walletauth/walletauth.db, or postgresql://USER@HOST/DATABASE")
        }
        let path = String(text.dropFirst("sqlite:".count))
        guard !path.isEmpty, !path.contains("\0"), !path.hasSuffix("/"), !path.hasPrefix(":") else {
            throw InvalidValue("sqlite:PATH with the path of a file; a database in memory would forget every session")
        }
        return DatabaseLocation(path: path)
    }

    /// The first parameter of a URL that libpq does not know and that is close to one of its own.
    ///
    /// Only such a one is named: in a URL with unescaped characters it could be a part of the password.
    private static func misspelledParameter(of url: String) -> (typed: String, meant: String)? {
        guard let start = url.firstIndex(of: "?"), !url[start...].contains("@") else { return nil }
        let known = PostgreSQLDatabase.parameterNames
        for parameter in url[start...].dropFirst().split(separator: "&") {
            guard let end = parameter.firstIndex(of: "=") else { continue }
            let typed = String(parameter[..<end])
            // What follows may be the rest of a password with an unescaped &.
            guard !typed.lowercased().contains("password") else { return nil }
            if known.contains(typed) { continue }
            return Spelling.correction(of: typed, among: known).map { (typed, $0) }
        }
        return nil
    }

    static func mailbox(_ text: String) throws(InvalidValue) -> Mailbox {
        do {
            return try Mailbox(named: text)
        } catch {
            throw InvalidValue("an address such as no-reply@example.com, or Example Bank <no-reply@example.com>")
        }
    }

    /// A host name or an address literal, without a port.
    static func host(_ text: String) throws(InvalidValue) -> String {
        let isName = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-" || scalar == ".")
        }
        guard NetworkAddress(text) != nil || (isName && (1...253).contains(text.utf8.count)) else {
            throw InvalidValue("a host name such as smtp.example.com, or an address, without a port")
        }
        return text
    }

    /// The URL of a service: https, or http to this machine.
    static func webURL(_ text: String) throws(InvalidValue) -> String {
        do {
            return try WebURL(text, field: "url").rawValue
        } catch {
            throw InvalidValue("an https URL such as https://sms.example.com/send (it \(error.reason))")
        }
    }

    /// A component of a path: letters and digits.
    static func identifier(_ text: String) throws(InvalidValue) -> String {
        guard (1...64).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0)) })
        else { throw InvalidValue("letters and digits, such as AC0123456789abcdef0123456789abcdef") }
        return text
    }

    static func pushTopic(_ text: String) throws(InvalidValue) -> String {
        guard PushTopic.isValid(text) else { throw InvalidValue("a bundle id, such as com.example.wallet") }
        return text
    }

    static func networks(_ text: String) throws(InvalidValue) -> [AddressRange] {
        var networks: [AddressRange] = []
        for part in text.split(separator: ",") {
            guard let network = AddressRange(part.trimmingSpaces) else {
                throw InvalidValue("addresses or ranges separated by commas, such as 10.0.0.0/8,fd00::/8")
            }
            networks.append(network)
        }
        return networks
    }
}

/// A value that can be a default: the documentation shows it as one would write it.
protocol SettingValue: Sendable, Equatable {
    /// In the format that the setting's parser reads.
    var asSetting: String { get }
}

extension SettingValue where Self: RawRepresentable<String> {
    var asSetting: String { rawValue }
}

extension ServerSettings.Environment: SettingValue {}
extension BiometricKeyAcceptance: SettingValue {}
extension SMTPSettings.Security: SettingValue {}
extension Logger.Level: SettingValue {}
extension LogFormat: SettingValue {}
extension PostgreSQLPooler: SettingValue {}

extension String: SettingValue {
    var asSetting: String { self }
}

extension Int: SettingValue {
    var asSetting: String { description }
}

extension Bool: SettingValue {
    var asSetting: String { description }
}

extension DatabaseLocation: SettingValue {
    var asSetting: String { isPostgreSQL ? shown : "sqlite:" + path }
}

extension Duration: SettingValue {
    /// With the largest unit that fits: `90d`, `5m`, `250ms`.
    var asSetting: String {
        let (seconds, attoseconds) = components
        guard attoseconds == 0 else { return "\(wholeMilliseconds)ms" }
        let units: [(seconds: Int64, name: String)] = [(86_400, "d"), (3600, "h"), (60, "m")]
        guard let unit = units.first(where: { seconds >= $0.seconds && seconds % $0.seconds == 0 }) else {
            return "\(seconds)s"
        }
        return "\(seconds / unit.seconds)\(unit.name)"
    }
}

extension Substring {
    var trimmingSpaces: String {
        var trimmed = self.drop { $0 == " " }
        while trimmed.last == " " {
            trimmed.removeLast()
        }
        return String(trimmed)
    }
}
