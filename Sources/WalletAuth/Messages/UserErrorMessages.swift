public import Foundation
import WalletAuthWire

/// What an app says to the person when something went wrong: a catalogue by operation and code, in English, German, French,
/// Spanish and Bulgarian, every text of which an app may replace and to which it may add languages.
///
/// ```swift
/// do {
///     outcome = try await wallet.login(username: name, password: password)
/// } catch let error as WalletError {
///     alert = UserErrorMessages.builtIn.text(for: error)  // nil: the person said no, so there is nothing to say
/// }
/// ```
///
/// The texts say what happened as far as the person may know it, and what to do next. They never say which of several things
/// was wrong where the server does not say it either.
public struct UserErrorMessages: Sendable {
    /// The texts that come with the SDK.
    public static let builtIn = UserErrorMessages()

    /// The languages that come with the SDK: primary subtags.
    public static let builtInLanguages: [String] = shipped.keys.sorted()

    static let shipped: [String: [Key: String]] = [
        "bg": bulgarian, "de": german, "en": english, "es": spanish, "fr": french,
    ].merging(transactions) { texts, ofTransactions in texts.merging(ofTransactions) { text, _ in text } }

    private var replacements: [String: [Key: String]] = [:]

    /// The texts that come with the SDK, for the app to replace some of.
    public init() {}

    /// Says a text of the app's own instead, in one language. A text of the app's goes before all of the SDK's in that
    /// language, the more exact ones too.
    /// - Parameters:
    ///   - key: when it is said.
    ///   - language: a language tag (BCP 47), for instance `de` or `de-AT`; it may be one that the SDK does not have.
    ///   - text: what is said; `{minutes}` and `{trace}` as ``Key`` explains.
    public mutating func replace(_ key: Key, in language: String, with text: String) {
        replacements[language.lowercased(), default: [:]][key] = text
    }

    /// What to say to the person.
    /// - Parameters:
    ///   - error: what went wrong.
    ///   - languages: the person's languages (BCP 47), the best first; English where none of them is known.
    /// - Returns: a text to show, or nil where the person gave up: there is nothing to tell then.
    public func text(for error: WalletError, languages: [String] = Locale.preferredLanguages) -> String? {
        guard error.outcome != .cancelledByPerson else { return nil }
        let keys = Key.keys(for: error)
        for language in Self.fallbacks(languages) {
            for texts in [replacements[language], Self.shipped[language]] {
                guard let texts, let text = keys.lazy.compactMap({ texts[$0] }).first else { continue }
                return Self.filled(text, for: error)
            }
        }
        return nil
    }

    /// Each language, and after it its primary subtag; English at the end.
    private static func fallbacks(_ languages: [String]) -> [String] {
        languages.flatMap { tag -> [String] in
            let tag = tag.lowercased()
            return [tag, tag.split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init) ?? tag]
        } + ["en"]
    }

    private static func filled(_ text: String, for error: WalletError) -> String {
        var text = text
        if let minutes = error.waitInMinutes {
            text = text.replacing("{minutes}", with: String(minutes))
        }
        if let trace = error.traceID {
            text = text.replacing("{trace}", with: trace)
        }
        return text
    }
}

extension UserErrorMessages {
    /// When a text is said. Written as text, `login_by_pin.invalid_credentials`, it serves as the key in an app's own table of
    /// strings too.
    ///
    /// From the most exact to the most general, an error has these keys:
    /// - `OPERATION.pin_locked.restore` and `pin_locked.restore` where the PIN was locked by the restore of a backup, and not by
    ///   wrong PINs;
    /// - the keys of `pin_locked` or `pin_exhausted` for a transaction that the device cannot sign because of that
    ///   (`second_factor_unavailable`);
    /// - `OPERATION.CODE`, for instance `login_by_pin.invalid_credentials`;
    /// - `CODE.trace` where the server named its log lines: `{trace}` in the text stands for that name;
    /// - `CODE.STATUS` for a transaction that is over, for instance `transaction_over.expired`;
    /// - `second_factor_unavailable.pin`, `.biometric` or `.any` by the factor that a transaction asks for and the device does not
    ///   have;
    /// - `CODE`, for instance `invalid_credentials`;
    /// - `outcome.OUTCOME.DETAIL`, for instance `outcome.signed_out.session_ended`; the detail of
    ///   `outcome.temporarily_unavailable` is `minutes` where the server asks to wait for longer than a minute, and
    ///   `{minutes}` in the text stands for how many;
    /// - `outcome.OUTCOME`, for instance `outcome.refused`.
    public struct Key: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The key as text.
        public let rawValue: String
        /// Names a key.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Names a key.
        public init(stringLiteral value: String) { rawValue = value }

        /// The key of a code, whatever was being done, or during one operation only.
        /// - Parameters:
        ///   - code: what happened.
        ///   - operation: what was being done; nil for whatever it was.
        public init(_ code: WalletError.Code, during operation: WalletError.Operation? = nil) {
            rawValue = [operation?.rawValue, code.rawValue].compactMap { $0 }.joined(separator: ".")
        }

        /// The key as text.
        public var description: String { rawValue }

        /// The keys of an error, the most exact first.
        public static func keys(for error: WalletError) -> [Key] {
            var keys: [Key] = []
            let lock = error.secondFactorShortage?.lock
            if error.pinLockReason == .restore {
                let code = lock ?? error.code
                keys = [Key(code, during: error.operation), Key(code)].map { Key(rawValue: "\($0).restore") }
            }
            if let lock { keys += [Key(lock, during: error.operation), Key(lock)] }
            keys.append(Key(error.code, during: error.operation))
            if error.traceID != nil { keys.append(Key(rawValue: "\(error.code.rawValue).trace")) }
            if let status = error.transactionStatus {
                keys.append(Key(rawValue: "\(error.code.rawValue).\(status.rawValue.lowercased())"))
            }
            if let shortage = error.secondFactorShortage, lock == nil {
                keys.append(Key(rawValue: "\(error.code.rawValue).\(shortage.required.rawValue.lowercased())"))
            }
            keys.append(Key(error.code))
            let (outcome, detail) = error.outcomeNames
            if let detail { keys.append(Key(rawValue: "outcome.\(outcome).\(detail)")) }
            keys.append(Key(rawValue: "outcome.\(outcome)"))
            return keys
        }
    }
}

extension SecondFactorShortage {
    /// The code of what keeps the PIN shut: it says more than that the device has no factor. Nil where nothing does.
    fileprivate var lock: WalletError.Code? {
        switch pin {
        case .locked: .pinLocked
        case .exhausted: .pinExhausted
        case .notSet, nil: nil
        }
    }
}

extension WalletError {
    /// How long the server asks to wait, in minutes rounded up; nil for a minute or less, which nobody needs to be told.
    fileprivate var waitInMinutes: Int64? {
        guard case .temporarilyUnavailable(let wait?) = outcome, wait > .seconds(60) else { return nil }
        return (wait.components.seconds - 1) / 60 + 1
    }

    /// The outcome and what it says more exactly, in the form of the other names.
    fileprivate var outcomeNames: (outcome: String, detail: String?) {
        switch outcome {
        case .signedOut(let reason): ("signed_out", reason.rawValue.inSnakeCase)
        case .temporarilyUnavailable: ("temporarily_unavailable", waitInMinutes == nil ? nil : "minutes")
        case .offline: ("offline", nil)
        case .keyLost(let recovery): ("key_lost", recovery.rawValue.inSnakeCase)
        case .storeUnavailable(let trouble): ("store_unavailable", trouble.rawValue)
        case .cancelledByPerson: ("cancelled_by_person", nil)
        case .stepUp: ("step_up", nil)
        case .refused: ("refused", nil)
        case .misconfigured: ("misconfigured", nil)
        }
    }
}

extension String {
    /// `sessionEnded` as `session_ended`.
    fileprivate var inSnakeCase: String {
        reduce(into: "") { name, letter in
            if letter.isUppercase { name.append("_") }
            name.append(contentsOf: letter.lowercased())
        }
    }
}
