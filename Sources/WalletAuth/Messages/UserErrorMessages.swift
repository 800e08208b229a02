public import Foundation
import WalletAuthWire

/// The error messages for people, by operation and code, and the questions for second factors, in English, German, French,
/// Spanish and Bulgarian. An app can replace any text and add languages.
///
/// ```swift
/// do {
///     outcome = try await wallet.login(username: name, password: password)
/// } catch let error as WalletError {
///     alert = UserErrorMessages.builtIn.text(for: error)  // nil: the person said no, so there is nothing to say
/// }
/// ```
///
/// Each text says what happened, as far as the person may know, and what to do next. If the server does not say which
/// of several things was wrong, the text does not either.
public struct UserErrorMessages: Sendable {
    /// The SDK's texts.
    public static let builtIn = UserErrorMessages()

    private var replacements: [String: [Key: String]] = [:]

    /// Creates a catalog with the SDK's texts, for the app to customize.
    public init() {}

    /// Replaces a text in one language. The app's text takes precedence over all of the SDK's texts in that language,
    /// including more specific ones.
    /// - Parameters:
    ///   - key: when the text is shown.
    ///   - language: a language tag (BCP 47), for instance `de` or `de-AT`; may be a language that the SDK does not
    ///     have.
    ///   - text: the text, with the placeholders of the key: `{minutes}` and `{trace}` as described in ``Key``, `{destination}`
    ///     as described at ``question(of:languages:)``.
    public mutating func replace(_ key: Key, in language: String, with text: String) {
        replacements[language.lowercased(), default: [:]][key] = text
    }

    /// Returns the text to show for an error.
    /// - Parameters:
    ///   - error: the error.
    ///   - languages: the person's languages in order of preference (BCP 47). English is the fallback.
    /// - Returns: a text to show, or nil if the person cancelled and there is nothing to say.
    public func text(for error: WalletError, languages: [String] = Locale.preferredLanguages) -> String? {
        guard error.outcome != .cancelledByPerson else { return nil }
        return first(of: Key.keys(for: error), in: languages).map { Self.filled($0, for: error) }
    }

    /// Returns a text by its key, such as a label of WalletAuthUI's screens. Its placeholders are not filled.
    /// - Parameters:
    ///   - key: the key.
    ///   - languages: the person's languages in order of preference (BCP 47). English is the fallback.
    /// - Returns: the text; nil if there is none with this key.
    public func text(_ key: Key, languages: [String] = Locale.preferredLanguages) -> String? {
        first(of: [key], in: languages)
    }

    /// The text of the first key that has one, in the first language that has a text of any of them.
    func first(of keys: [Key], in languages: [String]) -> String? {
        for language in Self.fallbacks(languages) {
            for texts in [replacements[language], Self.shipped(in: language)] {
                if let texts, let text = keys.lazy.compactMap({ texts[$0] }).first { return text }
            }
        }
        return nil
    }

    /// Each language followed by its primary subtag, and English at the end.
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

extension WalletError: LocalizedError {
    /// The SDK's text for the person, so that `localizedDescription` is fit to show; nil if the person cancelled, where
    /// there is nothing to say. An app with texts of its own uses ``UserErrorMessages/text(for:languages:)``.
    public var errorDescription: String? { UserErrorMessages.builtIn.text(for: self) }
}

extension UserErrorMessages {
    /// Identifies a text. Its raw value, for instance `login_by_pin.invalid_credentials`, can also be a key in the
    /// app's own string table.
    ///
    /// From the most specific to the most general, an error has these keys:
    /// - `OPERATION.pin_locked.restore` and `pin_locked.restore` if the PIN was locked by a restore from a backup, and
    ///   not by wrong attempts;
    /// - the keys of `pin_locked` or `pin_exhausted` for a transaction that the device cannot sign for that reason
    ///   (`second_factor_unavailable`);
    /// - `CODE.answer` if an answer that continues a sign-in was wrong, such as a code;
    /// - `data_error.pin_locked` if wrong PINs locked the event of a consent and the PIN with it, `data_error.no_tries_left` if wrong
    ///   values locked the event, `data_error.refused` if the person refused it;
    /// - `wallet_deactivated.by_holder` if the person closed the account (``WalletError/eraseAt``);
    /// - `OPERATION.CODE`, for instance `login_by_pin.invalid_credentials`;
    /// - `CODE.trace` if the server sent a trace id, which replaces `{trace}` in the text;
    /// - `CODE.STATUS` for a transaction that has ended, for instance `transaction_over.expired`;
    /// - `second_factor_unavailable.pin`, `.biometric` or `.any`, by the factor that the transaction requires and the
    ///   device does not have;
    /// - `CODE`, for instance `invalid_credentials`; none with a code if the app's own code called the SDK wrongly
    ///   (`bad_request` with the outcome `misconfigured`);
    /// - `outcome.OUTCOME.DETAIL`, for instance `outcome.signed_out.session_ended`. The detail of
    ///   `outcome.temporarily_unavailable` is `minutes` if the server asks to wait for more than a minute; the number
    ///   of minutes replaces `{minutes}` in the text;
    /// - `outcome.OUTCOME`, for instance `outcome.refused`.
    public struct Key: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The key as text.
        public let rawValue: String
        /// Creates a key from text.
        /// - Parameter rawValue: the text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a key from text.
        /// - Parameter value: the text.
        public init(stringLiteral value: String) { rawValue = value }

        /// Creates the key of a code, for every operation or for one.
        /// - Parameters:
        ///   - code: the error code.
        ///   - operation: the operation; nil for all of them.
        public init(_ code: WalletError.Code, during operation: WalletError.Operation? = nil) {
            rawValue = [operation?.rawValue, code.rawValue].compactMap { $0 }.joined(separator: ".")
        }

        /// The key as text.
        public var description: String { rawValue }

        /// Returns the keys of an error, the most specific first.
        /// - Parameter error: the error to explain.
        public static func keys(for error: WalletError) -> [Key] {
            var keys: [Key] = []
            let lock = error.secondFactorShortage?.lock
            if error.pinLockReason == .restore {
                let code = lock ?? error.code
                keys = [Key(code, during: error.operation), Key(code)].map { Key(rawValue: "\($0).restore") }
            }
            if let lock { keys += [Key(lock, during: error.operation), Key(lock)] }
            if error.concernsAnswer { keys.append(Key(rawValue: "\(error.code.rawValue).answer")) }
            if error.code == .dataError, error.pinLockReason != nil { keys.append("data_error.pin_locked") }
            if error.code == .dataError, error.remainingAttempts == 0 { keys.append("data_error.no_tries_left") }
            if error.code == .dataError, error.isRefusedByPerson { keys.append("data_error.refused") }
            if error.eraseAt != nil { keys.append(Key(rawValue: "\(error.code.rawValue).by_holder")) }
            // The person entered nothing wrong: the app's code did.
            let isOfProgram = error.code == .badRequest && error.outcome == .misconfigured && !error.reachedServer
            if !isOfProgram { keys.append(Key(error.code, during: error.operation)) }
            if error.traceID != nil { keys.append(Key(rawValue: "\(error.code.rawValue).trace")) }
            if let status = error.transactionStatus {
                keys.append(Key(rawValue: "\(error.code.rawValue).\(status.rawValue.lowercased())"))
            }
            if let shortage = error.secondFactorShortage, lock == nil {
                keys.append(Key(rawValue: "\(error.code.rawValue).\(shortage.required.rawValue.lowercased())"))
            }
            // The metadata of another issuer is a fault of the configuration. Only in a callback does the code's text apply.
            let isOfCallback = error.code != .issuerMismatch || error.outcome != .misconfigured
            if isOfCallback, !isOfProgram { keys.append(Key(error.code)) }
            let (outcome, detail) = error.outcomeNames
            if let detail { keys.append(Key(rawValue: "outcome.\(outcome).\(detail)")) }
            keys.append(Key(rawValue: "outcome.\(outcome)"))
            return keys
        }
    }
}

extension SecondFactorShortage {
    /// The code of the PIN's lock, which says more than that the device has no factor; nil if the PIN is not locked.
    fileprivate var lock: WalletError.Code? {
        switch pin {
        case .locked: .pinLocked
        case .exhausted: .pinExhausted
        case .notSet, nil: nil
        }
    }
}

extension WalletError {
    /// The server's waiting time in minutes, rounded up; nil for up to a minute, which is not worth mentioning.
    fileprivate var waitInMinutes: Int64? {
        guard case .temporarilyUnavailable(let wait?) = outcome, wait > .seconds(60) else { return nil }
        let (seconds, fraction) = wait.components
        return seconds.isMultiple(of: 60) && fraction == 0 ? seconds / 60 : seconds / 60 + 1
    }

    /// The outcome and its detail in snake case.
    fileprivate var outcomeNames: (outcome: String, detail: String?) {
        switch outcome {
        case .signedOut(let reason): ("signed_out", reason.rawValue.inSnakeCase)
        case .temporarilyUnavailable: ("temporarily_unavailable", waitInMinutes == nil ? nil : "minutes")
        case .offline: ("offline", nil)
        case .keyLost(let recovery): ("key_lost", recovery.rawValue.inSnakeCase)
        case .storeUnavailable(let failure): ("store_unavailable", failure.rawValue)
        case .cancelledByPerson: ("cancelled_by_person", nil)
        case .stepUp: ("step_up", nil)
        case .refused: ("refused", nil)
        case .misconfigured: ("misconfigured", nil)
        }
    }
}

extension String {
    /// `sessionEnded` as `session_ended`, and `setPINAgain` as `set_pin_again`.
    fileprivate var inSnakeCase: String {
        var name = ""
        var previous: Character?
        for index in indices {
            let beginsWord = previous?.isLowercase == true || self[index...].dropFirst().first?.isLowercase == true
            if self[index].isUppercase, previous != nil, beginsWord { name.append("_") }
            name.append(contentsOf: self[index].lowercased())
            previous = self[index]
        }
        return name
    }
}
