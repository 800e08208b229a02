/// Asks the device whether its holder is there: face, finger, or the device's passcode.
///
/// It opens nothing by itself. What must be bound to presence is bound by the access control of the key or the item;
/// this port is for asking before an action that has no such key.
public protocol UserPresence: Sendable {
    /// What this device can ask for now.
    func capability() async -> UserPresenceCapability

    /// Asks the person.
    /// - Parameter reason: shown to the person, in their language.
    /// - Throws: ``UserPresenceFailure``, or `CancellationError` when the task was cancelled.
    func confirm(reason: String) async throws
}

/// What a device can ask its holder for.
public enum UserPresenceCapability: Sendable, Equatable {
    /// Face, finger or eye, with the passcode as the way out.
    case biometrics
    /// The passcode of the device only.
    case passcode
    /// Nothing: the device has no passcode, or the platform has no such thing.
    case none
}

/// Why presence was not confirmed.
public enum UserPresenceFailure: Error, Sendable, Equatable {
    /// The person said no or walked away.
    case refused
    /// Too many failures: the device asks for its passcode first.
    case lockedOut
    /// The device cannot ask.
    case unavailable
}
