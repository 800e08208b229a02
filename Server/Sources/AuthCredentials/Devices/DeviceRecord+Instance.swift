internal import AuthCore
internal import AuthStore

extension DeviceRecord {
    /// Whether its installation has to confirm a code before it signs in.
    package var awaitsCode: Bool { state == .active && instance == .unverified }
}
