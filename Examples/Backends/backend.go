// A wallet's backend in Go, by the standard library alone: it lets requests in, asks for the person's consent before money moves, keeps the
// evidence, and sells by QR code.
//
//	export ISSUER=https://id.example.com CLIENT_ID=shop CLIENT_SECRET=… URL=https://api.example.com AUDIT_KEYS=audit-keys.json
//	go run backend.go 8801              GET /me, POST /payments, GET /payments/{id}/evidence
//	go run backend.go sell order-0042   prints a QR code's content, and waits until someone has signed
//
// docs/backend.md explains each call. The maps below stand for your database: with more than one process, and in production, use one.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
)

var (
	issuer = os.Getenv("ISSUER")
	ownURL = os.Getenv("URL") // Where apps reach this backend: the audience of their tokens, and the start of the address in their proofs.
	client = os.Getenv("CLIENT_ID")
)

const (
	leeway   = 30 * time.Second  // What clocks may differ.
	proofAge = 240 * time.Second // For how long a proof counts.
)

type object = map[string]any

type refused struct {
	status  int
	code    string
	members object
}

func (r refused) Error() string { return r.code }

func invalidToken(detail string) error {
	return refused{401, "invalid_token", object{"detail": detail}}
}

func invalidProof(detail string) error {
	return refused{401, "invalid_dpop_proof", object{"detail": detail}}
}

// challenges say what to send instead, and what was wrong (RFC 6750 §3, RFC 9449 §7.1). A request without a token gets no error.
func (r refused) challenges() []string {
	reason := ""
	switch r.code {
	case "missing_token":
		return []string{`DPoP algs="ES256"`, "Bearer"}
	case "insufficient_scope":
		reason = fmt.Sprintf(", scope=%q", r.members["scope"])
	case "invalid_token", "invalid_dpop_proof":
	default:
		return nil
	}
	reason = fmt.Sprintf("error=%q, error_description=%q", r.code, r.members["detail"]) + reason
	return []string{`DPoP algs="ES256", ` + reason, "Bearer " + reason}
}

func text(value any) string { s, _ := value.(string); return s }

func hash(data string) []byte { sum := sha256.Sum256([]byte(data)); return sum[:] }

// Letting requests in

type jwk struct{ Kty, Crv, X, Y, Kid string }

type jwsHeader struct {
	Alg, Typ, Kid string
	JWK           jwk
}

// verifiedJWS checks a compact JWS by ES256 alone: a token that could choose its algorithm would choose none.
func verifiedJWS(compact string, keyOf func(jwsHeader) (jwk, bool)) (header jwsHeader, payload object, err error) {
	parts := strings.Split(compact, ".")
	if len(parts) != 3 {
		return header, nil, errors.New("no compact JWS")
	}
	var raw [3][]byte
	for i, part := range parts {
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return header, nil, err
		}
	}
	if err = json.Unmarshal(raw[0], &header); err != nil {
		return header, nil, err
	}
	key, known := keyOf(header)
	if header.Alg != "ES256" || !known || key.Kty != "EC" || key.Crv != "P-256" || len(raw[2]) != 64 {
		return header, nil, errors.New("another algorithm, or an unknown key")
	}
	x, errX := base64.RawURLEncoding.DecodeString(key.X)
	y, errY := base64.RawURLEncoding.DecodeString(key.Y)
	public := ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
	if errX != nil || errY != nil || !public.IsOnCurve(public.X, public.Y) {
		return header, nil, errors.New("no key")
	}
	r, s := new(big.Int).SetBytes(raw[2][:32]), new(big.Int).SetBytes(raw[2][32:])
	if !ecdsa.Verify(&public, hash(parts[0]+"."+parts[1]), r, s) {
		return header, nil, errors.New("a wrong signature")
	}
	return header, payload, json.Unmarshal(raw[1], &payload)
}

// keySet has the issuer's public keys: fetched again after ten minutes, or where a token names a key that is new.
type keySet struct {
	sync.Mutex
	keys           []jwk
	asked, fetched time.Time
}

func find(keys []jwk, kid string) (jwk, bool) {
	for _, key := range keys {
		if key.Kid == kid {
			return key, true
		}
	}
	return jwk{}, false
}

func (s *keySet) key(kid string) (jwk, bool) {
	s.Lock()
	defer s.Unlock()
	key, known := find(s.keys, kid)
	age := time.Since(s.asked)
	if age < 30*time.Second || known && age < 10*time.Minute {
		return key, known
	}
	s.asked = time.Now() // Also where it fails: an issuer that is down is asked twice a minute.
	answer, err := fetches.Get(issuer + "/.well-known/jwks.json")
	if err != nil {
		log.Print(err)
		return key, known
	}
	defer answer.Body.Close()
	var set struct{ Keys []jwk }
	if answer.StatusCode == http.StatusOK && json.NewDecoder(answer.Body).Decode(&set) == nil {
		s.keys, s.fetched = set.Keys, time.Now()
	}
	return find(s.keys, kid)
}

// isStale says that a withdrawn key may still be among them: a key counts for an hour at most.
func (s *keySet) isStale() bool { s.Lock(); defer s.Unlock(); return time.Since(s.fetched) > time.Hour }

// spentProofs lets each proof count once. Several processes share this, in Redis for example (SET NX EX).
type spentProofs struct {
	sync.Mutex
	until map[string]time.Time
}

func (p *spentProofs) spend(proof string) bool {
	p.Lock()
	defer p.Unlock()
	for name, until := range p.until {
		if time.Now().After(until) {
			delete(p.until, name)
		}
	}
	if _, spent := p.until[proof]; spent {
		return false
	}
	p.until[proof] = time.Now().Add(proofAge + 2*leeway)
	return true
}

var (
	issuerKeys = &keySet{}
	proofs     = &spentProofs{until: map[string]time.Time{}}
)

// requireToken says who calls: the claims of a valid access token (RFC 9068) with its proof (RFC 9449), or a refusal.
func requireToken(request *http.Request, scope string) (object, error) {
	sent := request.Header.Values("Authorization")
	scheme, token, _ := strings.Cut(strings.Join(sent, ","), " ")
	scheme = strings.ToLower(scheme)
	if len(sent) != 1 || token == "" || scheme != "dpop" && scheme != "bearer" {
		return nil, refused{401, "missing_token", object{"detail": "Send one access token: Authorization: DPoP TOKEN, with a proof in DPoP."}}
	}
	header, claims, err := verifiedJWS(token, func(header jwsHeader) (jwk, bool) { return issuerKeys.key(header.Kid) })
	if issuerKeys.isStale() {
		return nil, refused{status: 503, code: "temporarily_unavailable"}
	}
	if err != nil {
		return nil, invalidToken("The access token is malformed, or signed by no key of the issuer.")
	}
	// The issuer has signed it, so its sender may know what is wrong.
	if header.Typ != "at+jwt" {
		return nil, invalidToken("This is no access token.")
	}
	ends, _ := claims["exp"].(float64)
	if float64(time.Now().Unix()) >= ends+leeway.Seconds() {
		return nil, invalidToken("The access token has expired.")
	}
	if claims["iss"] != issuer || !isFor(claims["aud"], ownURL) {
		return nil, invalidToken("The access token is for another audience, or from another issuer.")
	}
	confirmation, _ := claims["cnf"].(object)
	bound := text(confirmation["jkt"])
	switch { // A bound token is worthless as a bearer token, and the other way round.
	case scheme == "bearer" && bound == "":
	case scheme == "dpop" && bound != "":
		if len(request.Header.Values("DPoP")) != 1 {
			return nil, invalidProof("The request needs one DPoP proof.")
		}
		if err := requireProof(request, token, bound); err != nil {
			return nil, err
		}
	case scheme == "bearer":
		return nil, invalidToken("The access token is bound to a key: send it as DPoP, with a proof of that key.")
	default:
		return nil, invalidToken("The access token is bound to no key: send it as Bearer.")
	}
	if !strings.Contains(" "+text(claims["scope"])+" ", " "+scope+" ") {
		return nil, refused{403, "insufficient_scope", object{"detail": "The access token lacks the scope " + scope + ".", "scope": scope}}
	}
	if text(claims["sid"]) == "" {
		return nil, refused{403, "person_required", object{"detail": "This is a client's own token: one from a person's sign-in is needed."}}
	}
	return claims, nil
}

func isFor(audience any, own string) bool {
	if list, ok := audience.([]any); ok {
		for _, one := range list {
			if one == own {
				return true
			}
		}
	}
	return audience == any(own)
}

func requireProof(request *http.Request, token, bound string) error {
	header, said, err := verifiedJWS(request.Header.Get("DPoP"), func(header jwsHeader) (jwk, bool) { return header.JWK, true })
	if err != nil {
		return invalidProof("The DPoP proof is malformed, or its signature is wrong.")
	}
	made, _ := said["iat"].(float64)
	age := time.Since(time.Unix(int64(made), 0))
	// RFC 7638
	thumbprint := hash(fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, header.JWK.X, header.JWK.Y))
	path, _, _ := strings.Cut(request.RequestURI, "?")
	wrong := []string{}
	for _, member := range []struct {
		name    string
		isRight bool
	}{
		{"typ", header.Typ == "dpop+jwt"},
		{"jwk", base64.RawURLEncoding.EncodeToString(thumbprint) == bound},
		{"htm", said["htm"] == request.Method},
		{"htu", said["htu"] == ownURL+path},
		{"ath", said["ath"] == base64.RawURLEncoding.EncodeToString(hash(token))},
		{"iat", age > -leeway && age < proofAge+leeway},
		{"jti", text(said["jti"]) != ""},
	} {
		if !member.isRight {
			wrong = append(wrong, member.name)
		}
	}
	if len(wrong) > 0 {
		names := strings.Join(wrong, ", ")
		htu, _, _ := strings.Cut(text(said["htu"]), "?")
		log.Printf("refused a DPoP proof by its %s: %.200q, expected %q",
			names, []string{text(said["htm"]), htu}, []string{request.Method, ownURL + path})
		return invalidProof("The DPoP proof is for another request, token or key, or too old: see its " + names + ".")
	}
	if !proofs.spend(bound + " " + text(said["jti"])) {
		return invalidProof("The DPoP proof was used before.")
	}
	return nil
}

// Calling the server

// ownToken is a token from client credentials, renewed before it expires.
type ownToken struct {
	sync.Mutex
	token string
	until time.Time
}

func (t *ownToken) access() (string, error) {
	t.Lock()
	defer t.Unlock()
	if time.Until(t.until) > 30*time.Second {
		return t.token, nil
	}
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"wallet_operations transactions"}}
	request, err := http.NewRequest("POST", issuer+"/oauth2/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(url.QueryEscape(client), url.QueryEscape(os.Getenv("CLIENT_SECRET")))
	answer, err := fetches.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 && answer.StatusCode < 500 && answer.StatusCode != http.StatusTooManyRequests {
		reason, _ := io.ReadAll(io.LimitReader(answer.Body, 4096))
		log.Printf("no token: %s %s. Check ISSUER, CLIENT_ID and CLIENT_SECRET, and the client's scopes: walletauth client show %s",
			answer.Status, reason, client)
		return "", refused{status: 500, code: "credential_refused"} // For good: no repetition changes it.
	}
	var granted struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int    `json:"expires_in"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&granted); err != nil || answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("no token: %s", answer.Status)
	}
	t.token, t.until = granted.AccessToken, time.Now().Add(time.Duration(granted.ExpiresIn)*time.Second)
	return t.token, nil
}

func (t *ownToken) forget() { t.Lock(); t.until = time.Time{}; t.Unlock() }

type answer struct {
	status  int
	kind    string
	content []byte
}

func (a answer) object() object { var o object; _ = json.Unmarshal(a.content, &o); return o }

var own = &ownToken{}

// call may repeat every call, so one whose answer was lost is: with the same id, key and content it gets the same answer.
func call(method, path, key string, body object) (answer, error) {
	content := []byte{}
	if body != nil {
		content, _ = json.Marshal(body)
	}
	for tries := 0; tries < 3; tries++ {
		if tries > 0 {
			time.Sleep(300 * time.Millisecond)
		}
		result, err := send(method, path, key, content)
		var reason refused
		switch {
		case errors.As(err, &reason):
			return answer{}, reason
		case err != nil:
			log.Print(err)
		case result.status == http.StatusUnauthorized:
			own.forget() // Withdrawn, or the server's keys have changed.
		case result.status < 500 && result.status != http.StatusTooManyRequests:
			return result, nil
		}
	}
	return answer{}, refused{status: 503, code: "temporarily_unavailable"}
}

var (
	calls   = &http.Client{Timeout: 45 * time.Second} // A waiting call takes 30.
	fetches = &http.Client{Timeout: 10 * time.Second} // Others wait for these.
)

func send(method, path, key string, content []byte) (answer, error) {
	token, err := own.access()
	if err != nil {
		return answer{}, err
	}
	request, err := http.NewRequest(method, issuer+path, bytes.NewReader(content))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if len(content) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := calls.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return answer{response.StatusCode, response.Header.Get("Content-Type"), body}, err
}

// Asking for consent before money moves

// ledger has who paid what and the authentication code by a payment's operation id: your ledger's table.
type ledger struct {
	sync.Mutex
	payments map[string]paidBy
}

type paidBy struct {
	account string
	money   money
	code    string
}

var paid = &ledger{payments: map[string]paidBy{}}

func (l *ledger) find(id string) (paidBy, bool) {
	l.Lock()
	defer l.Unlock()
	payment, done := l.payments[id]
	return payment, done
}

var ended = map[string]string{"FAILED": "operation_locked", "EXPIRED": "operation_expired", "CANCELLED": "operation_cancelled"}

type money struct {
	Amount struct {
		Value    string `json:"value"`
		Currency string `json:"currency"`
	} `json:"amount"`
	Payee struct {
		Name    string `json:"name"`
		Account string `json:"account"`
	} `json:"payee"`
}

type payment struct {
	money
	SCADetails *struct {
		EventID           string `json:"eventId"`
		WalletOperationID string `json:"walletOperationId"`
	} `json:"scaDetails"`
}

func pay(request *http.Request, claims object) (int, any, error) {
	var wanted payment
	decoder := json.NewDecoder(io.LimitReader(request.Body, 16<<10))
	decoder.DisallowUnknownFields()
	key := request.Header.Get("Idempotency-Key")
	if err := decoder.Decode(&wanted); err != nil || len(key) < 16 || wanted.Amount.Value == "" || wanted.Payee.Name == "" {
		return 0, nil, refused{400, "bad_request", object{"detail": "An Idempotency-Key of 16 characters, amount and payee are needed."}}
	}
	// One id for one payment, however often it is requested: the server refuses the same id with another amount or payee.
	id := hex.EncodeToString(hash(text(claims["sub"]) + " " + key))
	// Your own record comes first: an app that starts over, or in another session, hears that it has paid.
	if before, done := paid.find(id); done {
		if before.money != wanted.money {
			return 0, nil, refused{status: 422, code: "idempotency_mismatch"}
		}
		return http.StatusOK, object{"payment": id, "status": "PAID"}, nil
	}
	operation := object{"accountId": claims["sub"], "type": "TRANSFER", "amount": wanted.Amount, "payee": wanted.Payee}
	if wanted.SCADetails == nil {
		asking := object{"sessionId": claims["sid"], "walletOperationId": id}
		for name, value := range operation {
			asking[name] = value
		}
		answer, err := call("POST", "/v1/wallet-operations", "", asking)
		if err != nil {
			return 0, nil, err
		}
		asked := answer.object()
		if answer.status != http.StatusCreated {
			return 0, nil, refused{answer.status, text(asked["code"]), object{"detail": asked["detail"]}}
		}
		if asked["status"] == "SCA_REQUIRED" {
			return 0, nil, refused{403, "sca_required", object{
				"eventId": asked["eventId"], "walletOperationId": id, "availableVerifications": asked["availableVerifications"]}}
		}
		if code, over := ended[text(asked["status"])]; over {
			return 0, nil, refused{409, code, object{"detail": "Start another payment, with another Idempotency-Key."}}
		}
		// EXEMPT has none. At VERIFIED the person has agreed; at AUTHORIZED an answer was lost.
		if event := text(asked["eventId"]); event != "" {
			operation["eventId"] = event
		}
	} else {
		if wanted.SCADetails.WalletOperationID != id {
			return 0, nil, refused{status: 409, code: "operation_changed"}
		}
		operation["eventId"] = wanted.SCADetails.EventID
	}
	// It succeeds once, for this account and exactly this operation. The key makes it repeatable where the answer is lost.
	consumed, err := call("POST", "/v1/wallet-operations/"+id+"/consume", id, operation)
	if err != nil {
		return 0, nil, err
	}
	if consumed.status != http.StatusOK {
		refusal := consumed.object()
		return 0, nil, refused{consumed.status, text(refusal["code"]), object{"detail": refusal["detail"]}}
	}
	paid.Lock() // In one transaction of your database: move the money, and keep the code with it.
	defer paid.Unlock()
	if _, done := paid.payments[id]; !done {
		paid.payments[id] = paidBy{text(claims["sub"]), wanted.money, text(consumed.object()["authenticationCode"])}
	}
	return http.StatusCreated, object{"payment": id, "status": "PAID"}, nil
}

func evidence(id string, claims object) (answer, error) {
	payment, _ := paid.find(id)
	// Another person's is not found either: the evidence names its account, devices and addresses.
	if payment.account == "" || payment.account != text(claims["sub"]) {
		return answer{}, refused{status: 404, code: "payment_not_found"}
	}
	return call("GET", "/v1/wallet-operations/"+id+"/evidence", "", nil)
}

var evidencePath = regexp.MustCompile(`^/payments/([0-9a-f]{64})/evidence$`)

func respond(writer http.ResponseWriter, request *http.Request) error {
	claims, err := requireToken(request, "payments")
	if err != nil {
		return err
	}
	status, body := http.StatusOK, any(nil)
	match := evidencePath.FindStringSubmatch(request.URL.Path)
	switch {
	case request.Method == "GET" && request.URL.Path == "/me":
		body = object{"account": claims["sub"], "session": claims["sid"], "scope": claims["scope"]}
	case request.Method == "POST" && request.URL.Path == "/payments":
		if status, body, err = pay(request, claims); err != nil {
			return err
		}
	case request.Method == "GET" && match != nil:
		proof, err := evidence(match[1], claims)
		if err != nil {
			return err
		}
		writer.Header().Set("Content-Type", proof.kind)
		writer.WriteHeader(proof.status)
		_, err = writer.Write(proof.content)
		return err
	default:
		return refused{status: 404, code: "not_found"}
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(status)
	return json.NewEncoder(writer).Encode(body)
}

func serve(port string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	fmt.Println("ready at http://" + listener.Addr().String())
	return http.Serve(listener, http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		err := respond(writer, request)
		if err == nil {
			return
		}
		var reason refused
		if !errors.As(err, &reason) {
			log.Print(err)
			reason = refused{status: 500, code: "internal_error"}
		}
		problem := object{"type": "about:blank", "title": "", "status": reason.status, "code": reason.code}
		for name, value := range reason.members {
			problem[name] = value
		}
		writer.Header().Set("Content-Type", "application/problem+json")
		for _, challenge := range reason.challenges() {
			writer.Header().Add("WWW-Authenticate", challenge)
		}
		writer.WriteHeader(reason.status)
		_ = json.NewEncoder(writer).Encode(problem)
	}))
}

// Selling by QR code

const exportAgain = "Run `walletauth audit key` on your own server again, compare that the keys you have are among its keys unchanged, and use the new file."

// sell creates a transaction that the first person who scans its code signs, waits for its end, and returns the proof.
func sell(order string) (string, error) {
	// AUDIT_KEYS is what `walletauth audit key` printed, over a channel of your own: on the first day, and after `keys rotate audit`.
	file, err := os.ReadFile(os.Getenv("AUDIT_KEYS"))
	if err != nil {
		return "", err
	}
	var audit struct{ Keys []jwk }
	if err := json.Unmarshal(file, &audit); err != nil {
		return "", err
	}
	amount := map[string]string{"value": "1250", "currency": "EUR"}
	payee := map[string]string{"name": "Café Zürich", "account": "DE02120300000000202051"}
	offer := object{"type": "PURCHASE", "reference": order, "amount": amount, "payee": payee}
	// Store the key in the order's own row before the call: a repetition gets the same transaction.
	created, err := call("POST", "/v1/transactions", hex.EncodeToString(hash(order)), offer)
	if err != nil {
		return "", err
	}
	if created.status != http.StatusCreated {
		return "", fmt.Errorf("%d %s", created.status, created.content)
	}
	id := text(created.object()["transactionId"])
	fmt.Println(text(created.object()["qrData"])) // For the buyer alone: anyone who has it can sign.
	status := ""
	for open := true; open; {
		report, err := call("GET", "/v1/transactions/"+id+"?wait=30", "", nil)
		if err != nil {
			return "", err
		}
		status = text(report.object()["status"])
		fmt.Println(status)
		open = status == "CREATED" || status == "CLAIMED" || status == "CONFIRMED"
	}
	if status != "SIGNED" {
		return "", fmt.Errorf("nothing is delivered: %s was not signed (%s)", order, status)
	}
	proof, err := call("GET", "/v1/transactions/"+id+"/evidence", "", nil)
	if err != nil {
		return "", err
	}
	unknown := ""
	_, said, err := verifiedJWS(string(proof.content), func(header jwsHeader) (jwk, bool) {
		key, known := find(audit.Keys, header.Kid)
		if !known {
			unknown = header.Kid
		}
		return key, known
	})
	if unknown != "" {
		return "", fmt.Errorf("nothing is delivered: %s is signed by the audit key %s, which AUDIT_KEYS lacks. %s", order, unknown, exportAgain)
	}
	if err != nil {
		return "", fmt.Errorf("nothing is delivered: %s has no valid proof: %w", order, err)
	}
	var content struct {
		Type, Reference string
		Amount, Payee   map[string]string
	}
	signed, _ := base64.RawURLEncoding.DecodeString(text(said["payload"]))
	_ = json.Unmarshal(signed, &content) // Without a payload nothing below is equal.
	if said["iss"] != issuer || said["clientId"] != client || said["transactionId"] != id || said["status"] != "SIGNED" ||
		content.Type != "PURCHASE" || content.Reference != order ||
		fmt.Sprint(content.Amount) != fmt.Sprint(amount) || fmt.Sprint(content.Payee) != fmt.Sprint(payee) {
		return "", fmt.Errorf("nothing is delivered: %s was not signed (%v)", order, said["status"])
	}
	return string(proof.content), nil // Keep it byte for byte. `walletauth transaction verify` checks the device's signature in it as well.
}

// need ends the program where a setting is missing, and not at the first request.
func need(names ...string) {
	missing := []string{}
	for _, name := range names {
		if os.Getenv(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		log.Fatalf("set %s, as the first lines of backend.go show", strings.Join(missing, ", "))
	}
}

func main() {
	need("ISSUER", "CLIENT_ID", "CLIENT_SECRET")
	var err error
	switch arguments := os.Args[1:]; {
	case len(arguments) == 2 && arguments[0] == "sell":
		need("AUDIT_KEYS")
		var proof string
		if proof, err = sell(arguments[1]); err == nil {
			fmt.Println(proof)
		}
	case len(arguments) == 1:
		need("URL")
		err = serve(arguments[0])
	default:
		err = errors.New("go run backend.go PORT, or go run backend.go sell ORDER")
	}
	if err != nil {
		log.Fatal(err)
	}
}
