/// The available secret questions in the person's language, and the chosen ones (`GET /v1/account/secret-questions`).
public struct SecretQuestionCatalog: Hashable, Sendable {
    /// One question.
    public struct Question: Hashable, Sendable {
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

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        var questions: [Question] = []
        for entry in try object.required("questions", object.objects("questions")) {
            questions.append(
                Question(
                    id: try entry.required("id", entry.string("id")),
                    text: try entry.required("text", entry.string("text")),
                    isChosen: try entry.required("chosen", entry.bool("chosen"))))
        }
        self.questions = questions
        least = try object.required("least", object.integer("least"))
        most = try object.required("most", object.integer("most"))
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["questions"] = .array(
            questions.map { question in
                var entry = JSONObject()
                entry.set("id", question.id)
                entry.set("text", question.text)
                entry["chosen"] = .bool(question.isChosen)
                return .object(entry)
            })
        object.set("least", least)
        object.set("most", most)
        return object
    }
}

/// New answers to secret questions, replacing the former ones (`PUT /v1/account/secret-questions`).
public struct SecretQuestionChoice: Hashable, Sendable {
    /// One answer.
    public struct Answer: Hashable, Sendable {
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

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["answers"])
        var answers: [Answer] = []
        let entries = try object.required("answers", object.objects("answers"))
        guard entries.count <= 20 else { throw MalformedValue(field: "answers", reason: "are too many") }
        for entry in entries {
            try entry.refuseMembers(otherThan: ["question", "answer"])
            answers.append(
                Answer(
                    question: try entry.required("question", entry.string("question")),
                    answer: try entry.required("answer", entry.secret("answer"))))
        }
        self.answers = answers
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object["answers"] = .array(
            answers.map { answer in
                var entry = JSONObject()
                entry.set("question", answer.question)
                entry.set("answer", answer.answer.reveal())
                return .object(entry)
            })
        return object
    }
}

/// Changes the password (`PUT /v1/account/password`).
public struct PasswordChangeRequest: Hashable, Sendable {
    /// The current password; may be omitted within minutes of a sign-in.
    public var currentPassword: Password?
    /// The new password.
    public var newPassword: Password

    /// Creates a value. Each parameter sets the property of the same name.
    public init(currentPassword: Password?, newPassword: Password) {
        self.currentPassword = currentPassword
        self.newPassword = newPassword
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["currentPassword", "newPassword"])
        currentPassword = try object.secret("currentPassword")
        newPassword = try object.required("newPassword", object.secret("newPassword"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("currentPassword", currentPassword?.reveal())
        object.set("newPassword", newPassword.reveal())
        return object
    }
}
