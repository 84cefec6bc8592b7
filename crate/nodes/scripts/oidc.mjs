// An OAuth 2 and OpenID Connect server: the package `oidc-provider` with its own rules, and everything in memory.
// One user, `ada`, is always signed in. Consent is given by a press on its page, or at once if `auto_consent` is on.
import { once } from "node:events";
import { createServer } from "node:http";
import { Provider, errors } from "oidc-provider";
import { serve } from "./lines.mjs";

// Output is for answers.
console.info = console.error;

const RESOURCE = { client_id: "tool-server", client_secret: "tool-server-secret" };

let provider;
let settings;
const grants = new Set();
const exchanges = [];

async function start(options) {
  settings = options;
  let callback;
  const server = createServer((request, response) =>
    request.url.startsWith("/interaction/") ? interact(request, response) : callback(request, response),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${server.address().port}`;
  provider = new Provider(issuer, configuration());
  for (const [event, error] of [["grant.success"], ["grant.error", (error) => error.error]]) {
    provider.on(event, (context, failure) => {
      exchanges.push({ grant_type: context.oidc.params?.grant_type, error: error?.(failure) ?? null });
    });
  }
  callback = provider.callback();
  return { url: issuer };
}

function configuration() {
  const { client_id, client_secret, client_auth, redirect_uris } = settings;
  const secret = client_auth === "none" ? {} : { client_secret };
  const wallet = {
    client_id,
    ...secret,
    token_endpoint_auth_method: client_auth,
    redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
  };
  const resource = { ...RESOURCE, redirect_uris: [], response_types: [], grant_types: [] };
  return {
    clients: [wallet, resource],
    scopes: ["openid", "offline_access", "weather.read", "weather.write"],
    cookies: { keys: ["a key of tests"] },
    // A browser names the extension's origin with every POST.
    clientBasedCORS: () => true,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: "Ada" }) }),
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
    // A refresh token that is used twice ends the whole grant.
    rotateRefreshToken: () => settings.rotation,
    pkce: { required: () => true },
    ttl: {
      AccessToken: () => settings.access_token_seconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
  };
}

/** The page between the request and the code: signs in by itself, and asks for consent. */
async function interact(request, response) {
  try {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const finish = (result) =>
      provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
    const answer = new URL(request.url, "http://127.0.0.1").searchParams.get("answer");
    if (prompt.name === "login") return await finish({ login: { accountId: "ada" } });
    if (answer === "deny") return await finish({ error: "access_denied", error_description: "ada said no" });
    if (!settings.auto_consent && answer !== "allow") return page(response, params);
    return await finish({ consent: { grantId: await grant(prompt, params, session) } });
  } catch (error) {
    console.error(error);
    const status = error instanceof errors.OIDCProviderError ? error.statusCode : 500;
    response.writeHead(status, { "content-type": "text/plain" }).end(String(error?.message ?? error));
  }
}

async function grant({ details }, { client_id }, { accountId }) {
  const grant = new provider.Grant({ accountId, clientId: client_id });
  if (details.missingOIDCScope) grant.addOIDCScope(details.missingOIDCScope.join(" "));
  if (details.missingOIDCClaims) grant.addOIDCClaims(details.missingOIDCClaims);
  const id = await grant.save();
  grants.add(id);
  return id;
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function page(response, { client_id, scope }) {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(`<!doctype html>
    <title>Consent</title>
    <p>May ${escaped(client_id)} have <b data-testid="oidc-scope">${escaped(scope)}</b>?</p>
    <a href="?answer=allow" data-testid="oidc-allow">Allow</a>
    <a href="?answer=deny" data-testid="oidc-deny">Deny</a>`);
}

/** Ends every grant: access tokens are no longer active, refresh tokens are refused. */
async function revoke() {
  for (const id of grants) {
    for (const kind of ["AccessToken", "RefreshToken", "AuthorizationCode"]) await provider[kind].revokeByGrantId(id);
    await (await provider.Grant.find(id))?.destroy();
  }
  grants.clear();
  return {};
}

const commands = {
  start,
  set: (changes) => ((settings = { ...settings, ...changes }), {}),
  exchanges: () => ({ exchanges }),
  revoke,
};

await serve(({ command, ...question }) => commands[command](question));
