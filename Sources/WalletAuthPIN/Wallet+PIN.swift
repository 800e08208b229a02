public import WalletAuth
public import WalletAuthWire

extension Wallet {
    /// Signs in with the PIN of this device (WPIN-1). This is two factors in one step: the device's key and the
    /// person's knowledge.
    ///
    /// Neither the PIN nor anything derived from it is stored or sent. Each call uses one of five attempts at the
    /// server, which a right PIN resets. A call whose answers are lost uses at most one attempt, and a second call with
    /// the same PIN shares the first one's attempt while that is in progress.
    ///
    /// - Parameters:
    ///   - pin: the PIN as the person typed it.
    ///   - account: the account, if this device is enrolled for several (`Wallet.accounts`); by default the last one
    ///     signed in.
    ///   - properties: properties that the server records with the sign-in in its audit log.
    ///   - requestedAttributes: the names of attributes to return in addition to the standard ones.
    /// - Returns: the result of the sign-in.
    /// - Throws: `WalletError`: `invalid_credentials` (401) for a wrong PIN, with `remainingAttempts`; `pin_locked`
    ///   (423) after the fifth, and after the server was restored from a backup (`pinLockReason`); `pin_not_set`,
    ///   `device_not_enrolled`, `key_lost` with the recovery `setPINAgain` or `enrollAgain`, `pin_server_key_changed`,
    ///   `device_suspended`, `wallet_deactivated` …
    public func login(
        pin: String, account: AccountID? = nil, properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        let authentication = deviceAuthentication
        let operation = WalletError.Operation.loginByPIN
        return try await authentication.during(operation) {
            let pin = try PIN(presented: pin, during: operation)
            let extras = LoginExtras(properties: properties, requestedAttributes: requestedAttributes)
            let signIns = authentication.extensionStorage.value { PINSignIns() }
            return try await signIns.run(pin, account: account) {
                let enrollment = try await authentication.enrollment(of: account, during: operation)
                let device = PINDevice(authentication, enrollment, during: operation)
                return try await device.alone { try await device.signIn(pin, extras: extras) }
            }
        }
    }

    /// The PIN of this device.
    public var pin: DevicePIN { DevicePIN(authentication: deviceAuthentication) }

    /// Sets, changes and forgets the PIN of this device. Each account on a device has its own.
    ///
    /// Signing out keeps the PIN. Removing the device, or enrolling it again, deletes it.
    public struct DevicePIN: Sendable {
        let authentication: DeviceAuthentication

        /// The state of a PIN as this device knows it. The server may have locked it since.
        public enum State: String, Sendable, Hashable, Codable {
            /// No PIN is set.
            case none
            /// The PIN can be used to sign in.
            case active
            /// The PIN is locked for the reason in ``DevicePIN/lockReason(of:)``: sign in with two factors and set
            /// another.
            case locked
        }

        /// The state of an account's PIN, without asking the server.
        ///
        /// - Parameter account: the account; by default the last one signed in.
        /// - Throws: `WalletError` `store_unavailable`.
        public func state(of account: AccountID? = nil) async throws -> State {
            guard let record = try await record(of: account), record.pinned != nil else { return .none }
            return record.isLocked ? .locked : .active
        }

        /// The reason an account's PIN is locked, without asking the server.
        ///
        /// - Parameter account: the account; by default the last one signed in.
        /// - Returns: nil if the PIN is not locked, as far as this device knows, or if the server gave no reason.
        /// - Throws: `WalletError` `store_unavailable`.
        public func lockReason(of account: AccountID? = nil) async throws -> PINLockReason? {
            try await record(of: account)?.lockReason
        }

        private func record(of account: AccountID?) async throws -> StoredPIN? {
            try await authentication.during(.pinState) {
                do { return try await device(of: account, during: .pinState).record() } catch let error as WalletError
                    where error.code == .deviceNotEnrolled
                { return nil }
            }
        }

        /// Sets the PIN of the signed-in account. This replaces a forgotten or locked one.
        ///
        /// The sign-in must be from this device, with two factors, and at most a few minutes old. The server notifies
        /// the account's holder. The rules are checked before anything is sent: the server never sees the PIN.
        ///
        /// - Parameters:
        ///   - pin: 4 to 12 digits, at least six unless `rules` say otherwise.
        ///   - rules: the rules for the PIN.
        /// - Throws: `WalletError`: `pin_too_short`, `pin_too_long`, `pin_malformed`, `pin_too_common`;
        ///   `insufficient_user_authentication`, `device_not_enrolled`, `signed_out` … After a network error the PIN
        ///   may or may not be set; setting it again is safe in either case.
        public func set(_ pin: String, rules: PINRules = PINRules()) async throws {
            try await authentication.during(.setPIN) {
                let new = try Self.new(pin, rules, during: .setPIN)
                let device = try await signedInDevice(during: .setPIN)
                try await device.alone { try await PINSetting(device: device).set(new) }
            }
        }

        /// Changes the PIN.
        ///
        /// - Parameters:
        ///   - current: the current PIN. A wrong one uses an attempt.
        ///   - new: 4 to 12 digits, at least six unless `rules` say otherwise.
        ///   - rules: the rules for the new PIN.
        /// - Throws: `WalletError`: `invalid_credentials`, `pin_locked`, `pin_not_set`; for the new PIN the errors of
        ///   ``set(_:rules:)``. After a network error either PIN may be in use.
        public func change(from current: String, to new: String, rules: PINRules = PINRules()) async throws {
            try await authentication.during(.changePIN) {
                let new = try Self.new(new, rules, during: .changePIN)
                let current = try PIN(presented: current, during: .changePIN)
                let device = try await signedInDevice(during: .changePIN)
                try await device.alone { try await PINSetting(device: device).change(from: current, to: new) }
            }
        }

        /// The result of forgetting a PIN. In either case no PIN works on this device until another is set.
        public enum Forgetting: Sendable, Hashable {
            /// The server has deleted its half as well.
            case everywhere
            /// The server could not be reached, or no account was signed in. Its half is useless without this device's,
            /// and is deleted when the PIN is forgotten again, another is set, or the device is removed.
            case onThisDevice(WalletError)
        }

        /// Deletes the PIN: first on this device, even without a network, then at the server if the account is signed
        /// in.
        ///
        /// This device's share of every PIN key is deleted, so that no PIN works here until another is set. Unlike the
        /// end of a session, the request to the server is not queued: its half is useless alone and can wait for the
        /// next sign-in. Repeating the call is harmless.
        ///
        /// - Parameter account: the account; by default the last one signed in.
        /// - Returns: whether the server has deleted its half.
        /// - Throws: `WalletError`: `device_not_enrolled`, `store_unavailable`: nothing was forgotten.
        @discardableResult
        public func forget(account: AccountID? = nil) async throws -> Forgetting {
            try await authentication.during(.forgetPIN) {
                let device = try await device(of: account, during: .forgetPIN)
                return try await device.alone {
                    try await device.forget()
                    do {
                        // Convert the error of an adapter into the error that it means.
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
                authentication, try await authentication.enrollment(of: account, during: operation),
                during: operation)
        }

        private func signedInDevice(during operation: WalletError.Operation) async throws -> PINDevice {
            PINDevice(
                authentication, try await authentication.signedInEnrollment(during: operation),
                during: operation)
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
    /// Creates the error for a new PIN that is not accepted.
    fileprivate init(_ fault: PINFault, _ rules: PINRules, during operation: Operation) {
        let (code, reason): (Code, String) =
            switch fault {
            case .malformed: (.pinMalformed, "a PIN consists of digits only")
            // If the app's minimum is higher than WPIN-1's, the person needs to know the app's.
            case .tooShort(let minimum):
                (.pinTooShort, "a PIN needs at least \(max(minimum, rules.minimumLength)) digits")
            case .tooLong(let maximum): (.pinTooLong, "a PIN has at most \(maximum) digits")
            case .tooCommon: (.pinTooCommon, "this PIN is too easy to guess: choose another")
            }
        self.init(code, .refused, during: operation, reason: reason)
    }
}
