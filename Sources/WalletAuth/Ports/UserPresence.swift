/// Checks for the device's owner with face, fingerprint or passcode.
///
/// The check unlocks nothing by itself. Anything that must depend on presence is protected by the access control of its
/// key or item; this port serves actions that have no such key.
public protocol UserPresence: Sendable {
    /// The strongest check that this device can make right now.
    func capability() async -> UserPresenceCapability

    /// Asks the person.
    /// - Parameter reason: shown to the person, in their language.
    /// - Throws: ``UserPresenceFailure``, or `CancellationError` if the task was cancelled.
    func confirm(reason: String) async throws
}

/// The presence checks that a device supports.
public enum UserPresenceCapability: Sendable, Equatable {
    /// Face, fingerprint or iris, with the passcode as a fallback.
    case biometrics
    /// Only the device's passcode.
    case passcode
    /// None: the device has no passcode, or the platform has no such check.
    case none
}

/// The reason a presence check failed.
public enum UserPresenceFailure: Error, Sendable, Equatable {
    /// The person declined or did not respond.
    case refused
    /// Too many failed checks: the device asks for its passcode first.
    case lockedOut
    /// The device cannot make the check.
    case unavailable
}
