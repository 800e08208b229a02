/// A question of the catalog. People choose from it, since a question of their own would often reveal its answer.
package enum SecretQuestion: String, Sendable, Codable, CaseIterable {
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

    package func text(in language: Language) -> String {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        case .spanish: spanish
        case .bulgarian: bulgarian
        }
    }

    private var english: String {
        switch self {
        case .firstTeacher: "What was the name of your first teacher?"
        case .childhoodStreet: "Which street did you live on as a child?"
        case .firstEmployer: "Who was your first employer?"
        case .childhoodFriend: "What was the name of your best friend as a child?"
        case .firstPet: "What was the name of your first pet?"
        case .grandmotherVillage: "Where was your grandmother born?"
        case .firstConcert: "Who did you see at your first concert?"
        case .favoriteBook: "What was your favorite book as a child?"
        case .firstJourney: "Where did you go on your first trip abroad?"
        case .dreamProfession: "What did you want to be when you grew up?"
        }
    }

    private var german: String {
        switch self {
        case .firstTeacher: "Wie hieß Ihre erste Lehrerin oder Ihr erster Lehrer?"
        case .childhoodStreet: "In welcher Straße haben Sie als Kind gewohnt?"
        case .firstEmployer: "Wer war Ihr erster Arbeitgeber?"
        case .childhoodFriend: "Wie hieß Ihre beste Freundin oder Ihr bester Freund als Kind?"
        case .firstPet: "Wie hieß Ihr erstes Haustier?"
        case .grandmotherVillage: "In welchem Ort wurde Ihre Großmutter geboren?"
        case .firstConcert: "Wessen Konzert haben Sie als Erstes besucht?"
        case .favoriteBook: "Welches Buch hatten Sie als Kind am liebsten?"
        case .firstJourney: "Wohin ging Ihre erste Reise ins Ausland?"
        case .dreamProfession: "Was wollten Sie als Kind werden?"
        }
    }

    private var french: String {
        switch self {
        case .firstTeacher: "Comment s’appelait votre première maîtresse ou votre premier maître d’école ?"
        case .childhoodStreet: "Dans quelle rue habitiez-vous dans votre enfance ?"
        case .firstEmployer: "Qui a été votre premier employeur ?"
        case .childhoodFriend: "Comment s’appelait votre meilleur ami ou votre meilleure amie d’enfance ?"
        case .firstPet: "Comment s’appelait votre premier animal de compagnie ?"
        case .grandmotherVillage: "Dans quelle localité votre grand-mère est-elle née ?"
        case .firstConcert: "De qui était le premier concert auquel vous avez assisté ?"
        case .favoriteBook: "Quel était votre livre préféré dans votre enfance ?"
        case .firstJourney: "Où vous a mené votre premier voyage à l’étranger ?"
        case .dreamProfession: "Que vouliez-vous devenir quand vous étiez enfant ?"
        }
    }

    private var spanish: String {
        switch self {
        case .firstTeacher: "¿Cómo se llamaba su primera maestra o su primer maestro?"
        case .childhoodStreet: "¿En qué calle vivía en su infancia?"
        case .firstEmployer: "¿Cuál fue la primera empresa en la que trabajó?"
        case .childhoodFriend: "¿Cómo se llamaba su mejor amigo o amiga de la infancia?"
        case .firstPet: "¿Cómo se llamaba su primera mascota?"
        case .grandmotherVillage: "¿En qué lugar nació su abuela?"
        case .firstConcert: "¿De quién fue el primer concierto al que asistió?"
        case .favoriteBook: "¿Qué libro le gustaba más en su infancia?"
        case .firstJourney: "¿Adónde fue su primer viaje al extranjero?"
        case .dreamProfession: "¿Qué quería ser de mayor?"
        }
    }

    private var bulgarian: String {
        switch self {
        case .firstTeacher: "Как се казваше първият ви учител или първата ви учителка?"
        case .childhoodStreet: "На коя улица живеехте като дете?"
        case .firstEmployer: "Кой беше първият ви работодател?"
        case .childhoodFriend: "Как се казваше най-добрият ви приятел от детството?"
        case .firstPet: "Как се казваше първият ви домашен любимец?"
        case .grandmotherVillage: "В кое населено място е родена баба ви?"
        case .firstConcert: "На чий концерт бяхте за първи път?"
        case .favoriteBook: "Коя книга обичахте най-много като дете?"
        case .firstJourney: "Къде беше първото ви пътуване в чужбина?"
        case .dreamProfession: "Какво искахте да станете, когато бяхте дете?"
        }
    }
}
