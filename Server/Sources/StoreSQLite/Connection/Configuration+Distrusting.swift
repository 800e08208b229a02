import GRDB

extension GRDB.Configuration {
    /// For every connection to a file: others may have changed what is in it.
    static var distrusting: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { database in
            for setting in ["trusted_schema = OFF", "cell_size_check = ON"] {
                try database.execute(sql: "PRAGMA \(setting)")
            }
        }
        return configuration
    }
}
