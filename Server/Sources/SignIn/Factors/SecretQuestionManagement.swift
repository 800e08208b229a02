internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The secret questions of an account, if its brand accepts them.
struct SecretQuestionManagement: Sendable {
    let database: any Database
    let vault: SecretQuestionVault
    let passwords: PasswordHasher
    let auditLog: AuditLog
    let stepUp: StepUp

    func catalog(call: AppCaller) async throws -> Result<SecretQuestionCatalog, FactorRefusal> {
        let facts = try await StepUpPolicy(stepUp, call).facts()
        guard facts.brand?.secretQuestions ?? false else { return .failure(.questionsOff) }
        let chosen = try await database.read { try SecretQuestions.list(of: call.account.id, on: $0) }
            .map(\.question)
        let language = Language.of(call.account, acceptLanguage: call.origin.acceptLanguage)
        return .success(
            SecretQuestionCatalog(
                questions: SecretQuestion.allCases.map { question in
                    SecretQuestionCatalog.Question(
                        id: question.rawValue, text: question.text(in: language),
                        isChosen: chosen.contains(question.rawValue))
                }, least: Int64(SecretQuestion.chosen.lowerBound), most: Int64(SecretQuestion.chosen.upperBound)))
    }

    /// The questions that have answers, for a caller who may replace them.
    func manage(call: any FactorCaller) async throws -> Result<[SecretQuestion], FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        guard facts.brand?.secretQuestions ?? false else { return .failure(.questionsOff) }
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(refusal) }
        let chosen = try await database.read { try SecretQuestions.list(of: call.account.id, on: $0) }
        return .success(chosen.compactMap { SecretQuestion(rawValue: $0.question) })
    }

    /// Replaces the answers. A form that arrives twice succeeds twice.
    func set(
        _ choice: SecretQuestionChoice, call: any FactorCaller
    ) async throws -> Result<Void, FactorRefusal> {
        let result = try await replace(choice, call: call)
        if case .failure = result, try await call.hasMade(Self.trace(choice), by: stepUp.keyRing, in: database) {
            return .success(())
        }
        return result
    }

    /// What a repeated form has in common with the first.
    private static func trace(_ choice: SecretQuestionChoice) -> [String] {
        ["secret-questions"] + choice.answers.flatMap { [$0.question, $0.answer.reveal()] }
    }

    private func replace(
        _ choice: SecretQuestionChoice, call: any FactorCaller
    ) async throws -> Result<Void, FactorRefusal> {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        // They can be removed even if the brand no longer accepts them.
        guard facts.brand?.secretQuestions ?? false || choice.answers.isEmpty else { return .failure(.questionsOff) }
        if let refusal = policy.refusalUnlessFresh(facts) { return .failure(refusal) }
        guard let answers = Self.checked(choice) else { return .failure(.unacceptableAnswers) }
        // Removing none changes nothing, and needs no message.
        if answers.isEmpty, facts.own.secretQuestions == 0 { return .success(()) }
        var records: [SecretQuestions.Record] = []
        for (question, answer) in answers {
            guard let slot = passwords.slot(for: .known(to: call.account.id, from: call.origin)) else {
                return .failure(.busy(retryAfter: PasswordHasher.retryAfter))
            }
            let hash = try await passwords.hash(answer, in: slot)
            records.append(
                SecretQuestions.Record(
                    question: question.rawValue,
                    answer:
                        try vault
                        .seal(hash, .answer, of: (call.account.id, question.rawValue))))
        }
        var details = JSONObject()
        if answers.isEmpty {
            details[ActivityDetailText.removed] = .bool(true)
        } else if facts.own.secretQuestions == 0 {
            details[ActivityDetailText.first] = .bool(true)
        }
        let entry = try auditLog.entry(
            FactorEvent.secretQuestionsSet, message: FactorMessage.secretQuestionsSet, call: call, details: details)
        let set = records
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(refusal)
            }
            try SecretQuestions.replace(of: call.account.id, with: set, now: call.now, on: connection)
            try call.remember(Self.trace(choice), by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// The answers as they will be hashed; `nil` if they are not acceptable.
    private static func checked(_ choice: SecretQuestionChoice) -> [(SecretQuestion, Password)]? {
        guard !choice.answers.isEmpty else { return [] }
        let checked = choice.answers.compactMap { answer -> (SecretQuestion, Password)? in
            guard let question = SecretQuestion(rawValue: answer.question),
                let normalized = try? Password(SecretAnswer.normalized(answer.answer.reveal())),
                normalized.reveal().unicodeScalars.count >= 2
            else { return nil }
            return (question, normalized)
        }
        guard checked.count == choice.answers.count, SecretQuestion.chosen.contains(checked.count),
            Set(checked.map(\.0)).count == checked.count,
            // One answer to all questions would make them one question.
            Set(checked.map { $0.1.reveal() }).count == checked.count
        else { return nil }
        return checked
    }
}
