import GRDB

/// The tables, and the constraints that hold whatever the code above does.
enum LedgerSchema {
    /// Creates the tables in a new database.
    static func create(in writer: some DatabaseWriter) throws {
        try writer.write { database in
            guard try !database.tableExists("account") else { return }
            for tables in [accounts, entries, payees, transfers, purchases] { try database.execute(sql: tables) }
        }
    }

    /// The house accounts, which balance the money that enters and leaves the ledger.
    enum HouseAccount: String, CaseIterable {
        /// The source of opening balances.
        case funding = "FUNDING"
        /// The destination of payments to accounts elsewhere.
        case outgoing = "OUTGOING"
    }

    /// A wallet cannot be overdrawn: the constraint rejects the entry and with it the whole transaction.
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

    /// Double entry in one row: it takes from one account what it gives to another, so the books always balance. A
    /// trigger moves the balances. An entry is never changed or deleted, and each operation has at most one.
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

    /// `key` is the app's `Idempotency-Key`, `request` the hash of its first request, and `attempt` the key under which
    /// the consent is consumed. It is created with the row, before the authorization server is asked, and belongs to no
    /// other row.
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

    /// `key` is the transaction's idempotency key, created with the row. A purchase is open while it has a link, paid
    /// once it has a proof, and over once it has a final status. A final state never changes, except that a purchase with
    /// an unproved signature ends as `UNPROVED`, and becomes paid if it is proved later. Unpaid ones are deleted after a
    /// while, paid ones never.
    ///
    /// `network` is the one that an open purchase came from. It is deleted when the purchase ends.
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
            network BLOB CHECK (network IS NULL OR endedAt IS NULL),
            CHECK ((link IS NOT NULL) + (proof IS NOT NULL) + (status IS NOT NULL) = ("transaction" IS NOT NULL)),
            CHECK (reason IS NULL OR status IS NOT NULL),
            CHECK ((endedAt IS NOT NULL) = (proof IS NOT NULL OR status IS NOT NULL))
        ) STRICT;
        CREATE INDEX purchaseOpen ON purchase (begunAt) WHERE link IS NOT NULL;
        CREATE INDEX purchaseNetwork ON purchase (network) WHERE endedAt IS NULL;
        CREATE INDEX purchaseUnpaid ON purchase (endedAt) WHERE status IS NOT NULL;
        CREATE TRIGGER purchaseRemains BEFORE DELETE ON purchase WHEN OLD.proof IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'a paid purchase is never removed'); END;
        CREATE TRIGGER purchaseStays BEFORE UPDATE ON purchase
        WHEN OLD.endedAt IS NOT NULL AND (OLD.status IS NOT 'UNPROVED' OR NEW.proof IS NULL)
        BEGIN SELECT RAISE(ABORT, 'a purchase that ended is never changed'); END;
        """
}
