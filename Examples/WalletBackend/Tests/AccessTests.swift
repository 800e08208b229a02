import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("Who is let in", .threat("a stolen bound token")) struct AccessTests {
    @Test("Without a token: 401 with the scheme to use, and no error")
    func missing() async throws {
        try await World.with { _, client in
            let refused = try await Phone.send(client, .get, "/balance")
            #expect(refused.status == 401)
            #expect(refused.challenges.count == 1)
            #expect(refused.challenges.first?.hasPrefix("DPoP ") == true)
            #expect(refused.challenges.first?.contains("error") == false)
        }
    }

    @Test(
        "The challenge names the metadata, from which an app learns where to sign in, for what, and that it needs a key"
    )
    func metadata() async throws {
        try await World.with { world, client in
            let path = "/.well-known/oauth-protected-resource"
            let refused = try await Phone.send(client, .get, "/balance")
            #expect(refused.challenges.first?.contains(#"resource_metadata="\#(World.url)\#(path)""#) == true)
            let found = try await Phone.send(client, .get, path)
            #expect(found.status == 200)
            #expect(found.json["resource"]?.string == World.url)
            #expect(found.json["authorization_servers"]?.strings == [world.server.issuer.rawValue])
            #expect(found.json["scopes_supported"]?.strings == ["accounts", "payments"])
            #expect(found.json["dpop_bound_access_tokens_required"]?.bool == true)
        }
    }

    @Test("A stolen token, shown as a bearer token or with another key's proof, opens nothing")
    func stolen() async throws {
        try await World.with { world, client in
            let token = try world.server.token(of: world.ada, boundTo: world.ada.key, audience: World.url)
            let bearer = try await Phone.send(client, .get, "/balance", [.authorization: "Bearer \(token)"])
            #expect(bearer.status == 401)
            let thief = try Phone(server: world.server)
            let proof = try thief.proof(of: token, method: "GET", path: "/balance")
            let name = try #require(HTTPField.Name("DPoP"))
            let bound = try await Phone.send(
                client, .get, "/balance", [.authorization: "DPoP \(token)", name: proof])
            #expect(bound.status == 401)
            #expect(bound.challenges.first?.contains("invalid_token") == true)
        }
    }

    @Test("A proof is taken once, and for the request that it names")
    func replay() async throws {
        try await World.with { world, client in
            let token = try world.server.token(of: world.ada, boundTo: world.ada.key, audience: World.url)
            let proof = try world.ada.proof(of: token, method: "GET", path: "/balance")
            let name = try #require(HTTPField.Name("DPoP"))
            let headers: HTTPFields = [.authorization: "DPoP \(token)", name: proof]
            #expect(try await Phone.send(client, .get, "/payees", headers).status == 401)
            #expect(try await Phone.send(client, .get, "/balance", headers).status == 200)
            let again = try await Phone.send(client, .get, "/balance", headers)
            #expect(again.status == 401)
            #expect(again.challenges.first?.contains("invalid_dpop_proof") == true)
        }
    }

    @Test("A token for reading pays nothing: 403 that names the scope")
    func scope() async throws {
        try await World.with { world, client in
            let refused = try await world.ada.call(client, .post, "/transfers", "{}", scope: "accounts")
            #expect(refused.status == 403)
            #expect(refused.challenges.first?.contains(#"scope="payments""#) == true)
            let read = try await world.ada.call(client, .get, "/payees", scope: "accounts")
            #expect(read.status == 200)
        }
    }

    @Test("Choosing who is paid takes a sign-in of two factors: the challenge says which")
    func stepUp() async throws {
        try await World.with { world, client in
            let refused = try await world.ada.call(
                client, .post, "/payees", #"{"name":"Thief","account":"DE00"}"#, acr: "urn:wallet-auth:acr:1fa")
            #expect(refused.status == 401)
            let challenge = try #require(refused.challenges.first)
            #expect(challenge.contains("insufficient_user_authentication"))
            #expect(challenge.contains(#"acr_values="urn:wallet-auth:acr:2fa""#))
        }
    }

    @Test("Each person sees only their own balance and payees")
    func own() async throws {
        try await World.with { world, client in
            let eve = try Phone(server: world.server)
            try await world.ada.addBakery(client)
            _ = try await world.ada.transfer(client, 10_00, key: "breakfast-2026-11-22")
            #expect(try await eve.balance(client) == "100000")
            #expect(try await eve.call(client, .get, "/payees").json["payees"]?.array == [])
        }
    }

    @Test("A payee's name belongs to one account, the own wallet is none, and there are no more than a hundred")
    func payees() async throws {
        try await World.with { world, client in
            let ada = world.ada
            try await ada.addBakery(client)
            let again = try await ada.call(
                client, .post, "/payees", #"{"name":"Bakery","account":"DE02120300000000202051"}"#)
            #expect(again.status == 200)
            let taken = try await ada.call(
                client, .post, "/payees", #"{"name":"bakery","account":"DE89370400440532013000"}"#)
            #expect(taken.code == "payee_exists")
            #expect(taken.json["detail"]?.string?.contains("DE02120300000000202051") == true)
            let number = try #require(try await ada.call(client, .get, "/balance").json["account"]?.string)
            let own = try await ada.call(client, .post, "/payees", #"{"name":"Me","account":"\#(number)"}"#)
            #expect(own.code == "own_account")
            for index in 1..<Ledger.payeeLimit {
                let payee = try Payee(name: "Payee \(index)", account: "DE\(index)")
                #expect(try await world.ledger.add(payee, for: ada.account, at: Date()) == .added)
            }
            let tooMany = try await ada.call(
                client, .post, "/payees", #"{"name":"One more","account":"GB29NWBK60161331926819"}"#)
            #expect(tooMany.code == "too_many_payees")
        }
    }

    @Test(
        "What begins like an IBAN has to be one, and is kept without its spaces; what a wallet's own is called is taken"
    )
    func accounts() async throws {
        try await World.with { world, client in
            let ada = world.ada
            for wrong in ["DE02120300000000202052", "DE0212030000000020205", "XX02120300000000202051"] {
                let refused = try await ada.call(client, .post, "/payees", #"{"name":"Typo","account":"\#(wrong)"}"#)
                #expect(refused.status == 400)
                #expect(refused.json["detail"]?.string?.hasPrefix("account ") == true)
            }
            let printed = try await ada.call(
                client, .post, "/payees", #"{"name":"Bakery","account":"de02 1203 0000 0000 2020 51"}"#)
            #expect(printed.status == 201)
            #expect(printed.json["account"]?.string == "DE02120300000000202051")
            let other = try await ada.call(client, .post, "/payees", #"{"name":"Bob","account":"W000000000000001"}"#)
            #expect(other.status == 201)
        }
    }

    @Test("A payee is taken away by its name, once, by its owner, and after a sign-in of two factors")
    func removal() async throws {
        try await World.with { world, client in
            let ada = world.ada
            let name = "Bäckerei Huber / Filiale"
            let path = "/payees/B%C3%A4ckerei%20Huber%20%2F%20Filiale"
            let added = try await ada.call(
                client, .post, "/payees", #"{"name":"\#(name)","account":"DE02120300000000202051"}"#)
            #expect(added.status == 201)
            let weak = try await ada.call(client, .delete, path, acr: "urn:wallet-auth:acr:1fa")
            #expect(weak.status == 401)
            let eve = try await Phone(server: world.server).call(client, .delete, path)
            #expect(eve.code == "payee_not_found")
            let removed = try await ada.call(client, .delete, path)
            #expect(removed.status == 204)
            let again = try await ada.call(client, .delete, path)
            #expect(again.status == 404)
            #expect(try await ada.call(client, .get, "/payees").json["payees"]?.array == [])
        }
    }
}
