// Ways to log in at a service: a token, a name and a password, an API key, a signature, OAuth 2.

import { fill, h, type Child } from "../../popup/element";
import { choice, field, lineInput } from "../../popup/field";
import { t, type MessageKey } from "../../popup/i18n";
import type { FieldErrors } from "../../popup/json/field-error";
import { EXAMPLES } from "../examples";
import type { SignIn } from "../sign-in";
import { signInPart } from "../sign-in-part";
import type { Auth } from "../types";

type Kind = "none" | Auth["type"];

const KINDS: Record<Kind, MessageKey> = {
  none: "tools_auth_none",
  bearer: "tools_auth_bearer",
  basic: "tools_auth_basic",
  apiKey: "tools_auth_api_key",
  hmac: "tools_auth_hmac",
  oauth2: "tools_auth_oauth",
};

interface Around {
  changed(): void;
  /** Logs in at the service of the saved tool; absent while it is not saved. */
  connect: SignIn | undefined;
}

export class AuthFields {
  readonly element: HTMLElement;
  readonly #kind: HTMLSelectElement;
  readonly #fields = h("div", { class: "auth-fields" });
  readonly #inputs = new Map<string, HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>();

  constructor(
    private readonly errors: FieldErrors,
    private readonly around: Around,
  ) {
    this.#kind = errors.add(
      "/impl/auth",
      choice(
        (Object.keys(KINDS) as Kind[]).map((kind) => [kind, t(KINDS[kind])] as const),
        { "data-testid": "edit-auth" },
      ),
    );
    this.#kind.addEventListener("change", () => {
      this.#render(undefined);
      around.changed();
    });
    this.element = h("div", { class: "auth" }, field(t("tools_auth"), this.#kind, t("tools_auth_hint", "${API_KEY}")), this.#fields);
  }

  show(auth: Auth | undefined): void {
    this.#kind.value = auth?.type ?? "none";
    this.#render(auth);
  }

  read(): Auth | undefined {
    const value = (name: string): string => this.#inputs.get(name)?.value.trim() ?? "";
    switch (this.#kind.value as Kind) {
      case "none":
        return undefined;
      case "bearer":
        return { type: "bearer", token: value("token") };
      case "basic":
        return { type: "basic", username: value("username"), password: value("password") };
      case "apiKey":
        return { type: "apiKey", in: value("in") === "query" ? "query" : "header", name: value("name"), value: value("value") };
      case "hmac":
        return {
          type: "hmac",
          algorithm: value("algorithm") === "sha512" ? "sha512" : "sha256",
          key: value("key"),
          header: value("header"),
          encoding: value("encoding") === "base64" ? "base64" : "hex",
          message: value("message"),
          ...(value("timestampHeader") === "" ? {} : { timestampHeader: value("timestampHeader") }),
        };
      case "oauth2":
        return {
          type: "oauth2",
          authorizationUrl: value("authorizationUrl"),
          tokenUrl: value("tokenUrl"),
          clientId: value("clientId"),
          ...(value("clientSecret") === "" ? {} : { clientSecret: value("clientSecret") }),
          scopes: value("scopes").split(/[\s,]+/).filter((scope) => scope !== ""),
        };
    }
  }

  /** The texts that may have placeholders. The message of a signature has its own. */
  get templates(): string[] {
    return [...this.#inputs].filter(([name]) => name !== "message").map(([, input]) => input.value);
  }

  #render(auth: Auth | undefined): void {
    this.#inputs.clear();
    fill(this.#fields, ...this.#fieldsOf(this.#kind.value as Kind, (auth ?? {}) as Record<string, unknown>));
  }

  #fieldsOf(kind: Kind, now: Record<string, unknown>): Child[] {
    const line = (name: string, label: MessageKey, preset = "", placeholder = ""): HTMLElement => {
      const known = now[name];
      const value = Array.isArray(known) ? known.join(" ") : typeof known === "string" ? known : preset;
      return this.#input(name, t(label), lineInput({ value, placeholder, class: "code" }));
    };
    const select = (name: string, label: MessageKey, options: readonly (readonly [string, string])[]): HTMLElement => {
      const input = choice(options, {});
      if (typeof now[name] === "string") input.value = now[name];
      return this.#input(name, t(label), input);
    };
    switch (kind) {
      case "none":
        return [];
      case "bearer":
        return [line("token", "tools_auth_token", "${API_TOKEN}")];
      case "basic":
        return [line("username", "tools_auth_username", "${API_USER}"), line("password", "tools_auth_password", "${API_PASSWORD}")];
      case "apiKey":
        return [
          select("in", "tools_auth_in", [
            ["header", t("tools_auth_in_header")],
            ["query", t("tools_auth_in_query")],
          ]),
          line("name", "tools_auth_key_name", "", "X-API-Key"),
          line("value", "tools_auth_key", "${API_KEY}"),
        ];
      case "hmac":
        return this.#hmac(now, line, select);
      case "oauth2":
        return [
          line("authorizationUrl", "tools_auth_authorization_url", "", "https://login.example.org/authorize"),
          line("tokenUrl", "tools_auth_token_url", "", "https://login.example.org/token"),
          line("clientId", "tools_auth_client_id"),
          line("clientSecret", "tools_auth_client_secret", "", "${CLIENT_SECRET}"),
          line("scopes", "tools_auth_scopes"),
          this.#connect(),
        ];
    }
  }

  #hmac(
    now: Record<string, unknown>,
    line: (name: string, label: MessageKey, preset?: string, placeholder?: string) => HTMLElement,
    select: (name: string, label: MessageKey, options: readonly (readonly [string, string])[]) => HTMLElement,
  ): Child[] {
    const message = h("textarea", { rows: 4, spellcheck: "false", class: "code" });
    message.value = typeof now["message"] === "string" ? now["message"] : EXAMPLES.hmacMessage;
    return [
      line("key", "tools_auth_key", "${API_SECRET}"),
      select("algorithm", "tools_auth_algorithm", [
        ["sha256", "SHA-256"],
        ["sha512", "SHA-512"],
      ]),
      select("encoding", "tools_auth_encoding", [
        ["hex", t("tools_auth_hex")],
        ["base64", "base64"],
      ]),
      line("header", "tools_auth_header", "", "X-Signature"),
      line("timestampHeader", "tools_auth_timestamp_header", "", "X-Timestamp"),
      this.#input("message", t("tools_auth_message"), message),
    ];
  }

  #input(name: string, label: string, input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): HTMLElement {
    input.dataset["testid"] = `edit-auth-${name}`;
    input.addEventListener("input", () => this.around.changed());
    this.#inputs.set(name, this.errors.add(`/impl/auth/${name}`, input));
    return field(label, input);
  }

  #connect(): HTMLElement {
    const { connect } = this.around;
    return connect ? signInPart(connect) : h("p", { class: "hint" }, t("tools_auth_save_first"));
  }
}
