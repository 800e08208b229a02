package import Core

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
