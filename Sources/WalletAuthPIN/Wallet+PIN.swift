public import WalletAuth
public import WalletAuthWire

extension Wallet {
    /// Signs in by the PIN of this device (WPIN-1): two factors in one step, the device's key and what the person knows.
    ///
    /// Neither the PIN nor anything derived from it is stored or sent. Each call costs one of five tries at the server
    /// until one is right; a call whose answers are lost on the way costs no more than one, and a second call with the same
    /// PIN while the first is under way shares it.
    /// - Parameters:
    ///   - pin: as the person typed it.
    ///   - account: whose PIN, where this device is enrolled for several (`Wallet.accounts`); by default the one that was
    ///     signed in with last.
    ///   - properties: what the app wants kept with the sign-in's entry in the server's journal.
    ///   - requestedAttributes: the names of additional attributes beside those that are always told.
    /// - Returns: `LoginOutcome`.
    /// - Throws: `WalletError`: `invalid_credentials` (401) for a wrong PIN, with `remainingAttempts`;
    ///   `pin_locked` (423) after the fifth, and after the server was restored from a backup (`pinLockReason`); `pin_not_set`, `device_not_enrolled`, `key_lost` with the recovery
    ///   `setPINAgain` or `enrollAgain`, `pin_server_key_changed`, `device_suspended`, `wallet_deactivated` …
    public func login(
        pin: String, account: AccountID? = nil, properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        let authentication = deviceAuthentication
        let operation = WalletError.Operation.loginByPIN
        return try await authentication.during(operation) {
            // What no PIN is like is answered like a wrong one, and costs no try.
            guard let pin = try? PIN(pin) else {
                throw WalletError(
                    .invalidCredentials, .refused, during: operation,
                    statusCode: ErrorCode.invalidCredentials.statusCode(), reason: "no PIN is like this")
            }
            let extras = LoginExtras(properties: properties, requestedAttributes: requestedAttributes)
            let signIns = authentication.annex.value { PINSignIns() }
            return try await signIns.run(pin, account: account) {
                let enrollment = try await authentication.enrollment(of: account, during: operation)
                let device = PINDevice(authentication: authentication, enrollment: enrollment, operation: operation)
                return try await device.alone { try await PINSignIn(device: device, extras: extras).run(pin) }
            }
        }
    }

    /// The PIN of this device.
    public var pin: DevicePIN { DevicePIN(authentication: deviceAuthentication) }

    /// The PIN of this device: set, changed, forgotten. Each account on a device has its own.
    ///
    /// Signing out leaves it; removing the device, or enrolling it anew, takes it away.
    public struct DevicePIN: Sendable {
        let authentication: DeviceAuthentication

        /// Where a PIN stands, as this device knows: the server may have locked it meanwhile.
        public enum State: String, Sendable, Hashable, Codable {
            /// None is set.
            case none
            /// It signs in.
            case active
            /// Locked, for the reason that ``DevicePIN/lockReason(of:)`` tells: sign in with two factors and set another.
            case locked
        }

        /// Where the PIN of an account stands, without asking the server.
        /// - Parameter account: whose PIN; by default of the account that was signed in with last.
        /// - Throws: `WalletError` `store_unavailable`.
        public func state(of account: AccountID? = nil) async throws -> State {
            guard let record = try await record(of: account), record.pinned != nil else { return .none }
            return record.isLocked ? .locked : .active
        }

        /// Why the PIN of an account is locked, without asking the server.
        /// - Parameter account: whose PIN; by default of the account that was signed in with last.
        /// - Returns: nil if it is not locked, as far as this device knows, and where the server did not say why.
        /// - Throws: `WalletError` `store_unavailable`.
        public func lockReason(of account: AccountID? = nil) async throws -> PINLockReason? {
            try await record(of: account)?.lockReason
        }

        private func record(of account: AccountID?) async throws -> KeptPIN? {
            try await authentication.during(.pinState) {
                do { return try await device(of: account, during: .pinState).record() } catch let error as WalletError
                    where error.code == .deviceNotEnrolled
                { return nil }
            }
        }

        /// Sets the PIN of whoever is signed in, also in the place of a forgotten or locked one.
        ///
        /// The sign-in has to be minutes old and of two factors, and from this device; the server tells the account's
        /// holder. The rules are held against it before anything is sent: the server never sees it.
        /// - Parameters:
        ///   - pin: 4 to 12 digits, six or more unless `rules` say otherwise.
        ///   - rules: what it must be like.
        /// - Throws: `WalletError`: `pin_too_short`, `pin_too_long`, `pin_malformed`, `pin_too_common`;
        ///   `insufficient_user_authentication`, `device_not_enrolled`, `signed_out` … After trouble on the way it may be in
        ///   use or not; setting it again is right in either case.
        public func set(_ pin: String, rules: PINRules = PINRules()) async throws {
            try await authentication.during(.setPIN) {
                let new = try Self.new(pin, rules, during: .setPIN)
                let device = try await signedInDevice(during: .setPIN)
                try await device.alone { try await PINSetting(device: device).set(new) }
            }
        }

        /// Puts another PIN in the place of the one in use.
        /// - Parameters:
        ///   - current: the one in use. A wrong one costs a try.
        ///   - new: 4 to 12 digits, six or more unless `rules` say otherwise.
        ///   - rules: what the new one must be like.
        /// - Throws: `WalletError`: `invalid_credentials`, `pin_locked`, `pin_not_set`; for the new one what
        ///   ``set(_:rules:)`` throws. After trouble on the way either may be in use.
        public func change(from current: String, to new: String, rules: PINRules = PINRules()) async throws {
            try await authentication.during(.changePIN) {
                let new = try Self.new(new, rules, during: .changePIN)
                guard let current = try? PIN(current) else {
                    throw WalletError(
                        .invalidCredentials, .refused, during: .changePIN,
                        statusCode: ErrorCode.invalidCredentials.statusCode(), reason: "no PIN is like the current one")
                }
                let device = try await signedInDevice(during: .changePIN)
                try await device.alone { try await PINSetting(device: device).change(from: current, to: new) }
            }
        }

        /// How forgetting a PIN ended. Either way no PIN opens anything from here until another is set.
        public enum Forgetting: Sendable, Hashable {
            /// The server has deleted its half as well.
            case everywhere
            /// The server could not be told: nobody was signed in, no network. Its half opens nothing without this
            /// device's, and goes when the PIN is forgotten once more, when another is set, or with the device.
            case onThisDevice(WalletError)
        }

        /// Takes the PIN away: first off this device, whatever the network does, then at the server where its account is
        /// signed in.
        ///
        /// This device's share of every PIN key is gone, so that no PIN opens anything from here until another is set. What
        /// the server could not be told is not queued, unlike the end of a session: it would open nothing, and waits for
        /// nothing but the next sign-in. Harmless to repeat.
        /// - Parameter account: whose PIN; by default of the account that was signed in with last.
        /// - Returns: whether the server knows.
        /// - Throws: `WalletError`: `device_not_enrolled`, `store_unavailable`: nothing was forgotten then.
        @discardableResult
        public func forget(account: AccountID? = nil) async throws -> Forgetting {
            try await authentication.during(.forgetPIN) {
                let device = try await device(of: account, during: .forgetPIN)
                return try await device.alone {
                    try await device.forget()
                    do {
                        // What a port threw is told as what it means.
                        try await authentication.during(.forgetPIN) { try await device.forgetAtServer() }
                        return .everywhere
                    } catch let error as WalletError {
                        return .onThisDevice(error)
                    }
                }
            }
        }

        private func device(
            of account: AccountID?, during operation: WalletError.Operation
        ) async throws -> PINDevice {
            PINDevice(
                authentication: authentication,
                enrollment: try await authentication.enrollment(of: account, during: operation), operation: operation)
        }

        private func signedInDevice(during operation: WalletError.Operation) async throws -> PINDevice {
            PINDevice(
                authentication: authentication,
                enrollment: try await authentication.signedInEnrollment(during: operation), operation: operation)
        }

        private static func new(
            _ text: String, _ rules: PINRules, during operation: WalletError.Operation
        ) throws -> PIN {
            do throws(PINFault) {
                let pin = try PIN(text)
                try rules.check(pin)
                return pin
            } catch {
                throw WalletError(error, rules, during: operation)
            }
        }
    }
}

extension WalletError {
    /// Why a new PIN is not taken.
    fileprivate init(_ fault: PINFault, _ rules: PINRules, during operation: Operation) {
        let (code, reason): (Code, String) =
            switch fault {
            case .malformed: (.pinMalformed, "a PIN has digits only")
            // Where the app asks for more than WPIN-1 does, that is what the person has to know.
            case .tooShort(let minimum):
                (.pinTooShort, "a PIN has at least \(max(minimum, rules.minimumLength)) digits")
            case .tooLong(let maximum): (.pinTooLong, "a PIN has at most \(maximum) digits")
            case .tooCommon: (.pinTooCommon, "this PIN is one of those that are tried first: choose another")
            }
        self.init(code, .refused, during: operation, reason: reason)
    }
}
