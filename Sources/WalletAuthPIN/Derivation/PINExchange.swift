import WalletAuthWire

/// One evaluation of a PIN: what goes to the server, and the key that comes of its answer.
///
/// Each exchange has a blind of its own. It is used once and let go, and the PIN with it.
struct PINExchange: Sendable {
    /// What goes to the server. It says nothing of the PIN, not even to the server.
    var blinded: VOPRFElement { input.element }

    private let pin: PIN
    private let secret: DeviceSecret
    private let input: VOPRFClient.Blinded
    private let derivation: PINDerivation

    /// Begins an exchange.
    /// - Parameters:
    ///   - pin: the PIN as typed.
    ///   - secret: the device's secret.
    ///   - derivation: another cost of scrypt, for tests.
    init(pin: PIN, secret: DeviceSecret, derivation: PINDerivation = PINDerivation()) throws(PINFailure) {
        self.pin = pin
        self.secret = secret
        self.derivation = derivation
        input = try VOPRFClient.blind(PINInput.bytes(pin, secret: secret))
    }

    /// Ends the exchange for a PIN in use. Takes tens of milliseconds and 32 MiB: not for the main thread.
    /// - Parameters:
    ///   - answer: the server's share.
    ///   - pinned: the server's key as it was pinned when the PIN was set.
    func key(_ answer: PINEvaluationResponse.Present, pinned: PinnedKey) throws(PINFailure) -> PINKey {
        guard answer.epoch == pinned.epoch else { throw .wrongEpoch }
        return try key(answer.evaluation, pinned: pinned)
    }

    /// Ends the exchange for a PIN that is set. The server's key is taken as it comes, once, and pinned by the caller when
    /// the server has said that the PIN is set.
    /// - Parameter answer: the server's share.
    /// - Returns: the key, and what is to be pinned.
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

/// The server's key for one enrollment and epoch, as the device got it when the PIN was set. A server that used another key
/// now would single the device out, and is refused.
struct PinnedKey: Hashable, Sendable, Codable {
    /// The enrollment.
    let enrollment: DeviceID
    /// The epoch.
    let epoch: PINEpoch
    /// The server's public key.
    let publicKey: VOPRFElement
}
