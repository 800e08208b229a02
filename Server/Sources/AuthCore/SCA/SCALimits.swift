/// How long and how often a payment consent may be tried.
package enum SCALimits {
    /// How many wrong values an event bears; with the last it is locked (RTS article 4(3)(b) names five at most).
    package static let tries = 5
    /// For how long a value that is being compared is waited for. A try that is older and came to no end died with its process.
    package static let comparison = Duration.minutes(1)
    /// How often an event is challenged, over all ways: each challenge is kept as evidence, and the document has an end.
    package static let challenges = 20
    /// How many operations of one account one backend may have that are neither carried out nor over.
    package static let openOperations: Int64 = 100
    /// How many of them may come from one session: a stolen one does not keep the account's holder from paying in another.
    package static let openOperationsOfSession: Int64 = 40
    /// How many operations of one account one backend may ask for within ``eventLifetime`` that are not carried out, however they
    /// end and whether or not their session lives: their rows are kept as long as those of all others.
    package static let unfinishedOperations: Int64 = 400
    /// How many of them may come from one session.
    package static let unfinishedOperationsOfSession: Int64 = 100
    /// How many codes are sent for one event.
    package static let sends = 3
    /// How long before the next code may be sent.
    package static let interval = Duration.seconds(30)
    /// How long a code is good.
    package static let codeLifetime = Duration.minutes(5)
    /// For how long a person may agree.
    package static let eventLifetime = Duration.minutes(15)
    /// For how long what the person agreed to may be carried out, and an exempt operation as well (RTS article 4(3)(d): five
    /// minutes without activity at most).
    package static let consentLifetime = Duration.minutes(5)
    /// How far the server's clock may have been set back under an event: one that began later than this from now on is over,
    /// or a clock that loses a day would make minutes into a day.
    package static let clockTolerance = Duration.minutes(1)
    /// The longest that a session may be idle for what its sign-in proved to count (RTS article 4(3)(d)).
    package static let longestIdleLimit = Duration.minutes(5)
    /// The longest that what a sign-in proved counts, however much is done since: an app that asks for something each minute
    /// by itself is no person.
    package static let longestSignIn = Duration.hours(1)
    /// The shortest that evidence may be kept: 13 months, in which a payer can contest a payment (PSD2 article 71(1)).
    package static let shortestRetention = Duration.days(397)
    /// The longest that access to account information may go without consent (RTS article 10(2)(b), as amended by Delegated
    /// Regulation (EU) 2022/2360).
    package static let longestInformationInterval = Duration.days(180)
}
