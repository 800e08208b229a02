import GRDB

/// The tables, and the rules that hold whatever the code above them does.
enum LedgerSchema {
    /// Brings a database to the newest tables.
    static func migrate(_ writer: some DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("ledger") { database in
            try database.execute(sql: accounts)
            try database.execute(sql: entries)
            try database.execute(sql: payees)
            try database.execute(sql: transfers)
        }
        migrator.registerMigration("purchases") { try $0.execute(sql: purchases) }
        migrator.registerMigration("visitor networks") { try $0.execute(sql: visitorNetworks) }
        migrator.registerMigration("unpaid purchases") { try $0.execute(sql: unpaidPurchases) }
        migrator.registerMigration("unproved purchases") { try $0.execute(sql: unprovedPurchases) }
        try migrator.migrate(writer)
    }

    /// What a house account is for: money comes from somewhere, and leaves to somewhere.
    enum House: String, CaseIterable {
        /// What new wallets begin with.
        case funding = "FUNDING"
        /// What goes to accounts that are kept elsewhere.
        case outgoing = "OUTGOING"
    }

    /// A wallet is never overdrawn: the constraint refuses the entry that would do it, and with it all of its transaction.
    private static let accounts = """
        CREATE TABLE account (
            number TEXT PRIMARY KEY NOT NULL,
            owner TEXT UNIQUE,
            kind TEXT NOT NULL CHECK (kind IN ('wallet', 'house')),
            currency TEXT NOT NULL,
            balance INTEGER NOT NULL DEFAULT 0,
            CHECK ((kind = 'wallet') = (owner IS NOT NULL)),
            CHECK (kind = 'house' OR balance >= 0)
        ) STRICT;
        """

    /// Double entry in one row: it takes from one account what it gives to another, so the books cannot be out of balance.
    /// An entry moves the balances itself, is never changed and never removed, and each operation makes one at most.
    private static let entries = """
        CREATE TABLE entry (
            id TEXT PRIMARY KEY NOT NULL,
            debit TEXT NOT NULL REFERENCES account (number),
            credit TEXT NOT NULL REFERENCES account (number),
            amount INTEGER NOT NULL CHECK (amount > 0),
            operation TEXT UNIQUE,
            madeAt INTEGER NOT NULL,
            CHECK (debit <> credit)
        ) STRICT;
        CREATE INDEX entryDebit ON entry (debit);
        CREATE INDEX entryCredit ON entry (credit);
        CREATE TRIGGER entryCurrency BEFORE INSERT ON entry
        WHEN (SELECT currency FROM account WHERE number = NEW.debit)
            IS NOT (SELECT currency FROM account WHERE number = NEW.credit)
        BEGIN SELECT RAISE(ABORT, 'the accounts have different currencies'); END;
        CREATE TRIGGER entryMoves AFTER INSERT ON entry BEGIN
            UPDATE account SET balance = balance - NEW.amount WHERE number = NEW.debit;
            UPDATE account SET balance = balance + NEW.amount WHERE number = NEW.credit;
        END;
        CREATE TRIGGER entryStays BEFORE UPDATE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
        CREATE TRIGGER entryRemains BEFORE DELETE ON entry
        BEGIN SELECT RAISE(ABORT, 'an entry is never removed'); END;
        """

    private static let payees = """
        CREATE TABLE payee (
            owner TEXT NOT NULL REFERENCES account (owner),
            name TEXT NOT NULL COLLATE NOCASE,
            account TEXT NOT NULL,
            addedAt INTEGER NOT NULL,
            PRIMARY KEY (owner, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// `key` is the app's `Idempotency-Key`, `request` the hash of what came with it first, `attempt` the key by which the
    /// consent is consumed: it is made with the row, before the authorization server is asked, and belongs to no other row.
    private static let transfers = """
        CREATE TABLE transfer (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL REFERENCES account (owner),
            session TEXT NOT NULL,
            key TEXT NOT NULL,
            request BLOB NOT NULL,
            payeeName TEXT NOT NULL,
            payeeAccount TEXT NOT NULL,
            amount INTEGER NOT NULL CHECK (amount > 0),
            currency TEXT NOT NULL,
            reference TEXT NOT NULL,
            operation TEXT NOT NULL,
            attempt TEXT NOT NULL UNIQUE,
            state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'refused')),
            code TEXT,
            answerStatus INTEGER,
            answerBody BLOB,
            begunAt INTEGER NOT NULL,
            endedAt INTEGER,
            UNIQUE (owner, key),
            CHECK ((state = 'begun') = (answerBody IS NULL)),
            CHECK ((state = 'begun') = (answerStatus IS NULL)),
            CHECK ((state = 'begun') = (code IS NULL))
        ) STRICT;
        CREATE UNIQUE INDEX transferOperation ON transfer (operation) WHERE state = 'done';
        CREATE INDEX transferBegun ON transfer (owner, begunAt) WHERE state = 'begun';
        """

    /// `key` is the idempotency key of the transaction, made with the row. A purchase is open while it has a link, paid once it
    /// has a proof, and over once it has a final status; an end is never changed.
    private static let purchases = """
        CREATE TABLE purchase (
            id TEXT PRIMARY KEY NOT NULL,
            key TEXT NOT NULL UNIQUE,
            number TEXT NOT NULL UNIQUE,
            request BLOB NOT NULL,
            "transaction" TEXT UNIQUE,
            link TEXT,
            proof TEXT,
            status TEXT,
            reason TEXT,
            begunAt INTEGER NOT NULL,
            endedAt INTEGER,
            CHECK ((link IS NOT NULL) + (proof IS NOT NULL) + (status IS NOT NULL) = ("transaction" IS NOT NULL)),
            CHECK (reason IS NULL OR status IS NOT NULL),
            CHECK ((endedAt IS NOT NULL) = (proof IS NOT NULL OR status IS NOT NULL))
        ) STRICT;
        CREATE INDEX purchaseOpen ON purchase (begunAt) WHERE link IS NOT NULL;
        CREATE TRIGGER purchaseStays BEFORE UPDATE ON purchase WHEN OLD.endedAt IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'a purchase that ended is never changed'); END;
        """

    /// The network that an open purchase was begun from. It is erased with the end.
    private static let visitorNetworks = """
        ALTER TABLE purchase ADD COLUMN network BLOB CHECK (network IS NULL OR endedAt IS NULL);
        CREATE INDEX purchaseNetwork ON purchase (network) WHERE endedAt IS NULL;
        """

    /// Finds the purchases that are deleted after a while. A paid one is never deleted.
    private static let unpaidPurchases = """
        CREATE INDEX purchaseUnpaid ON purchase (endedAt) WHERE status IS NOT NULL;
        CREATE TRIGGER purchaseRemains BEFORE DELETE ON purchase WHEN OLD.proof IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'a paid purchase is never removed'); END;
        """

    /// A purchase whose signature is not proved ends as `UNPROVED`, and is paid once it is proved after all.
    private static let unprovedPurchases = """
        DROP TRIGGER purchaseStays;
        CREATE TRIGGER purchaseStays BEFORE UPDATE ON purchase
        WHEN OLD.endedAt IS NOT NULL AND (OLD.status IS NOT 'UNPROVED' OR NEW.proof IS NULL)
        BEGIN SELECT RAISE(ABORT, 'a purchase that ended is never changed'); END;
        """
}
