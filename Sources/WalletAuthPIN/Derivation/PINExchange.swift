import WalletAuthWire

/// One evaluation of a PIN: the request to the server, and the key derived from the answer.
///
/// Each exchange has its own blind. It is used once and then discarded, together with the PIN.
struct PINExchange: Sendable {
    /// The element to send. It reveals nothing about the PIN, not even to the server.
    var blinded: VOPRFElement { input.element }

    private let pin: PIN
    private let secret: DeviceSecret
    private let input: VOPRFClient.Blinded
    private let derivation: PINDerivation

    /// Begins an exchange.
    ///
    /// - Parameters:
    ///   - pin: the PIN as typed.
    ///   - secret: the device's secret.
    ///   - derivation: the cost of scrypt, which only tests change.
    init(pin: PIN, secret: DeviceSecret, derivation: PINDerivation = PINDerivation()) throws(PINFailure) {
        self.pin = pin
        self.secret = secret
        self.derivation = derivation
        input = try VOPRFClient.blind(PINInput.bytes(pin, secret: secret))
    }

    /// Ends the exchange for the PIN in use. This takes tens of milliseconds and 32 MiB: don't call it on the main
    /// thread.
    ///
    /// - Parameters:
    ///   - answer: the server's share.
    ///   - pinned: the server's key, pinned when the PIN was set.
    func key(_ answer: PINEvaluationResponse.Present, pinned: PinnedKey) throws(PINFailure) -> PINKey {
        guard answer.epoch == pinned.epoch else { throw .wrongEpoch }
        return try key(answer.evaluation, pinned: pinned)
    }

    /// Ends the exchange for a new PIN. The server's key is trusted on this first use; the caller pins it once the
    /// server confirms that the PIN is set.
    ///
    /// - Parameter answer: the server's share.
    /// - Returns: the key, and the server's key to pin.
    func key(_ answer: PINEvaluationResponse.New) throws(PINFailure) -> (key: PINKey, pinned: PinnedKey) {
        let pinned = PinnedKey(enrollment: secret.enrollment, epoch: answer.epoch, publicKey: answer.publicKey)
        return (try key(answer.evaluation, pinned: pinned), pinned)
    }

    private func key(_ evaluation: VOPRFEvaluation, pinned: PinnedKey) throws(PINFailure) -> PINKey {
        guard pinned.enrollment == secret.enrollment else { throw .wrongEnrollment }
        let output = try VOPRFClient.finalize(input, evaluation: evaluation, publicKey: pinned.publicKey)
        return try derivation.key(output, pin: pin, secret: secret, epoch: pinned.epoch)
    }
}

/// The server's key for one enrollment and epoch, pinned when the PIN was set. A server that now uses another key would
/// single this device out, and is refused.
struct PinnedKey: Hashable, Sendable, Codable {
    /// The enrollment.
    let enrollment: DeviceID
    /// The epoch.
    let epoch: PINEpoch
    /// The server's public key.
    let publicKey: VOPRFElement
}
