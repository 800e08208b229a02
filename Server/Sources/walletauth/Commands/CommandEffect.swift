import Operations

/// What a command does to the database, as far as the way to it depends on that.
extension AdministrationCommand {
    /// Whether the command changes what servers answer. False for one that only reads.
    var changesDatabase: Bool {
        switch self {
        case .client(let command):
            switch command {
            case .list, .show: false
            case .create, .update, .delete: true
            }
        case .provider(let command):
            switch command {
            case .list, .show, .examine, .check: false
            case .addOpenID, .addRepository, .remove: true
            }
        case .database(let command):
            switch command {
            case .migrate, .check, .backup, .restoreReport: false
            case .sweep: true
            // Its own answer says when it applies.
            case .changeIssuer: false
            }
        case .audit: false
        case .flow: true
        case .words: false
        }
    }

    var effect: CommandEffect {
        switch self {
        case .database(.migrate): .migrates
        case .database(.changeIssuer): .replacesSettings
        default: changesDatabase ? .changes : .reads
        }
    }
}
