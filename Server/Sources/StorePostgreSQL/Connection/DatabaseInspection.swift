import Store

/// Looks at a database before its first use: whose it is, and what this program's role may do there.
enum DatabaseInspection {
    /// - Throws: ``StoreError``: `accessDenied` without the rights, `foreignSchema` if another program's tables are there.
    static func run(on connection: ServerConnection, within limit: Duration) throws {
        guard let row = try connection.row(facts, [], within: limit) else {
            throw StoreError(.unavailable, "the server gave no result")
        }
        let schema = try row.text("name")
        guard let columns = try row.optionalText("migrations") else {
            guard try row.integer("tables") == 0 else {
                throw StoreError(
                    .foreignSchema,
                    "the schema \(schema) contains another program's tables: name an empty database or another search_path"
                )
            }
            guard try row.integer("may_create") == 1 else {
                throw StoreError(
                    .accessDenied,
                    """
                    the database is empty, and the role may not create tables: run `walletauth database migrate` as the \
                    database's owner, or grant CREATE on the schema \(schema)
                    """)
            }
            return
        }
        guard columns == "version bigint, name text, applied_at bigint" else {
            throw StoreError(
                .foreignSchema,
                "the schema \(schema) is migrated by another program: name an empty database or another search_path")
        }
        guard try row.integer("closed_tables") == 0 else {
            throw StoreError(
                .accessDenied,
                "the role lacks rights on the tables of the schema \(schema): connect as their owner, or grant them")
        }
    }

    /// Tables of extensions do not count: they hold no data of an application.
    private static let facts = """
        WITH tables AS (
            SELECT c.oid FROM pg_catalog.pg_class c
            WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = current_schema())
                AND c.relkind IN ('r', 'p') AND NOT EXISTS (
                    SELECT 1 FROM pg_catalog.pg_depend d
                    WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
        SELECT current_schema()::text AS name,
            COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
            (SELECT COUNT(*) FROM tables) AS tables,
            (SELECT COUNT(*) FROM tables t WHERE NOT (has_table_privilege(t.oid, 'SELECT')
                AND has_table_privilege(t.oid, 'INSERT') AND has_table_privilege(t.oid, 'UPDATE')
                AND has_table_privilege(t.oid, 'DELETE'))) AS closed_tables,
            (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum)
                FROM pg_catalog.pg_attribute a
                WHERE a.attrelid = to_regclass(quote_ident(current_schema()) || '.schema_migrations')
                    AND a.attnum > 0 AND NOT a.attisdropped) AS migrations
        """
}
