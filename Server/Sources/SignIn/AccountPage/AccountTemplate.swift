import Web

extension PageTemplate {
    /// The account page. It works without scripts, shows the secret's QR code, and has one form per button.
    static let account = PageTemplate(
        "account",
        """
        {{<layout}}
        {{$content}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{#overview}}
        <dl class="facts">
        {{#rows}}
        <div><dt>{{label}}</dt><dd>{{value}}{{#note}} <span class="tag">{{note}}</span>{{/note}}</dd></div>
        {{/rows}}
        <div><dt>{{devicesLabel}}</dt>
        {{#devices}}
        <dd>{{name}}{{#state}} <span class="tag">{{state}}</span>{{/state}}</dd>
        {{/devices}}
        {{#noDevices}}
        <dd>{{noDevices}}</dd>
        {{/noDevices}}
        </div>
        </dl>
        {{#awaiting}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <form method="post" action="{{action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <input type="hidden" name="device" value="{{device}}">
        <div class="field">
        <label for="code-{{device}}">{{label}}</label>
        <input id="code-{{device}}" class="code" name="device_code" type="text" required maxlength="16" \
        inputmode="numeric" autocomplete="one-time-code">
        </div>
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        <form method="post" action="{{action}}" class="others">
        {{> csrfFields}}
        <input type="hidden" name="device" value="{{device}}">
        <button type="submit" class="quiet" name="action" value="{{send}}">{{sendLabel}}</button>
        </form>
        </section>
        {{/awaiting}}
        {{#sections}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <form method="post" action="{{action}}">
        {{> csrfFields}}
        <button type="submit" name="action" value="{{press}}">{{button}}</button>
        </form>
        </section>
        {{/sections}}
        {{> clientAccess}}
        {{> otherButtons}}
        {{/overview}}
        {{#authenticator}}
        {{#symbol}}
        <svg class="symbol" viewBox="0 0 {{size}} {{size}}" role="img" aria-label="{{label}}" shape-rendering="crispEdges">\
        <path d="{{path}}"/></svg>
        {{/symbol}}
        <p><a href="{{uri}}">{{openLabel}}</a></p>
        <p class="hint" id="secret-label">{{typeLead}}</p>
        <p class="secret" aria-labelledby="secret-label"><code>{{secret}}</code></p>
        <form method="post" action="{{action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="code">{{codeLabel}}</label>
        <p class="hint" id="code-hint">{{codeHint}}</p>
        <input id="code" class="code" name="code" type="text" required maxlength="16" inputmode="numeric" \
        autocomplete="one-time-code" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="notice code-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="code-hint"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/authenticator}}
        {{#recoveryCodes}}
        <ol class="recovery-codes">
        {{#codes}}
        <li><code>{{code}}</code></li>
        {{/codes}}
        </ol>
        <p>{{print}}</p>
        {{> otherButtons}}
        {{/recoveryCodes}}
        {{> passkeyPage}}
        {{> pinPage}}
        {{> clientAccessPage}}
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """)
}
