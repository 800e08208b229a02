import WalletAuthTransport
public import WalletAuthWire

extension Wallet {
    /// The devices of the signed-in account, including this one.
    public var devices: Devices { Devices(wallet: self) }

    /// A device of an account.
    public typealias Device = EnrolledDevice

    /// Enrolls this device and manages the account's devices.
    ///
    /// An enrolled device has its own key, which is created on it and never leaves it. The server recognizes a sign-in
    /// from it and counts its failures separately; with a password alone, it counts as two factors. Each account on a
    /// device has its own enrollment and keys.
    public struct Devices: Sendable {
        let wallet: Wallet

        /// Enrolls this device for the signed-in account.
        ///
        /// The sign-in must be a few minutes old at most, with two factors. The server notifies the account's owner.
        /// Enrolling again replaces this device's former enrollment. Once begun, an enrollment runs to the end, even if
        /// the task is cancelled.
        /// - Parameters:
        ///   - name: the owner's name for the device, 1 to 64 characters.
        ///   - username: the user name of the sign-in; the next ``Wallet/login(username:password:)`` with it proves
        ///     this device.
        /// - Returns: the device as the server knows it. If `EnrolledDevice.awaitsVerification` is true, continue with
        ///   ``confirm(code:for:)``.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` if the sign-in is too weak or too old,
        ///   `too_many_devices`, `signed_out` …
        @discardableResult
        public func enroll(name: String, username: String? = nil) async throws -> Device {
            try await wallet.log.during(.enrollDevice) {
                try await wallet.enroller.enroll(name: name, platform: DevicePlatform.here, username: username)
            }
        }

        /// Returns the account's devices, oldest first.
        /// - Throws: ``WalletError``.
        public func list() async throws -> [Device] {
            try await wallet.call(.listDevices, .get, Endpoints.devices.path) { try EnrolledDeviceList($0).devices }
        }

        /// Renames a device. Any sign-in can rename this device; another one requires the strongest sign-in the account
        /// supports.
        /// - Parameters:
        ///   - id: the device.
        ///   - name: 1 to 64 characters.
        /// - Returns: the renamed device.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` if the sign-in was too weak;
        ///   `device_not_found` …
        @discardableResult
        public func rename(_ id: DeviceID, to name: String) async throws -> Device {
            try await wallet.call(
                .renameDevice, .patch, Endpoints.device.path(id),
                try WalletError.argument(.renameDevice) { DeviceRenaming(name: try DeviceName(name)).json },
                // The same name again changes nothing more.
                isRepeatable: true
            ) { try Device($0) }
        }

        /// Removes a device: its sessions end, and it must be enrolled again.
        ///
        /// Any sign-in can remove this device; another one requires the strongest sign-in the account supports.
        /// - Parameter id: the device. If it is this one, its keys and the session are removed too.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` if the sign-in was too weak;
        ///   `device_not_found` if neither the account nor this device knows the id. If the call is repeated after a lost
        ///   answer, that the device is gone by then is no error.
        public func remove(_ id: DeviceID) async throws {
            try await wallet.log.during(.removeDevice) { try await wallet.remove(id) }
        }

        /// Confirms this installation with the code that the server sent to the account's owner.
        /// - Parameters:
        ///   - code: the code as typed.
        ///   - id: this device.
        /// - Throws: ``WalletError``: `invalid_code` …
        public func confirm(code: String, for id: DeviceID) async throws {
            try await wallet.call(
                .confirmInstallation, .post, Endpoints.deviceVerification.path(id),
                try WalletError.argument(.confirmInstallation, .invalidCode) {
                    DeviceVerification.code(try OneTimeCode(digits: code)).json
                })
        }

        /// Sends the code for this installation again.
        /// - Parameter id: this device.
        /// - Throws: ``WalletError``: `temporarily_unavailable` with the time to wait if one was sent a moment ago.
        public func resendCode(for id: DeviceID) async throws {
            try await wallet.call(
                .confirmInstallation, .post, Endpoints.deviceVerification.path(id), DeviceVerification.resend.json)
        }

        /// Registers this device's push token with the server. Ask the person for permission when the device is linked.
        /// - Parameters:
        ///   - token: the platform's token for this app on this device. Apple's is written in hexadecimal.
        ///   - environment: the platform service that issued it. Firebase has only one: `production`.
        ///   - service: who delivers the messages.
        ///   - id: this device.
        /// - Throws: ``WalletError``.
        public func setPushAddress(
            token: String, environment: PushAddress.Environment, service: PushAddress.Service = .apns,
            for id: DeviceID
        ) async throws {
            try await wallet.call(
                .setPushAddress, .put, Endpoints.devicePush.path(id),
                try WalletError.argument(.setPushAddress) {
                    let address = PushAddress(token: try PushToken(token), environment: environment, service: service)
                    try address.validate()
                    return address.json
                })
        }
    }
}

extension Wallet {
    /// Answers the second factor and links this device to the account: it is enrolled, and the next sign-in from here
    /// needs no second factor. Older SDKs call this `registerWithMFA`.
    ///
    /// If ``Configuration/linksDevice`` is false, the answer is submitted and nothing is linked. Afterwards is a good
    /// moment to ask for permission to send push messages, see ``Devices/setPushAddress(token:environment:service:for:)``.
    /// - Parameters:
    ///   - mfa: the challenge from the sign-in.
    ///   - answer: the answer as typed.
    /// - Returns: the next state of the sign-in, and whether the device is linked. If linking fails, the person stays
    ///   signed in.
    /// - Throws: ``WalletError`` of the sign-in: a wrong answer is `invalid_credentials`, and the challenge stays
    ///   usable as long as the server allows.
    public func register(mfa: MFAChallenge, answer: String) async throws -> Registration {
        try await link(after: mfa.answer(answer), to: mfa)
    }

    /// Has the person use a passkey as the second factor, and links this device like ``register(mfa:answer:)``.
    /// - Parameter mfa: a challenge that ``MFAChallenge/takesPasskey``.
    /// - Returns: the next state of the sign-in, and whether the device is linked.
    /// - Throws: what ``MFAChallenge/answerWithPasskey()`` throws.
    public func registerWithPasskey(mfa: MFAChallenge) async throws -> Registration {
        try await link(after: mfa.answerWithPasskey(), to: mfa)
    }

    private func link(after login: LoginOutcome, to mfa: MFAChallenge) async throws -> Registration {
        guard case .authenticated = login else { return Registration(login: login, link: .signInUnfinished) }
        guard configuration.linksDevice else { return Registration(login: login, link: .notWanted) }
        do {
            let device = try await log.during(.enrollDevice) {
                try await enroller.enroll(
                    name: configuration.deviceName ?? DevicePlatform.usualName, platform: DevicePlatform.here,
                    username: mfa.continuation.attempt.username)
            }
            return Registration(login: login, link: .linked(device))
        } catch let error as WalletError {
            return Registration(login: login, link: .failed(error))
        }
    }

    /// The result of ``Wallet/register(mfa:answer:)``.
    public struct Registration: Sendable {
        /// The next state of the sign-in.
        public let login: LoginOutcome
        /// Whether this device is linked.
        public let link: Link

        /// The state of the link between this device and the account.
        public enum Link: Sendable {
            /// This device is enrolled. If `awaitsVerification` is true, continue with ``Devices/confirm(code:for:)``.
            case linked(Device)
            /// ``Configuration/linksDevice`` is false.
            case notWanted
            /// The sign-in needs another step first; call ``Devices/enroll(name:username:)`` afterwards.
            case signInUnfinished
            /// The device could not be enrolled; try again with ``Devices/enroll(name:username:)``. After a secret
            /// question or a login nonce, this is `insufficient_user_authentication`: an answer that others may find
            /// out, and a backend's word, do not link a device.
            case failed(WalletError)
        }
    }
}

extension Wallet {
    /// Removes a device at the server, and what this device keeps of it.
    fileprivate func remove(_ id: DeviceID) async throws {
        let holding = try await tokens.holding(during: .removeDevice)
        let isOwn = await isDevice(id, of: holding.session)
        do {
            // In this session or not at all: to the next person the server says that there is no such device.
            try await calls.remove(
                Endpoints.device.path(id), missing: .deviceNotFound, in: holding.generation, during: .removeDevice)
            try await forgetEnrollment(id, endingSession: isOwn)
        } catch let error as WalletError where error.code == .deviceNotFound {
            // After a removal elsewhere, the local remains are removed all the same.
            guard try await forgetEnrollment(id, endingSession: isOwn) else { throw error }
        }
    }

    /// Whether it is this device, enrolled for the session's account. Once it is removed, no session says so any more.
    private func isDevice(_ id: DeviceID, of session: Session) async -> Bool {
        // A list that cannot be read keeps no device at the server.
        let enrollments = (try? await enroller.enrollments.all()) ?? []
        return enrollments.contains { $0.deviceID == id && $0.account.rawValue == session.owner.subject }
    }

    /// Removes an enrollment from this device, with its keys and its account's history; where it is the session's, the session is
    /// over.
    /// - Parameter isSessions: whether it is the enrollment of a session that may have ended meanwhile.
    /// - Returns: whether the enrollment was here.
    @discardableResult
    private func forgetEnrollment(_ id: DeviceID, endingSession isSessions: Bool) async throws -> Bool {
        guard let listed = try await enroller.enrollments.all().last(where: { $0.deviceID == id }) else { return false }
        let removed = try await deviceAuthentication.history.whileUnwritten(of: listed.account) { [enroller] history in
            try await enroller.enrollments.remove(id) { enrollment in
                await enroller.dropKeys(of: enrollment)
                try await history.removeAll()
            }
        }
        guard let removed else { return false }
        let holder = keeper.snapshot.holding?.session
        // The server may have ended it already. Someone else's is none of this.
        let isOver = holder.map { $0.owner.subject == removed.account.rawValue } ?? isSessions
        if isOver { _ = try await logout() }
        return true
    }
}

extension DevicePlatform {
    /// The default name of a device.
    static var usualName: String {
        #if os(iOS)
            "iPhone or iPad"
        #elseif os(macOS)
            "Mac"
        #else
            "This device"
        #endif
    }

    /// The platform of this program.
    static var here: String {
        #if os(iOS)
            "ios"
        #elseif os(macOS)
            "macos"
        #elseif os(Linux)
            "linux"
        #else
            "other"
        #endif
    }
}

extension Wallet {
    /// The accounts that this device is enrolled for, the last one signed in first. They do not depend on who is signed
    /// in, and survive sign-outs.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var accounts: [EnrolledAccount] {
        get async throws {
            try await log.during(.listAccounts) { try await enroller.enrollments.accounts() }
        }
    }

    /// An account that this device is enrolled for.
    public typealias EnrolledAccount = WalletAuth.EnrolledAccount

    /// Registers an observer of ``accounts``, for the module whose vendor reads them without `await`.
    ///
    /// It receives them after each enrollment, removal and sign-in of this wallet, in order, and before that call
    /// returns. Other processes' changes are not observed.
    /// - Parameter observer: must not block. It stays as long as the wallet.
    package func observeAccounts(_ observer: @escaping @Sendable ([EnrolledAccount]) -> Void) {
        enroller.enrollments.observers.withLock { $0.append(observer) }
    }
}
