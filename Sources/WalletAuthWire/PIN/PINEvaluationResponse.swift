/// The server's share of a PIN key, and the challenge for the assertion.
public struct PINEvaluationResponse: Hashable, Sendable {
    /// The challenge.
    public var challengeID: ChallengeID
    /// The challenge's nonce.
    public var nonce: Nonce
    /// The validity of the challenge in seconds.
    public var expiresIn: Int64
    /// The share for the current PIN, if requested.
    public var present: Present?
    /// The share for the new PIN, if one is set or changed.
    public var new: New?

    /// The share for the current PIN.
    public struct Present: WireMessage {
        /// The epoch whose key was used.
        public var epoch: PINEpoch
        /// The evaluation, to be checked against the public key pinned for the epoch.
        public var evaluation: VOPRFEvaluation
        /// The tries left after this one.
        public var attemptsLeft: Int64

        /// Creates a share.
        /// - Parameters:
        ///   - epoch: the epoch whose key was used.
        ///   - evaluation: the evaluation.
        ///   - attemptsLeft: the tries left after this one.
        public init(epoch: PINEpoch, evaluation: VOPRFEvaluation, attemptsLeft: Int64) {
            self.epoch = epoch
            self.evaluation = evaluation
            self.attemptsLeft = attemptsLeft
        }
    }

    /// The share for the new PIN.
    public struct New: WireMessage {
        /// The new epoch.
        public var epoch: PINEpoch
        /// The server's public key of that epoch, to be pinned once the PIN is set.
        public var publicKey: VOPRFElement
        /// The evaluation.
        public var evaluation: VOPRFEvaluation

        /// Creates a share.
        /// - Parameters:
        ///   - epoch: the new epoch.
        ///   - publicKey: the server's public key of that epoch.
        ///   - evaluation: the evaluation.
        public init(epoch: PINEpoch, publicKey: VOPRFElement, evaluation: VOPRFEvaluation) {
            self.epoch = epoch
            self.publicKey = publicKey
            self.evaluation = evaluation
        }
    }

    /// Creates an answer.
    /// - Parameters:
    ///   - challengeID: the challenge.
    ///   - nonce: the challenge's nonce.
    ///   - expiresIn: the validity of the challenge in seconds.
    ///   - present: the share for the current PIN.
    ///   - new: the share for the new PIN.
    public init(
        challengeID: ChallengeID, nonce: Nonce, expiresIn: Int64, present: Present? = nil, new: New? = nil
    ) {
        self.challengeID = challengeID
        self.nonce = nonce
        self.expiresIn = expiresIn
        self.present = present
        self.new = new
    }

    /// Reads an answer; unknown members are ignored, because servers are newer than apps.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        challengeID = try object.required("challengeId", object.value("challengeId"))
        nonce = try object.required("nonce", object.value("nonce"))
        expiresIn = try object.required("expiresIn", object.integer("expiresIn"))
        guard (1...3600).contains(expiresIn) else {
            throw MalformedValue(field: "expiresIn", reason: "is not from 1 to 3600 seconds")
        }
        present = object["evaluation"] == nil ? nil : try Present(object)
        new = try object["new"].map { value throws(MalformedValue) in
            guard let object = value.object else { throw MalformedValue(field: "new", value, expected: "an object") }
            return try New(object)
        }
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("challengeId", challengeID)
        object.set("nonce", nonce)
        object.set("expiresIn", expiresIn)
        for member in present?.json.members ?? [] { object[member.name] = member.value }
        if let new { object["new"] = .object(new.json) }
        return object
    }
}

extension PINEvaluationResponse: WireShaped {
    /// Its members, with those of ``Present`` if the current PIN was evaluated.
    public static let shape = WireShape.answer(
        PINEvaluationResponse.self,
        [
            .required("challengeId", .of(ChallengeID.self)), .required("nonce", .of(Nonce.self)),
            .required("expiresIn", .integer(1...3600)),
        ] + Present.shape.members.map { .optional($0.name, $0.shape) } + [.optional("new", New.shape)])
}
