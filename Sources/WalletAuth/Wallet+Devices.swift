public import WalletAuthWire

extension Wallet {
    /// The devices of whoever is signed in, this one among them.
    public var devices: Devices { Devices(core: core) }

    /// A device of an account.
    public typealias Device = EnrolledDevice

    /// Enrolling this device, and looking after all of the account's devices.
    ///
    /// An enrolled device has a key of its own, made here and never leaving here. A sign-in from it is known, counts its
    /// own failures, and is two factors with a password alone. Each account on a device has its own enrollment and keys.
    public struct Devices: Sendable {
        let core: WalletCore

        /// Enrolls this device for the account that is signed in.
        ///
        /// The sign-in has to be minutes old and of two factors; the server tells the account's holder. Repeating it
        /// replaces this device's former enrollment.
        /// - Parameters:
        ///   - name: what its holder calls it, 1 to 64 characters.
        ///   - username: the name that was signed in with; the next ``Wallet/login(username:password:)`` by it proves
        ///     this device.
        /// - Returns: the device as the server knows it. Where `EnrolledDevice.awaitsVerification` is
        ///   true, ``confirm(code:for:)`` comes next.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` when the sign-in is too weak or too old,
        ///   `too_many_devices`, `signed_out` …
        @discardableResult
        public func enroll(name: String, username: String? = nil) async throws -> Device {
            try await core.during(.enrollDevice) {
                try await core.enroller.enroll(name: name, platform: DevicePlatform.here, username: username)
            }
        }

        /// The account's devices, the oldest first.
        /// - Throws: ``WalletError``.
        public func list() async throws -> [Device] {
            try await core.during(.listDevices) {
                try EnrolledDeviceList(
                    try await core.sessionCalls.send(.get, Endpoints.devices.path, during: .listDevices)
                ).devices
            }
        }

        /// Gives a device another name: this one by whatever sign-in, another one by a sign-in as strong as the account can prove.
        /// - Parameters:
        ///   - id: the device.
        ///   - name: 1 to 64 characters.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` where the sign-in was too weak; `device_not_found` …
        @discardableResult
        public func rename(_ id: DeviceID, to name: String) async throws -> Device {
            try await core.during(.renameDevice) {
                let renaming: DeviceRenaming
                do { renaming = DeviceRenaming(name: try DeviceName(name)) } catch {
                    throw WalletError(.badRequest, .refused, during: .renameDevice, reason: "\(error)")
                }
                // The same name again changes nothing more.
                return try Device(
                    try await core.sessionCalls.send(
                        .patch, Endpoints.device.path(id), renaming.json,
                        idempotencyKey: Randomness.token(), during: .renameDevice))
            }
        }

        /// Removes a device: its sessions end, and it has to be enrolled anew.
        ///
        /// This device is removed by whatever sign-in; another one by a sign-in as strong as the account can prove.
        /// - Parameter id: the device; where it is this one, its keys go, and the session with them.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` where the sign-in was too weak; `device_not_found`
        ///   where the account has none of that id, nor this device a trace of it.
        public func remove(_ id: DeviceID) async throws {
            try await core.during(.removeDevice) {
                do {
                    _ = try await core.sessionCalls.send(.delete, Endpoints.device.path(id), during: .removeDevice)
                    try await core.forgetEnrollment(id)
                } catch let error as WalletError where error.code == .deviceNotFound {
                    // An answer that was lost, or a removal from elsewhere: what is left of it here goes all the same.
                    guard try await core.forgetEnrollment(id) else { throw error }
                }
            }
        }

        /// Confirms this installation by the code that was sent to the account's holder.
        /// - Parameters:
        ///   - code: as typed.
        ///   - id: this device.
        /// - Throws: ``WalletError``: `invalid_code` …
        public func confirm(code: String, for id: DeviceID) async throws {
            try await core.during(.confirmInstallation) {
                let typed: OneTimeCode
                do { typed = try OneTimeCode(digits: code) } catch {
                    throw WalletError(.invalidCode, .refused, during: .confirmInstallation, reason: "\(error)")
                }
                _ = try await core.sessionCalls.send(
                    .post, Endpoints.deviceVerification.path(id), DeviceVerification.code(typed).json,
                    during: .confirmInstallation)
            }
        }

        /// Has the code for this installation sent again.
        /// - Parameter id: this device.
        /// - Throws: ``WalletError``: `temporarily_unavailable` with the time to wait where one was sent a moment ago.
        public func resendCode(for id: DeviceID) async throws {
            try await core.during(.confirmInstallation) {
                _ = try await core.sessionCalls.send(
                    .post, Endpoints.deviceVerification.path(id), DeviceVerification.resend.json,
                    during: .confirmInstallation)
            }
        }

        /// Tells the server where push messages to this device go; ask the person for the permission when the device is
        /// linked.
        /// - Parameters:
        ///   - token: the platform's token for this app on this device.
        ///   - environment: which of the platform's services made it.
        ///   - id: this device.
        /// - Throws: ``WalletError``.
        public func setPushAddress(
            token: String, environment: PushAddress.Environment, for id: DeviceID
        ) async throws {
            try await core.during(.setPushAddress) {
                let address: PushAddress
                do { address = PushAddress(token: try PushToken(token), environment: environment) } catch {
                    throw WalletError(.badRequest, .refused, during: .setPushAddress, reason: "\(error)")
                }
                _ = try await core.sessionCalls.send(
                    .put, Endpoints.devicePush.path(id), address.json, during: .setPushAddress)
            }
        }
    }
}

extension DevicePlatform {
    /// What a device is called whose app gives it no name.
    static var usualName: String {
        #if os(iOS)
            "iPhone or iPad"
        #elseif os(macOS)
            "Mac"
        #else
            "This device"
        #endif
    }

    /// What this program runs on.
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
