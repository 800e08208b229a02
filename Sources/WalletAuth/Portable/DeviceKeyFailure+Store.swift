extension DeviceKeyFailure {
    /// Maps a store failure to a failure of the key in it.
    init(_ failure: SecureStoreFailure) {
        let kind: Kind =
            switch failure.kind {
            case .locked: .locked
            case .damaged: .invalidated
            case .full, .denied, .busy, .failed: .failed
            }
        self.init(kind, reason: failure.reason)
    }
}
