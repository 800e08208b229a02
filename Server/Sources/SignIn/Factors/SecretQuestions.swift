package import Core
internal import Foundation
package import Kernel
package import Store

extension Language {
    /// The person's language: from the account, otherwise from the app's request.
    package static func of(_ account: AccountRecord, acceptLanguage: String?) -> Self {
        // Limits the work on an oversized header.
        let asked = acceptLanguage?.split(separator: ",").prefix(16).map(String.init) ?? []
        return .choose([account.locale].compactMap { $0 } + asked)
    }
}

/// Normalizes answers to secret questions, so that spellings of the same answer are equal.
package enum SecretAnswer {
    /// In compatibility form (NFKC), regardless of case, and with single spaces between words.
    package static func normalized(_ typed: String) -> String {
        // Upper case, then lower case comes close to full case folding: "ß" and "SS" both end as "ss".
        let folded = typed.precomposedStringWithCompatibilityMapping.uppercased().lowercased()
        return folded.precomposedStringWithCompatibilityMapping
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// A question of the catalog. People choose from it, since a question of their own would often reveal its answer.
package enum SecretQuestion: String, TextKey, Codable {
    package static let section = "secretQuestions"

    case firstTeacher = "first_teacher"
    case childhoodStreet = "childhood_street"
    case firstEmployer = "first_employer"
    case childhoodFriend = "childhood_friend"
    case firstPet = "first_pet"
    case grandmotherVillage = "grandmother_village"
    case firstConcert = "first_concert"
    case favoriteBook = "favorite_book"
    case firstJourney = "first_journey"
    case dreamProfession = "dream_profession"

    /// The number of questions that an account answers.
    package static let chosen = 3...5

    package func text(in language: Language) -> String { language.texts()[self] }
}

/// Reads and writes secret questions. It owns the `secret_questions` table.
package enum SecretQuestions {
    package struct Record: Sendable, Hashable {
        /// The raw value in the catalog.
        package var question: String
        /// The sealed hash.
        package var answer: [UInt8]
    }

    package static func replace(
        of account: UniqueID, with records: [Record], now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute("DELETE FROM secret_questions WHERE account_id = $1", [.id(account)])
        for record in records {
            try connection.execute(
                """
                INSERT INTO secret_questions (account_id, question, answer, asked, created_at)
                VALUES ($1, $2, $3, 0, $4)
                """, [.id(account), .text(record.question), .blob(record.answer), .time(now)])
        }
    }

    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            "SELECT question, answer FROM secret_questions WHERE account_id = $1 ORDER BY question LIMIT 20",
            [.id(account)]
        ).map { Record(question: try $0.text("question"), answer: try $0.blob("answer")) }
    }

    /// The question being asked. It stays the same until it is answered, so that waiting does not lead to an easier
    /// one.
    package static func asked(of account: UniqueID, on connection: any SQLConnection) throws -> Record? {
        try connection.row(
            "SELECT question, answer FROM secret_questions WHERE account_id = $1 AND asked = 1", [.id(account)]
        ).map { Record(question: try $0.text("question"), answer: try $0.blob("answer")) }
    }

    /// Asks one of the questions, unless one is being asked already.
    /// - Parameter number: any number; it selects the question.
    /// - Returns: the question being asked; `nil` if the account has none.
    package static func ask(
        of account: UniqueID, number: UInt64, on connection: any SQLConnection
    ) throws -> Record? {
        if let asked = try asked(of: account, on: connection) { return asked }
        let all = try list(of: account, on: connection)
        guard !all.isEmpty else { return nil }
        let chosen = all[Int(number % UInt64(all.count))]
        try connection.execute(
            """
            UPDATE secret_questions SET asked = 1 WHERE account_id = $1 AND question = $2
                AND NOT EXISTS (SELECT 1 FROM secret_questions q WHERE q.account_id = $1 AND q.asked = 1)
            """, [.id(account), .text(chosen.question)])
        return try asked(of: account, on: connection)
    }

    /// Records that the question was answered, so that another may be asked.
    /// - Returns: whether it was the one being asked.
    package static func settle(
        _ record: Record, of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE secret_questions SET asked = 0
            WHERE account_id = $1 AND question = $2 AND answer = $3 AND asked = 1
            """, [.id(account), .text(record.question), .blob(record.answer)]) == 1
    }
}
