extension DeviceKeyFailure {
    /// What trouble with the store means for a key in it.
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
