import Foundation

/// A server that also listens on 127.0.0.1, for connections with TLS only.
extension PostgreSQLServer {
    /// The server of all tests of TLS that leave it as it is.
    private static let commonWithTLS = Task { try await PostgreSQLServer.start(listensWithTLS: true) }

    package static func sharedWithTLS() async throws -> PostgreSQLServer { try await commonWithTLS.value }

    /// The certificate of the CA that signed the server's, which is for `localhost` and `db.example.com`.
    package var authority: String { folder + "/ca.pem" }

    /// The certificate of another CA.
    package var otherAuthority: String { folder + "/other-ca.pem" }

    /// The URL of a database over TCP.
    /// - Parameter parameters: those of TLS.
    package func url(
        database: String, user: String = "postgres", password: String? = nil, host: String, parameters: String
    ) -> String {
        let secret = password.map { ":\($0)" } ?? ""
        let server = host + (port.map { ":\($0)" } ?? "")
        return "postgresql://\(user)\(secret)@\(server)/\(database)?\(parameters)&connect_timeout=60"
    }

    /// The part of the script that makes two CAs and the server's certificate, in the folder of the server.
    static func listening(on port: Int) -> String {
        """
        {
            for name in ca other-ca; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                    -subj "/CN=$name" -keyout "$name.key" -out "$name.pem"
            done
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost \
                -keyout server.key -out server.csr
            echo 'subjectAltName = DNS:localhost, DNS:db.example.com' >server.extensions
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
                -extfile server.extensions -out server.pem
            chmod 600 server.key
        } >>log 2>&1 || { cat log; exit 1; }
        cat >>data/postgresql.conf <<CONF
        listen_addresses = '127.0.0.1'
        port = \(port)
        ssl = on
        ssl_cert_file = '$PWD/server.pem'
        ssl_key_file = '$PWD/server.key'
        CONF
        printf '%s\\n' 'hostssl all guarded 127.0.0.1/32 scram-sha-256' 'hostssl all all 127.0.0.1/32 trust' \
            >>data/pg_hba.conf
        """
    }
}
