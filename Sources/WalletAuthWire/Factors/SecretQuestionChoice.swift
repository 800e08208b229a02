/// The available secret questions in the person's language, and the chosen ones (`GET /v1/account/secret-questions`).
public struct SecretQuestionCatalog: WireMessage {
    /// One question.
    public struct Question: WireMessage {
        /// Its identifier.
        public var id: String
        /// The text of the question.
        public var text: String
        /// Whether the account has an answer to it.
        public var isChosen: Bool

        /// Creates a value. Each parameter sets the property of the same name.
        public init(id: String, text: String, isChosen: Bool) {
            self.id = id
            self.text = text
            self.isChosen = isChosen
        }

        enum CodingKeys: String, CodingKey {
            case id, text
            case isChosen = "chosen"
        }
    }

    /// The questions.
    public var questions: [Question]
    /// The minimum number of answers.
    public var least: Int64
    /// The maximum number of answers.
    public var most: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(questions: [Question], least: Int64, most: Int64) {
        self.questions = questions
        self.least = least
        self.most = most
    }
}

/// New answers to secret questions, replacing the former ones (`PUT /v1/account/secret-questions`).
public struct SecretQuestionChoice: WireRequest {
    /// One answer.
    public struct Answer: WireMessage {
        /// The question's identifier.
        public var question: String
        /// The answer as typed. Case and the number of spaces do not matter.
        public var answer: Password

        /// Creates a value. Each parameter sets the property of the same name.
        public init(question: String, answer: Password) {
            self.question = question
            self.answer = answer
        }
    }

    /// The answers; an empty list removes them all.
    public var answers: [Answer]

    /// Creates a choice.
    /// - Parameter answers: the answers.
    public init(answers: [Answer]) {
        self.answers = answers
    }

    /// Refuses more than 20 answers.
    public func validate() throws(MalformedValue) {
        guard answers.count <= 20 else { throw MalformedValue(field: "answers", reason: "are too many") }
    }
}

/// Changes the password (`PUT /v1/account/password`).
public struct PasswordChangeRequest: WireRequest {
    /// The current password; may be omitted within minutes of a sign-in.
    public var currentPassword: Password?
    /// The new password.
    public var newPassword: Password

    /// Creates a value. Each parameter sets the property of the same name.
    public init(currentPassword: Password?, newPassword: Password) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }
}
